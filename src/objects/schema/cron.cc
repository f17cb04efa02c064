// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/cron.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <vector>

#include "base/ascii.h"
#include "base/duration.h"
#include "objects/field_error.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

using Refusal = std::optional<std::string>;

constexpr std::string_view months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  int low;
  int high;
  std::span<const std::string_view> names = {};  // from `low` on
};

constexpr Bounds fields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, months}, {0, 6, days}};

// The parts between separators; empty ones count unless they are dropped.
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

Refusal read_number(std::string_view text, int& number) {
  std::string_view digits = text;
  const bool signed_plus = digits.starts_with('+') && digits.size() > 1 && is_digit(digits[1]);
  if (signed_plus) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  const bool is_read = error == std::errc() && rest == end && !digits.empty();
  if (!is_read) {
    const std::string_view why =
        error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", text,
                       go_quoted(text), why);
  }
  if (number < 0) return fmt::format("negative number ({}) not allowed: {}", number, text);
  return std::nullopt;
}

Refusal read_number_or_name(std::string_view text, const Bounds& bounds, int& number) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (std::size_t i = 0; i < bounds.names.size(); ++i) {
    if (bounds.names[i] != lower) continue;
    number = bounds.low + static_cast<int>(i);
    return std::nullopt;
  }
  return read_number(text, number);
}

// `*`, `5`, `1-10`, `*/5`, `10-20/2`.
Refusal range_refusal(std::string_view text, const Bounds& bounds) {
  const auto range_and_step = split(text, '/');
  const auto ends = split(range_and_step[0], '-');
  int start = bounds.low;
  int end = bounds.high;
  int step = 1;
  const bool is_star = ends[0] == "*" || ends[0] == "?";
  if (!is_star) {
    if (auto refusal = read_number_or_name(ends[0], bounds, start)) return refusal;
    end = start;
    if (ends.size() == 2) {
      if (auto refusal = read_number_or_name(ends[1], bounds, end)) return refusal;
    } else if (ends.size() > 2) {
      return fmt::format("too many hyphens: {}", text);
    }
  }
  if (range_and_step.size() == 2) {
    if (auto refusal = read_number(range_and_step[1], step)) return refusal;
    if (!is_star && ends.size() == 1) end = bounds.high;
  } else if (range_and_step.size() > 2) {
    return fmt::format("too many slashes: {}", text);
  }
  if (start < bounds.low) {
    return fmt::format("beginning of range ({}) below minimum ({}): {}", start, bounds.low, text);
  }
  if (end > bounds.high) {
    return fmt::format("end of range ({}) above maximum ({}): {}", end, bounds.high, text);
  }
  if (start > end) {
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", start, end, text);
  }
  if (step == 0) return fmt::format("step of range should be a positive number: {}", text);
  return std::nullopt;
}

Refusal descriptor_refusal(std::string_view text) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (text == known) return std::nullopt;
  }
  constexpr std::string_view every = "@every ";
  if (!text.starts_with(every)) return fmt::format("unrecognized descriptor: {}", text);
  const std::string_view duration = text.substr(every.size());
  const auto span = parse_duration(duration);
  if (span) return std::nullopt;
  return fmt::format("failed to parse duration {}: {}", text, span.error().message);
}

}  // namespace

std::optional<std::string> cron_refusal(std::string_view schedule) {
  if (schedule.starts_with('@')) return descriptor_refusal(schedule);
  const auto words = words_of(schedule);
  constexpr std::size_t field_count = std::size(fields);
  if (words.size() != field_count) {
    return fmt::format("expected exactly {} fields, found {}: [{}]", field_count, words.size(),
                       fmt::join(words, " "));
  }
  for (std::size_t i = 0; i < field_count; ++i) {
    for (const std::string_view part : split(words[i], ',')) {
      if (part.empty()) continue;
      if (auto refusal = range_refusal(part, fields[i])) return refusal;
    }
  }
  return std::nullopt;
}

}  // namespace muster::objects
