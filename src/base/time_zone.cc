// SPDX-License-Identifier: Apache-2.0
#include "base/time_zone.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/civil_date.h"

namespace muster {

namespace {

constexpr std::int64_t offset_max = 93'600;         // 26 hours
constexpr std::int64_t rule_seconds_max = 604'800;  // 168 hours

// Reads bytes from the front; once there are too few, everything reads as zero.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      is_short_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // Big-endian, two's complement.
  std::int64_t number(std::size_t width) {
    const std::string_view taken = take(width);
    if (taken.empty()) return 0;
    const bool is_negative = (static_cast<unsigned char>(taken[0]) & 0x80U) != 0;
    std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
    for (const char c : taken) value = (value << 8U) | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
  }
  std::string_view rest() const { return rest_; }
  bool is_short() const { return is_short_; }

 private:
  std::string_view rest_;
  bool is_short_ = false;
};

struct Header {
  char version = 0;
  std::size_t universal = 0;
  std::size_t standard = 0;
  std::size_t leaps = 0;
  std::size_t times = 0;
  std::size_t types = 0;
  std::size_t letters = 0;

  std::size_t body_bytes(std::size_t width) const {
    return times * width + times + types * 6 + letters + leaps * (width + 4) + standard + universal;
  }
};

Error no_zone() {
  return Error::invalid("malformed time zone information");
}

Result<Header> read_header(Bytes& bytes) {
  Header header;
  if (bytes.take(4) != "TZif") return no_zone();
  const std::string_view version = bytes.take(16);
  if (!version.empty()) header.version = version[0];
  for (std::size_t* count : {&header.universal, &header.standard, &header.leaps, &header.times,
                             &header.types, &header.letters}) {
    const std::int64_t number = bytes.number(4);
    if (number < 0 || std::cmp_greater(number, time_zone_entries_max)) return no_zone();
    *count = static_cast<std::size_t>(number);
  }
  if (bytes.is_short() || header.types == 0) return no_zone();
  return header;
}

}  // namespace

// `std offset [dst [offset] [,start[/time],end[/time]]]`
class TimeZone::RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  std::optional<Rule> read() {
    Rule rule;
    if (!skip_name()) return std::nullopt;
    const auto standard = read_time();
    if (!standard) return std::nullopt;
    rule.standard = -*standard;
    if (rest_.empty()) return checked(rule);
    if (!skip_name()) return std::nullopt;
    rule.has_summer = true;
    rule.summer = rule.standard + 3'600;
    if (!rest_.empty() && rest_[0] != ',') {
      const auto summer = read_time();
      if (!summer) return std::nullopt;
      rule.summer = -*summer;
    }
    if (!read_day(rule.begin) || !read_day(rule.end) || !rest_.empty()) return std::nullopt;
    return checked(rule);
  }

 private:
  static std::optional<Rule> checked(const Rule& rule) {
    for (const std::int64_t offset : {rule.standard, rule.summer}) {
      if (offset < -offset_max || offset > offset_max) return std::nullopt;
    }
    return rule;
  }

  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool skip_name() {
    if (take('<')) {
      const std::size_t end = rest_.find('>');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    rest_.remove_prefix(length);
    return length >= 3;
  }

  std::optional<std::int64_t> read_number(std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && digits < 4 && is_digit(rest_[digits])) {
      value = value * 10 + (rest_[digits] - '0');
      ++digits;
    }
    if (digits == 0 || value < low || value > high) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  // `[+-]hh[:mm[:ss]]`, in seconds.
  std::optional<std::int64_t> read_time() {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    const auto hours = read_number(0, 167);
    if (!hours) return std::nullopt;
    std::int64_t seconds = *hours * 3'600;
    for (const std::int64_t unit : {60, 1}) {
      if (!take(':')) break;
      const auto number = read_number(0, 59);
      if (!number) return std::nullopt;
      seconds += *number * unit;
    }
    if (seconds > rule_seconds_max) return std::nullopt;
    return is_negative ? -seconds : seconds;
  }

  // `,M3.5.0/2`, `,J60`, `,59`
  bool read_day(YearDay& day) {
    if (!take(',')) return false;
    std::optional<std::int64_t> number;
    if (take('M')) {
      day.kind = YearDay::Kind::month_week;
      const auto month = read_number(1, 12);
      if (!month || !take('.')) return false;
      const auto week = read_number(1, 5);
      if (!week || !take('.')) return false;
      day.month = *month;
      day.week = *week;
      number = read_number(0, 6);
    } else if (take('J')) {
      day.kind = YearDay::Kind::julian;
      number = read_number(1, 365);
    } else {
      day.kind = YearDay::Kind::day_number;
      number = read_number(0, 365);
    }
    if (!number) return false;
    day.day = *number;
    if (!take('/')) return true;
    const auto seconds = read_time();
    if (seconds) day.seconds = *seconds;
    return seconds.has_value();
  }

  std::string_view rest_;
};

