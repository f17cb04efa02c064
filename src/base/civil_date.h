// CivilDate: days of the proleptic Gregorian calendar and their numbers since 1970-01-01, for code
// that computes with dates: schedules and time zones. No leap seconds.
//
//   days_of({2026, 11, 15});   // 20772
//   weekday_of(20772);         // 0: a Sunday
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace muster {

inline constexpr std::int64_t seconds_per_day = 86'400;

struct CivilDate {
  std::int64_t year = 1970;
  std::int64_t month = 1;  // 1 to 12
  std::int64_t day = 1;    // 1 to 31

  friend constexpr bool operator==(const CivilDate&, const CivilDate&) = default;
};

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

// The year is counted from March on, so that the leap day is its last; 400 years are an era of
// 146,097 days.
constexpr std::int64_t days_of(const CivilDate& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = (date.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

constexpr CivilDate date_of(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_divide(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

// 0 is Sunday.
constexpr std::int64_t weekday_of(std::int64_t days) {
  return days + 4 - floor_divide(days + 4, 7) * 7;
}

constexpr bool is_leap_year(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

}  // namespace muster
