// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a schedule: what can be read is due at times that rise, the last of which `last`
// finds again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/cron_schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto schedule = muster::objects::CronSchedule::parse(text);
  if (!schedule) {
    CHECK(!schedule.error().message.empty());
    return 0;
  }
  const auto zone = muster::TimeZone::of_rule("CET-1CEST,M3.5.0,M10.5.0/3").must();
  const muster::Instant begin{std::int64_t{1'774'700'000} * 1'000'000'000};  // before summer time
  muster::Instant at = begin;
  for (int i = 0; i < 4; ++i) {
    const auto due = schedule->next(at, zone);
    if (!due) return 0;
    CHECK(*due > at);
    CHECK(schedule->last(begin, *due, zone) == due);
    at = *due;
  }
  return 0;
}
