// SPDX-License-Identifier: Apache-2.0
#include "objects/cron_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/checked.h"
#include "base/civil_date.h"
#include "base/duration.h"
#include "objects/field_error.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

constexpr std::string_view month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view day_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  int low;
  int high;
  std::span<const std::string_view> names = {};  // from `low` on
};

constexpr Bounds fields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, month_names}, {0, 6, day_names}};
constexpr std::size_t field_count = std::size(fields);

constexpr std::int64_t second_nanoseconds = 1'000'000'000;
constexpr std::int64_t years_ahead_max = 5;

// The parts between separators, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\n\v\f\r";
  while (true) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<int> read_number(std::string_view text) {
  std::string_view digits = text;
  const bool signed_plus = digits.starts_with('+') && digits.size() > 1 && is_digit(digits[1]);
  if (signed_plus) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  int number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  const bool is_read = error == std::errc() && rest == end && !digits.empty();
  if (!is_read) {
    const std::string_view why =
        error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
    return Error::invalid(fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}",
                                      text, go_quoted(text), why));
  }
  if (number < 0) {
    return Error::invalid(fmt::format("negative number ({}) not allowed: {}", number, text));
  }
  return number;
}

Result<int> read_number_or_name(std::string_view text, const Bounds& bounds) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (std::size_t i = 0; i < bounds.names.size(); ++i) {
    if (bounds.names[i] == lower) return bounds.low + static_cast<int>(i);
  }
  return read_number(text);
}

struct FieldBits {
  std::uint64_t bits = 0;
  bool is_star = false;
};

// `*`, `5`, `1-10`, `*/5`, `10-20/2`.
Result<FieldBits> read_range(std::string_view text, const Bounds& bounds) {
  const auto range_and_step = split(text, '/');
  const auto ends = split(range_and_step[0], '-');
  int start = bounds.low;
  int end = bounds.high;
  int step = 1;
  const bool is_star = ends[0] == "*" || ends[0] == "?";
  if (!is_star) {
    start = TRY(read_number_or_name(ends[0], bounds));
    end = start;
    if (ends.size() == 2) {
      end = TRY(read_number_or_name(ends[1], bounds));
    } else if (ends.size() > 2) {
      return Error::invalid(fmt::format("too many hyphens: {}", text));
    }
  }
  if (range_and_step.size() == 2) {
    step = TRY(read_number(range_and_step[1]));
    if (!is_star && ends.size() == 1) end = bounds.high;
  } else if (range_and_step.size() > 2) {
    return Error::invalid(fmt::format("too many slashes: {}", text));
  }
  if (start < bounds.low) {
    return Error::invalid(
        fmt::format("beginning of range ({}) below minimum ({}): {}", start, bounds.low, text));
  }
  if (end > bounds.high) {
    return Error::invalid(
        fmt::format("end of range ({}) above maximum ({}): {}", end, bounds.high, text));
  }
  if (start > end) {
    return Error::invalid(
        fmt::format("beginning of range ({}) beyond end of range ({}): {}", start, end, text));
  }
  if (step == 0) {
    return Error::invalid(fmt::format("step of range should be a positive number: {}", text));
  }
  FieldBits field{.bits = 0, .is_star = is_star && step == 1};
  for (int i = start; i <= end; i += std::min(step, bounds.high + 1)) {
    field.bits |= std::uint64_t{1} << static_cast<unsigned>(i);
  }
  return field;
}

Result<FieldBits> read_field(std::string_view text, const Bounds& bounds) {
  FieldBits field;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    const FieldBits range = TRY(read_range(part, bounds));
    field.bits |= range.bits;
    field.is_star = field.is_star || range.is_star;
  }
  return field;
}

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};
constexpr Descriptor descriptors[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

std::int64_t seconds_of(Instant time) {
  return floor_divide(time.nanoseconds, second_nanoseconds);
}

// The last whole second that an Instant can say.
constexpr std::int64_t seconds_max = std::numeric_limits<std::int64_t>::max() / second_nanoseconds;

Instant instant_at(std::int64_t seconds) {
  return {saturating_multiply(seconds, second_nanoseconds)};
}

bool has(std::uint64_t bits, std::int64_t value) {
  return ((bits >> static_cast<unsigned>(value)) & 1U) != 0;
}

}  // namespace

class CronReader {
 public:
  static Result<CronSchedule> read_descriptor(std::string_view text) {
    for (const Descriptor& each : descriptors) {
      if (text == each.name) return read_fields(each.fields);
    }
    constexpr std::string_view every = "@every ";
    if (!text.starts_with(every)) {
      return Error::invalid(fmt::format("unrecognized descriptor: {}", text));
    }
    const auto span = parse_duration(text.substr(every.size()));
    if (!span) {
      return Error::invalid(
          fmt::format("failed to parse duration {}: {}", text, span.error().message));
    }
    CronSchedule schedule;
    schedule.every_seconds_ = std::max<std::int64_t>(span->nanoseconds / second_nanoseconds, 1);
    return schedule;
  }

