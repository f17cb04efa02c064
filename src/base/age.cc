// SPDX-License-Identifier: Apache-2.0
#include "base/age.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/checked.h"

namespace muster {

namespace {

constexpr std::int64_t seconds_per_minute = 60;
constexpr std::int64_t seconds_per_hour = 3'600;
constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t days_per_year = 365;
constexpr std::int64_t seconds_per_year = days_per_year * seconds_per_day;

std::int64_t whole_seconds(Span span) {
  return span.nanoseconds / 1'000'000'000;
}

double hours_as_go(Span span) {
  constexpr std::int64_t nanoseconds_per_hour = seconds_per_hour * 1'000'000'000;
  const std::int64_t whole = span.nanoseconds / nanoseconds_per_hour;
  const std::int64_t rest = span.nanoseconds % nanoseconds_per_hour;
  return static_cast<double>(whole) +
         static_cast<double>(rest) / static_cast<double>(nanoseconds_per_hour);
}

// "3m12s", or "3m" when the second part is zero.
std::string two_units(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string human_duration(Span span) {
  const std::int64_t seconds = whole_seconds(span);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / seconds_per_minute;
  if (minutes < 10) return two_units(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = seconds / seconds_per_hour;
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const std::int64_t days = seconds / seconds_per_day;
  if (days < 8) return two_units(days, 'd', hours % 24, 'h');
  if (days < 2 * days_per_year) return fmt::format("{}d", days);
  const std::int64_t years = seconds / seconds_per_year;
  if (years < 8) return two_units(years, 'y', days % days_per_year, 'd');
  return fmt::format("{}y", years);
}

std::string short_human_duration(Span span) {
  const std::int64_t seconds = whole_seconds(span);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < seconds_per_minute) return fmt::format("{}s", seconds);
  if (seconds < seconds_per_hour) return fmt::format("{}m", seconds / seconds_per_minute);
  if (seconds < seconds_per_day) return fmt::format("{}h", seconds / seconds_per_hour);
  // kubectl computes in doubles from here on, and so calls the last nanosecond of a year a year.
  const double hours = hours_as_go(span);
  if (static_cast<std::int64_t>(hours) < days_per_year * 24) {
    return fmt::format("{}d", static_cast<std::int64_t>(hours) / 24);
  }
  return fmt::format("{}y", static_cast<std::int64_t>(hours / 24 / 365));
}

std::string human_age(Instant since, Instant now) {
  return human_duration({saturating_subtract(now.nanoseconds, since.nanoseconds)});
}

}  // namespace muster
