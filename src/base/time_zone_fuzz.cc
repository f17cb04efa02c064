// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a compiled zone, and as a rule: what can be read has an offset at every time, which
// holds at least to the next second.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/time_zone.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const auto& zone : {muster::TimeZone::parse(text), muster::TimeZone::of_rule(text)}) {
    if (!zone) continue;
    for (std::int64_t at = -9'000'000'000; at < 9'000'000'000; at += 777'777'777) {
      const auto offset = zone->at(at);
      CHECK(offset.until > at);
      CHECK(offset.seconds > -100'000 && offset.seconds < 100'000);
    }
  }
  return 0;
}
