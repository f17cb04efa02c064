// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/json.h"
#include "server/protobuf.h"

// Any bytes are refused or become a value that is JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const auto registry = muster::objects::KindRegistry::built_in().must();
  const std::string_view body(reinterpret_cast<const char*>(bytes), size);
  if (const auto decoded = muster::server::decode_protobuf(body, registry)) {
    const std::string text = muster::objects::to_json(*decoded);
    CHECK(muster::objects::parse_json(text, {.bytes_max = text.size()}).has_value());
  }
  return 0;
}
