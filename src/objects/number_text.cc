// SPDX-License-Identifier: Apache-2.0
#include "objects/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace muster::objects {

namespace {

// Whether a number that a double cannot hold is too small rather than too large: where its first
// digit other than zero stands, moved by the exponent.
bool is_tiny(std::string_view text) {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t significant = digits.find_first_of("123456789");
  if (significant == std::string_view::npos) return true;
  std::int64_t exponent = 0;
  std::string_view written = text.substr(std::min(mark + 1, text.size()));
  if (written.starts_with('+')) written.remove_prefix(1);
  const auto read = std::from_chars(written.data(), written.data() + written.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return written.front() == '-';
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(significant);
  return exponent < -place;
}

char* write_point_zero(char* to) {
  return std::copy_n(".0", 2, to);
}

// Of 1.25e+18 it makes 1250000000000000000.0 in the same place. The exponent is at least 15.
char* write_padded(char* const from, char* const end) {
  char* const mark = std::find(from, end, 'e');
  std::ptrdiff_t exponent = 0;
  std::from_chars(mark + 2, end, exponent);
  char* const point = std::find(from, mark, '.');
  const std::ptrdiff_t fraction = point == mark ? 0 : mark - point - 1;
  char* const digits_end = std::copy_n(point + 1, fraction, point);
  return write_point_zero(std::fill_n(digits_end, exponent - fraction, '0'));
}

// Two digits of exponent, the first a zero: Go leaves it out behind a minus.
char* drop_zero_of_exponent(char* end) {
  if (end[-4] != 'e' || end[-3] != '-' || end[-2] != '0') return end;
  end[-2] = end[-1];
  return end - 1;
}

constexpr std::array<char, 200> two_digits = [] {
  std::array<char, 200> table{};
  for (std::size_t i = 0; i < 100; ++i) {
    table[2 * i] = static_cast<char>('0' + i / 10);
    table[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return table;
}();

}  // namespace

std::optional<double> read_decimal(std::string_view text) {
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  double magnitude = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  if (read.ec == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return std::nullopt;
    magnitude = 0;
  }
  return negative ? -magnitude : magnitude;
}

char* write_integer(char* to, std::int64_t value) {
  auto magnitude = static_cast<std::uint64_t>(value);
  if (value < 0) {
    *to++ = '-';
    magnitude = ~magnitude + 1;
  }
  std::array<char, 20> digits;
  std::size_t first = digits.size();
  while (magnitude >= 100) {
    first -= 2;
    std::memcpy(&digits[first], &two_digits[magnitude % 100 * 2], 2);
    magnitude /= 100;
  }
  if (magnitude >= 10) {
    first -= 2;
    std::memcpy(&digits[first], &two_digits[magnitude * 2], 2);
  } else {
    digits[--first] = static_cast<char>('0' + magnitude);
  }
  const std::size_t size = digits.size() - first;
  std::memcpy(to, &digits[first], size);
  return to + size;
}

char* write_json_real(char* to, double value) {
  // From here on a double has no fraction, and its exact digits are more than the shortest ones.
  constexpr double exact_end = 9007199254740992.0;
  const double magnitude = std::abs(value);
  char* const end = to + number_text_max;
  if (magnitude == 0 || (magnitude >= 1e-6 && magnitude < exact_end)) {
    char* const written = std::to_chars(to, end, value, std::chars_format::fixed).ptr;
    return std::find(to, written, '.') == written ? write_point_zero(written) : written;
  }
  char* const written = std::to_chars(to, end, value, std::chars_format::scientific).ptr;
  const bool padded = magnitude >= exact_end && magnitude < 1e21;
  return padded ? write_padded(to, written) : drop_zero_of_exponent(written);
}

}  // namespace muster::objects
