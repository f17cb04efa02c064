// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/civil_date.h"
#include "base/go_quote.h"

namespace muster {

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t go_zero_seconds = -62'135'596'800;

std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Reads one text against Go's layout, element by element, with Go's errors.
class TimeReader {
 public:
  TimeReader(std::string_view text, bool requires_microseconds)
      : text_(text), rest_(text), requires_microseconds_(requires_microseconds) {}

  Result<Timestamp> read() {
    CivilDate date{};
    date.year = TRY(year());
    TRY(literal("-"));
    date.month = TRY(number("01", {1, 12, "month"}));
    TRY(literal("-"));
    date.day = TRY(number("02", {0, 99, "day"}));
    TRY(literal("T"));
    const std::int64_t hour = TRY(number("15", {0, 23, "hour"}));
    TRY(literal(":"));
    const std::int64_t minute = TRY(number("04", {0, 59, "minute"}));
    TRY(literal(":"));
    const std::int64_t second = TRY(number("05", {0, 59, "second"}));
    const std::uint32_t nanoseconds = TRY(fraction());
    const std::int64_t offset = TRY(zone());
    if (!rest_.empty()) return refusal(": extra text: " + go_quote(rest_));
    if (date.day < 1 || date.day > days_in_month(date.year, date.month)) {
      return refusal(": day out of range");
    }
    const std::int64_t seconds =
        days_of(date) * seconds_per_day + hour * 3'600 + minute * 60 + second - offset;
    const auto timestamp = Timestamp::of_unix(seconds, nanoseconds);
    if (!timestamp) return refusal(": year out of range");
    return *timestamp;
  }

 private:
  struct Range {
    std::int64_t lowest;
    std::int64_t highest;
    std::string_view name;
  };

  bool digit_at(std::size_t index) const {
    return index < rest_.size() && rest_[index] >= '0' && rest_[index] <= '9';
  }

  std::size_t digits_from(std::size_t index) const {
    std::size_t end = index;
    while (digit_at(end)) ++end;
    return end - index;
  }

  std::int64_t number_at(std::size_t index, std::size_t digits) const {
    std::int64_t value = 0;
    for (const char digit : rest_.substr(index, digits)) value = value * 10 + (digit - '0');
    return value;
  }

  Result<> literal(std::string_view character) {
    if (!rest_.starts_with(character)) return mismatch(character);
    rest_.remove_prefix(1);
    return {};
  }

  Result<std::int64_t> year() {
    if (digits_from(0) < 4) return mismatch("2006");
    const std::int64_t value = number_at(0, 4);
    rest_.remove_prefix(4);
    return value;
  }

  // Two digits; only an hour may have one.
  Result<std::int64_t> number(std::string_view element, Range range) {
    const bool is_hour = element == "15";
    if (!digit_at(0) || (!digit_at(1) && !is_hour)) return mismatch(element);
    const std::size_t digits = digit_at(1) ? 2 : 1;
    const std::int64_t value = number_at(0, digits);
    rest_.remove_prefix(digits);
    if (value < range.lowest || value > range.highest) return out_of_range(range.name);
    return value;
  }

  Result<std::uint32_t> fraction() {
    constexpr std::string_view micro_element = ".000000";
    const bool has_mark = rest_.starts_with('.') || rest_.starts_with(',');
    std::size_t digits = has_mark ? digits_from(1) : 0;
    if (requires_microseconds_) {
      // A seventh digit is left over for the zone to stumble over, as in Go.
      if (digits < 6) return mismatch(micro_element);
      digits = 6;
    }
    if (digits == 0) return 0;
    const std::size_t kept = std::min<std::size_t>(digits, 9);
    std::int64_t value = number_at(1, kept);
    for (std::size_t i = kept; i < 9; ++i) value *= 10;
    rest_.remove_prefix(1 + digits);
    return static_cast<std::uint32_t>(value);
  }

  // Seconds east of Greenwich. Go lets people write offsets of 24 hours and of 60 minutes.
  Result<std::int64_t> zone() {
    constexpr std::string_view element = "Z07:00";
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    if (rest_.size() < element.size() || rest_[3] != ':') return mismatch(element);
    const bool has_hour = digit_at(1) && digit_at(2);
    const bool has_minute = has_hour && digit_at(4) && digit_at(5);
    const std::int64_t hour = has_hour ? number_at(1, 2) : 0;
    const std::int64_t minute = has_minute ? number_at(4, 2) : 0;
    if (minute > 60) return out_of_range("time zone offset minute");
    if (hour > 24) return out_of_range("time zone offset hour");
    if (!has_minute || (rest_[0] != '+' && rest_[0] != '-')) return mismatch(element);
    const std::int64_t offset = (hour * 60 + minute) * 60;
    const bool is_west = rest_[0] == '-';
    rest_.remove_prefix(element.size());
    return is_west ? -offset : offset;
  }

  Error mismatch(std::string_view element) const {
    const std::string_view layout =
        requires_microseconds_ ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
    return refusal(" as " + go_quote(layout) + ": cannot parse " + go_quote(rest_) + " as " +
                   go_quote(element));
  }

  Error out_of_range(std::string_view name) const {
    return refusal(fmt::format(": {} out of range", name));
  }

  Error refusal(const std::string& reason) const {
    return Error::bad_request("parsing time " + go_quote(text_) + reason);
  }

