// SPDX-License-Identifier: Apache-2.0
#include "server/storage_version.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>
#include <string_view>

#include "base/base64.h"

namespace muster::server {

std::string storage_version_hash(const objects::Kind& kind) {
  constexpr std::size_t bytes_shown = 8;
  const objects::Kind& stored = kind.stored_kind();
  std::string text =
      fmt::format("{}/{}/{}", stored.group, stored.storage_version().name, stored.kind);
  // The peer stores this one in another version than it serves.
  if (kind.kind == "CustomResourceDefinition") text = "apiextensions.k8s.io/v1beta1/" + kind.kind;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return base64_encode(std::string_view(reinterpret_cast<const char*>(digest.data()), bytes_shown));
}

}  // namespace muster::server
