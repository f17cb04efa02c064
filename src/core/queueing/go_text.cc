// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/ascii.h"
#include "objects/field_error.h"

namespace muster::core {

namespace {

Error refusal(std::string_view function, std::string_view text, std::string_view why) {
  return Error::invalid(
      fmt::format("strconv.{}: parsing {}: {}", function, objects::go_quoted(text), why));
}

}  // namespace

Result<std::int64_t> parse_go_integer(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return refusal("Atoi", text, "invalid syntax");
  }
  const std::string_view number = text.starts_with('+') ? digits : text;
  std::int64_t value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc()) return refusal("Atoi", text, "value out of range");
  return value;
}

Result<bool> parse_go_boolean(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return refusal("ParseBool", text, "invalid syntax");
}

}  // namespace muster::core
