// SPDX-License-Identifier: Apache-2.0
#include "objects/json_path_quote.h"

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace muster::objects::json_path {

namespace {

struct Numeric {
  std::size_t digits = 0;
  int base = 16;
  std::size_t skip = 1;  // the letter after the backslash
};

Numeric numeric_escape(char kind) {
  if (kind == 'x') return {.digits = 2};
  if (kind == 'u') return {.digits = 4};
  if (kind == 'U') return {.digits = 8};
  if (kind >= '0' && kind <= '7') return {.digits = 3, .base = 8, .skip = 0};
  return {};
}

// Reads the escape behind a backslash and returns its length, 0 when it is none.
std::size_t unescape(std::string_view rest, char quote, std::string& out) {
  if (rest.empty()) return 0;
  constexpr std::string_view letters = "abfnrtv\\";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\";
  const char kind = rest.front();
  if (const std::size_t found = letters.find(kind); found != std::string_view::npos) {
    out.push_back(meanings[found]);
    return 1;
  }
  if (kind == quote) {
    out.push_back(kind);
    return 1;
  }
  const Numeric numeric = numeric_escape(kind);
  if (numeric.digits == 0 || rest.size() < numeric.skip + numeric.digits) return 0;
  const char* const begin = rest.data() + numeric.skip;
  std::uint32_t code = 0;
  const auto parsed = std::from_chars(begin, begin + numeric.digits, code, numeric.base);
  if (parsed.ec != std::errc() || parsed.ptr != begin + numeric.digits) return 0;
  const bool is_byte = kind == 'x' || numeric.base == 8;
  if (is_byte && code > 0xFF) return 0;
  if (!is_code_point(code)) return 0;
  if (is_byte) {
    out.push_back(static_cast<char>(code));
  } else {
    append_utf8(code, out);
  }
  return numeric.skip + numeric.digits;
}

}  // namespace

std::optional<std::string> unquoted(std::string_view written) {
  if (written.size() < 2 || written.front() != written.back()) return std::nullopt;
  const char quote = written.front();
  const std::string_view inside = written.substr(1, written.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == quote) return std::nullopt;
    if (inside[i] != '\\') {
      out.push_back(inside[i]);
      continue;
    }
    const std::size_t length = unescape(inside.substr(i + 1), quote, out);
    if (length == 0) return std::nullopt;
    i += length;
  }
  return out;
}

}  // namespace muster::objects::json_path