  std::string_view text_;
  std::string_view rest_;
  bool requires_microseconds_;
};

constexpr std::string_view usual_layout = "0000-00-00T00:00:00Z";

// Eight bytes of a text at once: a digit where the layout has a 0, and the same everywhere else. A
// digit differs from 0 by 0 to 9; what is beyond that overflows its half byte when 6 is added.
template <std::size_t At>
bool has_usual_word(std::string_view text) {
  using Bytes = std::array<char, 8>;
  static constexpr auto bytes = [](auto of) {
    Bytes made{};
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = of(usual_layout[At + i]);
    return std::bit_cast<std::uint64_t>(made);
  };
  constexpr std::uint64_t wanted = bytes([](char letter) { return letter; });
  constexpr std::uint64_t digits = bytes([](char letter) { return letter == '0' ? '\x0f' : '\0'; });
  constexpr std::uint64_t sixes = bytes([](char letter) { return letter == '0' ? '\x06' : '\0'; });
  std::uint64_t differs = 0;
  std::memcpy(&differs, text.data() + At, sizeof(differs));
  differs ^= wanted;
  return ((differs | ((differs & digits) + sixes)) & ~digits) == 0;
}

// `2026-11-15T04:10:44Z`, as nearly every object has it, without the way of errors. Nothing: it is
// written differently, or wrong.
std::optional<Timestamp> read_usual(std::string_view text) {
  const bool is_usual = text.size() == usual_layout.size() && has_usual_word<0>(text) &&
                        has_usual_word<8>(text) && has_usual_word<12>(text);
  if (!is_usual) return std::nullopt;
  const auto two = [&](std::size_t at) -> std::int64_t {
    return (text[at] - '0') * 10 + (text[at + 1] - '0');
  };
  const CivilDate date{.year = two(0) * 100 + two(2), .month = two(5), .day = two(8)};
  const bool is_date = date.month >= 1 && date.month <= 12 && date.day >= 1 &&
                       date.day <= days_in_month(date.year, date.month);
  if (!is_date || two(11) > 23 || two(14) > 59 || two(17) > 59) return std::nullopt;
  const std::int64_t seconds = two(11) * 3'600 + two(14) * 60 + two(17);
  return Timestamp::of_unix(days_of(date) * seconds_per_day + seconds, 0);
}

std::string format_seconds(Timestamp timestamp) {
  const std::int64_t day = floor_divide(timestamp.seconds(), seconds_per_day);
  const std::int64_t second = timestamp.seconds() - day * seconds_per_day;
  const CivilDate date = date_of(day);
  if (date.year < 0 || date.year > 9'999) {
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day,
                       second / 3'600, second / 60 % 60, second % 60);
  }
  // Several of these are in every answer.
  std::string text = "0000-00-00T00:00:00";
  const auto put = [&text](std::size_t at, auto number) {
    text[at] = static_cast<char>('0' + number / 10);
    text[at + 1] = static_cast<char>('0' + number % 10);
  };
  put(0, date.year / 100);
  put(2, date.year % 100);
  put(5, date.month);
  put(8, date.day);
  put(11, second / 3'600);
  put(14, second / 60 % 60);
  put(17, second % 60);
  return text;
}

}  // namespace

Timestamp Timestamp::of(Instant instant) {
  const std::int64_t seconds = floor_divide(instant.nanoseconds, nanoseconds_per_second);
  std::int64_t rest = instant.nanoseconds % nanoseconds_per_second;
  if (rest < 0) rest += nanoseconds_per_second;
  return {seconds, static_cast<std::uint32_t>(rest)};
}

std::optional<Timestamp> Timestamp::of_unix(std::int64_t seconds, std::uint32_t nanoseconds) {
  if (seconds < seconds_min || seconds > seconds_max) return std::nullopt;
  if (nanoseconds >= nanoseconds_per_second) return std::nullopt;
  return Timestamp(seconds, nanoseconds);
}

bool Timestamp::is_go_zero() const {
  return seconds_ == go_zero_seconds && nanoseconds_ == 0;
}

std::optional<Instant> Timestamp::to_instant() const {
  // The second before the lowest Instant starts outside of int64 and ends inside.
  const bool is_before = seconds_ < 0 && nanoseconds_ > 0;
  const std::int64_t whole = is_before ? seconds_ + 1 : seconds_;
  const std::int64_t part = is_before ? nanoseconds_ - nanoseconds_per_second : nanoseconds_;
  Instant result;
  if (__builtin_mul_overflow(whole, nanoseconds_per_second, &result.nanoseconds)) {
    return std::nullopt;
  }
  if (__builtin_add_overflow(result.nanoseconds, part, &result.nanoseconds)) return std::nullopt;
  return result;
}

Instant Timestamp::saturated_instant() const {
  if (const auto exact = to_instant()) return *exact;
  return {seconds_ < 0 ? std::numeric_limits<std::int64_t>::min()
                       : std::numeric_limits<std::int64_t>::max()};
}

Result<Timestamp> parse_time(std::string_view text) {
  if (const auto usual = read_usual(text)) return *usual;
  return TimeReader(text, false).read();
}

Result<Timestamp> parse_micro_time(std::string_view text) {
  return TimeReader(text, true).read();
}

std::string format_time(Timestamp timestamp) {
  return format_seconds(timestamp) + 'Z';
}

std::string format_micro_time(Timestamp timestamp) {
  return fmt::format("{}.{:06}Z", format_seconds(timestamp), timestamp.nanoseconds() / 1'000);
}

}  // namespace muster
