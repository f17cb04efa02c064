// CronSchedule: when a CronJob is due. Five fields (minute, hour, day, month, weekday) with lists,
// ranges, steps and names, or @hourly, @daily, @weekly, @monthly, @yearly, @every 90m; what cannot
// be read is refused in the words of the reader that Kubernetes uses.
//
//   const CronSchedule schedule = TRY(CronSchedule::parse("30 6-16/4 * * mon-fri"));
//   const auto due = schedule.next(last_time, zone);    // nothing: never within five years,
//                                                       // or (@every) not before time ends
//
// A schedule is due at every whole minute at which the clocks of the zone show what its fields ask
// for: not at all in an hour that they skip, twice in one that they repeat. Where both day and
// weekday are restricted, either is enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "base/time_zone.h"

namespace muster::objects {

class CronSchedule {
 public:
  static Result<CronSchedule> parse(std::string_view text);

  // The first time after that one.
  std::optional<Instant> next(Instant after, const TimeZone& zone) const;

  // The last time after the one and not after the other.
  std::optional<Instant> last(Instant after, Instant until, const TimeZone& zone) const;

 private:
  friend class CronReader;

  bool matches_day(std::int64_t days) const;
  std::optional<std::int64_t> next_local(std::int64_t from, std::int64_t until,
                                         std::int64_t year_max) const;

  std::uint64_t minutes_ = 0;  // one bit for each value
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool any_day_ = false;  // the field is a star
  bool any_weekday_ = false;
  std::int64_t every_seconds_ = 0;  // of @every; the fields say nothing then
};

}  // namespace muster::objects
