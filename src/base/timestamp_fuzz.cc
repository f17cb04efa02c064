// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a time: what parses must print and read back as the same moment.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/timestamp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  if (const auto time = muster::parse_time(text)) {
    CHECK(muster::parse_time(muster::format_time(*time)).must().seconds() == time->seconds());
  }
  if (const auto micro_time = muster::parse_micro_time(text)) {
    CHECK(muster::parse_micro_time(muster::format_micro_time(*micro_time)).must() == *micro_time);
  }
  return 0;
}
