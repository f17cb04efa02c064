// SPDX-License-Identifier: Apache-2.0
#include "objects/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "objects/go_number.h"
#include "objects/number_text.h"

namespace muster::objects {

namespace {

using Kind = PlainScalar::Kind;

struct Word {
  std::string_view text;
  Kind kind;
  bool boolean = false;
  double real = 0;
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr std::array words = std::to_array<Word>({
    {"y", Kind::boolean, true},
    {"Y", Kind::boolean, true},
    {"yes", Kind::boolean, true},
    {"Yes", Kind::boolean, true},
    {"YES", Kind::boolean, true},
    {"true", Kind::boolean, true},
    {"True", Kind::boolean, true},
    {"TRUE", Kind::boolean, true},
    {"on", Kind::boolean, true},
    {"On", Kind::boolean, true},
    {"ON", Kind::boolean, true},
    {"n", Kind::boolean, false},
    {"N", Kind::boolean, false},
    {"no", Kind::boolean, false},
    {"No", Kind::boolean, false},
    {"NO", Kind::boolean, false},
    {"false", Kind::boolean, false},
    {"False", Kind::boolean, false},
    {"FALSE", Kind::boolean, false},
    {"off", Kind::boolean, false},
    {"Off", Kind::boolean, false},
    {"OFF", Kind::boolean, false},
    {"~", Kind::null},
    {"null", Kind::null},
    {"Null", Kind::null},
    {"NULL", Kind::null},
    {".nan", Kind::not_finite, false, not_a_number},
    {".NaN", Kind::not_finite, false, not_a_number},
    {".NAN", Kind::not_finite, false, not_a_number},
    {".inf", Kind::not_finite, false, infinity},
    {".Inf", Kind::not_finite, false, infinity},
    {".INF", Kind::not_finite, false, infinity},
    {"+.inf", Kind::not_finite, false, infinity},
    {"+.Inf", Kind::not_finite, false, infinity},
    {"+.INF", Kind::not_finite, false, infinity},
    {"-.inf", Kind::not_finite, false, -infinity},
    {"-.Inf", Kind::not_finite, false, -infinity},
    {"-.INF", Kind::not_finite, false, -infinity},
});

constexpr std::size_t word_size_max = 5;

// Takes digits from the front; how many there were.
std::size_t skip_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool skip_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return false;
  text.remove_prefix(1);
  return true;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool has_float_form(std::string_view text) {
  skip_sign(text);
  const std::size_t whole = skip_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    if (skip_digits(text) == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  skip_sign(text);
  return skip_digits(text) > 0 && text.empty();
}

struct Magnitude {
  int base;
  std::string_view digits;
};

// 0b1 0o7 0x1F and, with a leading zero alone, octal.
Magnitude split_base(std::string_view text) {
  if (text.empty() || text.front() != '0') return {10, text};
  const char letter = text.size() >= 3 ? text[1] : '\0';
  if (letter == 'b' || letter == 'B') return {2, text.substr(2)};
  if (letter == 'o' || letter == 'O') return {8, text.substr(2)};
  if (letter == 'x' || letter == 'X') return {16, text.substr(2)};
  return {8, text};
}

std::optional<PlainScalar> read_integer(bool negative, bool is_signed, Magnitude magnitude) {
  const char* end = magnitude.digits.data() + magnitude.digits.size();
  std::uint64_t value = 0;
  const auto read = std::from_chars(magnitude.digits.data(), end, value, magnitude.base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  constexpr auto integer_max = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  PlainScalar out;
  if (value <= integer_max + (negative ? 1 : 0)) {
    out.kind = Kind::integer;
    // Negation in the unsigned world: the smallest int64 has no positive twin.
    out.integer = static_cast<std::int64_t>(negative ? ~value + 1 : value);
    return out;
  }
  if (is_signed) return std::nullopt;
  out.kind = Kind::big_integer;
  out.real = static_cast<double>(value);
  return out;
}

PlainScalar resolve_number(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  std::string_view digits = plain;
  const bool is_signed = skip_sign(digits);
  const bool negative = is_signed && plain.front() == '-';
  if (const auto out = read_integer(negative, is_signed, split_base(digits))) return *out;
  PlainScalar out;
  if (has_float_form(plain)) {
    if (const auto value = read_decimal(plain)) {
      out.kind = Kind::real;
      out.real = *value;
    }
    return out;
  }
  // A sign behind the prefix is read, too.
  if (!plain.starts_with("0b")) return out;
  digits = std::string_view(plain).substr(2);
  if (!skip_sign(digits)) return out;
  return read_integer(plain[2] == '-', true, {2, digits}).value_or(out);
}

// One or two digits with a value in [low, high].
std::optional<int> take_number(std::string_view& text, int low, int high) {
  const std::size_t size = text.size() >= 2 && is_digit(text[1]) ? 2 : 1;
  int value = 0;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::from_chars(text.data(), text.data() + size, value);
  text.remove_prefix(size);
  if (value < low || value > high) return std::nullopt;
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  int year = 0;
  const char* begin = text.data();
  if (skip_digits(text) != 4 || !take(text, '-')) return false;
  std::from_chars(begin, begin + 4, year);
  const std::optional<int> month = take_number(text, 1, 12);
  if (!month || !take(text, '-')) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const bool short_month = *month == 4 || *month == 6 || *month == 9 || *month == 11;
  const int days = *month == 2 ? (leap ? 29 : 28) : (short_month ? 30 : 31);
  return take_number(text, 1, days).has_value();
}

bool take_time(std::string_view& text) {
  if (!take_number(text, 0, 23) || !take(text, ':')) return false;
  if (!take_number(text, 0, 59) || !take(text, ':')) return false;
  if (!take_number(text, 0, 59)) return false;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    skip_digits(text);
  }
  return true;
}

bool take_zone(std::string_view& text) {
  if (take(text, 'Z')) return true;
  if (!skip_sign(text) || text.size() != 5 || text[2] != ':') return false;
  const bool digits =
      is_digit(text[0]) && is_digit(text[1]) && is_digit(text[3]) && is_digit(text[4]);
  const bool in_range = text.substr(0, 2) <= "24" && text[3] < '6';
  text.remove_prefix(5);
  return digits && in_range;
}

}  // namespace

bool is_timestamp(std::string_view text) {
  if (!take_date(text)) return false;
  if (text.empty()) return true;
  if (take(text, ' ')) return take_time(text) && text.empty();
  if (!take(text, 'T') && !take(text, 't')) return false;
  return take_time(text) && take_zone(text) && text.empty();
}

bool is_sexagesimal(std::string_view text) {
  skip_sign(text);
  if (skip_digits(text) == 0) return false;
  while (!text.empty() && (text.front() == '_' || is_digit(text.front()))) text.remove_prefix(1);
  std::size_t parts = 0;
  for (; take(text, ':'); ++parts) {
    if (!take_number(text, 0, 59)) return false;
  }
  if (take(text, '.')) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  }
  return parts > 0 && text.empty();
}

PlainScalar resolve_plain(std::string_view text) {
  PlainScalar out;
  if (text.empty()) {
    out.kind = Kind::null;
    return out;
  }
  if (text.size() <= word_size_max) {
    for (const Word& word : words) {
      if (word.text != text) continue;
      out.kind = word.kind;
      out.boolean = word.boolean;
      out.real = word.real;
      return out;
    }
  }
  const char first = text.front();
  if (is_digit(first) || first == '+' || first == '-') return resolve_number(text);
  if (first != '.' || !has_float_form(text)) return out;
  if (const auto value = read_decimal(text)) {
    out.kind = Kind::real;
    out.real = *value;
  }
  return out;
}

std::string key_of_real(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text;
  append_go_real(static_cast<float>(value), text);
  return text;
}

}  // namespace muster::objects
