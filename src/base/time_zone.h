// TimeZone: how far a place's clocks are ahead of UTC, and until when. Read from the bytes of a
// compiled zone of the IANA database (TZif, RFC 8536), or from a rule as POSIX writes it in TZ.
//
//   const TimeZone zone = TRY(TimeZone::parse(bytes));
//   const auto [seconds, until] = zone.at(unix_seconds);     // 3600, the end of winter time
//   TimeZone::of_rule("CET-1CEST,M3.5.0,M10.5.0/3");
//
// Assumes: the bytes may be anything; what is no zone is refused. Leap seconds are not told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

// A compiled zone, and its changes of the clocks; the largest of the IANA database have 4 KiB and
// 250 changes.
inline constexpr std::size_t time_zone_bytes_max = 65'536;
inline constexpr std::size_t time_zone_entries_max = 4'096;

class TimeZone {
 public:
  struct Offset {
    std::int64_t seconds = 0;        // east of UTC
    std::int64_t until = INT64_MAX;  // Unix seconds, excluded; the maximum: for ever
  };

  TimeZone() = default;  // UTC

  static Result<TimeZone> parse(std::string_view bytes);
  static Result<TimeZone> of_rule(std::string_view rule);

  Offset at(std::int64_t unix_seconds) const;

 private:
  // When clocks change in a year: a day, and seconds after its midnight.
  struct YearDay {
    enum class Kind : std::uint8_t { month_week, julian, day_number };
    Kind kind = Kind::month_week;
    std::int64_t month = 1;
    std::int64_t week = 1;  // 5: the last
    std::int64_t day = 0;   // of the week, or of the year
    std::int64_t seconds = 7'200;
  };
  struct Rule {
    std::int64_t standard = 0;
    std::int64_t summer = 0;
    bool has_summer = false;
    YearDay begin = {};
    YearDay end = {};
  };
  struct Transition {
    std::int64_t at = 0;
    std::int64_t offset = 0;
  };
  class RuleReader;

  static std::int64_t midnight_of(const YearDay& day, std::int64_t year);
  static Offset by_rule(const Rule& rule, std::int64_t unix_seconds);

  std::int64_t first_offset_ = 0;  // before the first transition
  std::vector<Transition> transitions_;
  std::optional<Rule> rule_;  // after the last one
};

}  // namespace muster
