// SPDX-License-Identifier: Apache-2.0
#include "server/json_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace muster::server {

std::string content_hash(std::string_view text) {
  // FNV-1a, forwards and, with another start, over words that depend on the position.
  constexpr std::uint64_t prime = 1'099'511'628'211U;
  std::uint64_t first = 14'695'981'039'346'656'037U;
  std::uint64_t second = 7'809'847'782'465'536'322U;
  std::uint64_t position = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(c));
    first = (first ^ byte) * prime;
    second = ((second ^ (byte + (++position << 8))) * prime);
    second ^= second >> 29;
  }
  return fmt::format("{:016X}{:016X}", first, second);
}

}  // namespace muster::server
