// The classes of ASCII characters, whatever the locale: names, numbers and little languages of the
// API are defined on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace muster {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

constexpr bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

constexpr bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}

constexpr bool is_alnum(char c) {
  return is_letter(c) || is_digit(c);
}

// The value of a hexadecimal digit, of either case.
constexpr std::optional<unsigned> hexadecimal_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace muster