Result<TimeZone> TimeZone::of_rule(std::string_view text) {
  TimeZone zone;
  zone.rule_ = RuleReader(text).read();
  if (!zone.rule_) return no_zone();
  return zone;
}

// The second block, of 64-bit times, is the one to read; the first is for old readers.
Result<TimeZone> TimeZone::parse(std::string_view data) {
  Bytes bytes(data);
  Header header = TRY(read_header(bytes));
  std::size_t width = 4;
  if (header.version >= '2') {
    bytes.take(header.body_bytes(4));
    header = TRY(read_header(bytes));
    width = 8;
  }
  std::vector<Transition> transitions(header.times);
  for (Transition& each : transitions) each.at = bytes.number(width);
  const std::string_view type_of = bytes.take(header.times);
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < header.types; ++i) {
    offsets.push_back(bytes.number(4));
    bytes.take(2);
    if (offsets.back() < -offset_max || offsets.back() > offset_max) return no_zone();
  }
  bytes.take(header.letters + header.leaps * (width + 4) + header.standard + header.universal);
  if (bytes.is_short()) return no_zone();
  TimeZone zone;
  zone.first_offset_ = offsets[0];
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    const auto type = static_cast<unsigned char>(type_of[i]);
    const bool is_in_order = i == 0 || transitions[i - 1].at < transitions[i].at;
    if (type >= offsets.size() || !is_in_order) return no_zone();
    transitions[i].offset = offsets[type];
  }
  zone.transitions_ = std::move(transitions);
  std::string_view footer = width == 8 ? bytes.rest() : std::string_view();
  if (footer.size() > 2 && footer.front() == '\n' && footer.back() == '\n') {
    zone.rule_ = RuleReader(footer.substr(1, footer.size() - 2)).read();
    if (!zone.rule_) return no_zone();
  }
  return zone;
}

TimeZone::Offset TimeZone::at(std::int64_t unix_seconds) const {
  const auto next =
      std::partition_point(transitions_.begin(), transitions_.end(),
                           [&](const Transition& each) { return each.at <= unix_seconds; });
  if (next == transitions_.end() && rule_) return by_rule(*rule_, unix_seconds);
  Offset offset{.seconds = next == transitions_.begin() ? first_offset_ : std::prev(next)->offset};
  if (next != transitions_.end()) offset.until = next->at;
  return offset;
}

std::int64_t TimeZone::midnight_of(const YearDay& day, std::int64_t year) {
  const std::int64_t new_year = days_of({year, 1, 1});
  if (day.kind == YearDay::Kind::day_number) return new_year + day.day;
  if (day.kind == YearDay::Kind::julian) {
    const bool is_after_leap_day = is_leap_year(year) && day.day >= 60;
    return new_year + day.day - 1 + (is_after_leap_day ? 1 : 0);
  }
  const std::int64_t first = days_of({year, day.month, 1});
  const CivilDate next_month =
      day.month == 12 ? CivilDate{year + 1, 1, 1} : CivilDate{year, day.month + 1, 1};
  std::int64_t found = first + (day.day - weekday_of(first) + 7) % 7 + (day.week - 1) * 7;
  while (found >= days_of(next_month)) found -= 7;
  return found;
}

TimeZone::Offset TimeZone::by_rule(const Rule& rule, std::int64_t unix_seconds) {
  if (!rule.has_summer) return {.seconds = rule.standard};
  const std::int64_t year =
      date_of(floor_divide(unix_seconds + rule.standard, seconds_per_day)).year;
  // What the clocks of the year before say holds until the first change of this one.
  std::vector<Transition> changes;
  for (std::int64_t each = year - 1; each <= year + 1; ++each) {
    const std::int64_t begin =
        midnight_of(rule.begin, each) * seconds_per_day + rule.begin.seconds - rule.standard;
    const std::int64_t end =
        midnight_of(rule.end, each) * seconds_per_day + rule.end.seconds - rule.summer;
    changes.push_back({begin, rule.summer});
    changes.push_back({end, rule.standard});
  }
  std::sort(changes.begin(), changes.end(),
            [](const Transition& a, const Transition& b) { return a.at < b.at; });
  Offset offset{.seconds = changes.front().offset};
  for (const Transition& each : changes) {
    if (each.at > unix_seconds) {
      offset.until = each.at;
      return offset;
    }
    offset.seconds = each.offset;
  }
  return offset;
}

}  // namespace muster
