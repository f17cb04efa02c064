// SPDX-License-Identifier: Apache-2.0
#include "objects/yaml_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "objects/yaml_scalar.h"

namespace muster::objects {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Beyond ASCII everything counts as a letter, which is nearly so.
bool is_any_letter(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

// The styles that are open to a text; each thing found in it closes some.
struct Open {
  bool plain = true;
  bool single_quoted = true;
  bool literal = true;
};

// Indicators: characters that mean something where they stand.
bool holds_indicator(std::string_view text) {
  constexpr std::string_view first_only = "#,[]{}&*!|>'\"%@`";
  if (text.starts_with("---") || text.starts_with("...")) return true;
  if (first_only.find(text.front()) != std::string_view::npos) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool before_blank = i + 1 == text.size() || is_blank(text[i + 1]);
    const bool behind_blank = i > 0 && (is_blank(text[i - 1]) || text[i - 1] == '\n');
    if (text[i] == ':' && before_blank) return true;
    if (text[i] == '#' && behind_blank) return true;
    if (i == 0 && (text[i] == '?' || text[i] == '-') && before_blank) return true;
  }
  return false;
}

bool holds_unprintable(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.number != '\n' && !is_yaml_printable(point.number)) return true;
    text.remove_prefix(point.bytes);
  }
  return false;
}

Open styles_open_to(std::string_view text) {
  Open open;
  const auto is_edge = [&](char c) { return text.front() == c || text.back() == c; };
  const bool breaks = text.find('\n') != std::string_view::npos;
  open.plain = !breaks && !is_edge(' ') && !holds_indicator(text);
  open.literal = text.back() != ' ';
  if (text.find("\n ") != std::string_view::npos) open.single_quoted = false;
  if (text.find(" \n") != std::string_view::npos || holds_unprintable(text))
    open = {false, false, false};
  return open;
}

// What a reader would take for something else than a string.
bool means_something(std::string_view text) {
  return resolve_plain(text).kind != PlainScalar::Kind::string || is_timestamp(text) ||
         is_sexagesimal(text);
}

}  // namespace

YamlStyle yaml_style_of(std::string_view text) {
  if (text.empty()) return YamlStyle::double_quoted;
  const Open open = styles_open_to(text);
  if (text.find('\n') != std::string_view::npos) {
    return open.literal ? YamlStyle::literal : YamlStyle::double_quoted;
  }
  if (means_something(text)) return YamlStyle::double_quoted;
  if (open.plain) return YamlStyle::plain;
  return open.single_quoted ? YamlStyle::single_quoted : YamlStyle::double_quoted;
}

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0xC2   ? 1
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                            : lead < 0xF5 ? 4
                                          : 1;
  if (bytes == 1 || text.size() < bytes) return {lead, 1};
  std::uint32_t number = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    number = number << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {number, bytes};
}

bool is_yaml_printable(std::uint32_t code_point) {
  constexpr std::uint32_t line_separator = 0x2028;
  constexpr std::uint32_t paragraph_separator = 0x2029;
  constexpr std::uint32_t byte_order_mark = 0xFEFF;
  if (code_point < 0x7F) return code_point >= 0x20;
  if (code_point == line_separator || code_point == paragraph_separator) return false;
  return (code_point >= 0xA0 && code_point < 0xD800) ||
         (code_point >= 0xE000 && code_point <= 0xFFFD && code_point != byte_order_mark);
}

bool yaml_key_less(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() || in_b == b.end()) return a.size() < b.size();
  if (is_any_letter(*in_a) || is_any_letter(*in_b)) {
    if (is_any_letter(*in_a) != is_any_letter(*in_b)) return is_any_letter(*in_b);
    return static_cast<unsigned char>(*in_a) < static_cast<unsigned char>(*in_b);
  }
  // Zeros count as digits only behind another digit: a01 is one, as a1 is.
  const auto at = static_cast<std::size_t>(in_a - a.begin());
  bool significant = false;
  for (std::size_t i = at; i-- > 0 && is_digit(a[i]);) significant = significant || a[i] != '0';
  const auto number_at = [&](std::string_view text) {
    std::string_view digits = text.substr(at);
    digits = digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size()));
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    return significant ? digits : digits.substr(zeros);
  };
  const std::string_view number_a = number_at(a);
  const std::string_view number_b = number_at(b);
  if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
  if (number_a != number_b) return number_a < number_b;
  const auto run = [&](std::string_view text) {
    return std::min(text.find_first_not_of("0123456789", at), text.size());
  };
  if (run(a) != run(b)) return run(a) < run(b);
  return *in_a < *in_b;
}

}  // namespace muster::objects