  static Result<CronSchedule> read_fields(std::string_view text) {
    const auto words = words_of(text);
    if (words.size() != field_count) {
      return Error::invalid(fmt::format("expected exactly {} fields, found {}: [{}]", field_count,
                                        words.size(), fmt::join(words, " ")));
    }
    FieldBits read[field_count];
    for (std::size_t i = 0; i < field_count; ++i) {
      read[i] = TRY(read_field(words[i], fields[i]));
    }
    CronSchedule schedule;
    schedule.minutes_ = read[0].bits;
    schedule.hours_ = read[1].bits;
    schedule.days_ = read[2].bits;
    schedule.months_ = read[3].bits;
    schedule.weekdays_ = read[4].bits;
    schedule.any_day_ = read[2].is_star;
    schedule.any_weekday_ = read[4].is_star;
    return schedule;
  }
};

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.starts_with('@')) return CronReader::read_descriptor(text);
  return CronReader::read_fields(text);
}

bool CronSchedule::matches_day(std::int64_t days) const {
  const bool day = has(days_, date_of(days).day);
  const bool weekday = has(weekdays_, weekday_of(days));
  return any_day_ || any_weekday_ ? day && weekday : day || weekday;
}

// Over clocks that never change: the first matching minute in [from, until).
std::optional<std::int64_t> CronSchedule::next_local(std::int64_t from, std::int64_t until,
                                                     std::int64_t year_max) const {
  for (std::int64_t day = floor_divide(from, seconds_per_day);
       day <= floor_divide(until - 1, seconds_per_day); ++day) {
    const CivilDate date = date_of(day);
    if (date.year > year_max) return std::nullopt;
    if (!has(months_, date.month)) {
      const bool is_december = date.month == 12;
      day = days_of({date.year + (is_december ? 1 : 0), is_december ? 1 : date.month + 1, 1}) - 1;
      continue;
    }
    if (!matches_day(day)) continue;
    for (std::int64_t hour = 0; hour < 24; ++hour) {
      if (!has(hours_, hour)) continue;
      for (std::int64_t minute = 0; minute < 60; ++minute) {
        const std::int64_t at = day * seconds_per_day + hour * 3'600 + minute * 60;
        if (has(minutes_, minute) && at >= from) {
          if (at >= until) return std::nullopt;
          return at;
        }
      }
    }
  }
  return std::nullopt;
}

// Between two changes of the clocks time is a straight line: each such piece is searched by itself.
std::optional<Instant> CronSchedule::next(Instant after, const TimeZone& zone) const {
  std::int64_t at = seconds_of(after) + 1;
  if (every_seconds_ > 0) {
    const std::int64_t due = saturating_add(at - 1, every_seconds_);
    return due <= seconds_max ? std::optional(instant_at(due)) : std::nullopt;
  }
  constexpr std::int64_t far = std::int64_t{1} << 40;  // beyond what an Instant can say
  const auto year_of = [](std::int64_t local) {
    return date_of(floor_divide(local, seconds_per_day)).year;
  };
  const std::int64_t year_max = year_of(at + zone.at(at).seconds) + years_ahead_max;
  while (at < far) {
    const auto [offset, until] = zone.at(at);
    const std::int64_t end = std::min(until, far);
    const auto found = next_local(at + offset, end + offset, year_max);
    if (found) return instant_at(*found - offset);
    if (year_of(end + offset) > year_max) return std::nullopt;
    at = end;
  }
  return std::nullopt;
}

// Looks back from the end, twice as far each time nothing was found.
std::optional<Instant> CronSchedule::last(Instant after, Instant until,
                                          const TimeZone& zone) const {
  if (until <= after) return std::nullopt;
  if (every_seconds_ > 0) {
    const std::int64_t from = seconds_of(after);
    const std::int64_t count = (seconds_of(until) - from) / every_seconds_;
    if (count == 0) return std::nullopt;
    return instant_at(from + count * every_seconds_);
  }
  for (std::int64_t seconds = 120;; seconds *= 2) {
    const Instant from =
        std::max(after, Instant{saturating_subtract(
                            until.nanoseconds, saturating_multiply(seconds, second_nanoseconds))});
    std::optional<Instant> found;
    for (auto each = next(from, zone); each && *each <= until; each = next(*each, zone)) {
      found = each;
    }
    if (found || from == after) return found;
  }
}

}  // namespace muster::objects
