// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a duration: what parses must print and read back as the same length.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/age.h"
#include "base/check.h"
#include "base/duration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto span = muster::parse_duration(text)) {
    CHECK(muster::parse_duration(muster::format_duration(*span)).must() == *span);
    CHECK(!muster::human_duration(*span).empty());
  }
  return 0;
}
