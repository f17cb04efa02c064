// Whatever stands in a pod's folder or comes over its socket: it is read or refused, and what was
// read once is written and read the same.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/shim_protocol.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::agent;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto spec = parse_shim_spec(text)) {
    const std::string written = to_json_text(*spec);
    CHECK(to_json_text(parse_shim_spec(written).must()) == written);
  }
  if (const auto state = parse_shim_state(text)) {
    const std::string written = to_json_text(*state);
    CHECK(to_json_text(parse_shim_state(written).must()) == written);
  }
  if (const auto order = parse_shim_order(text)) {
    CHECK(parse_shim_order(to_line(*order)).has_value());
  }
  return 0;
}
