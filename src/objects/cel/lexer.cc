// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/utf8.h"

namespace muster::objects::cel {

namespace {

constexpr std::array<std::string_view, 24> punctuation = {
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/",
    "%",  "!",  "?",  ":",  "(",  ")",  "[", "]", "{", "}", ",", "."};

bool is_name_start(char c) {
  return is_letter(c) || c == '_';
}

// The character that a single letter after the backslash stands for, or 0.
char simple_escape(char c) {
  constexpr std::string_view letters = "abfnrtv\\?\"'`";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\?\"'`";
  const std::size_t found = letters.find(c);
  return found == std::string_view::npos ? '\0' : meanings[found];
}

}  // namespace

Token Lexer::next() {
  skip_blanks();
  if (offset_ == source_.size()) return token(TokenKind::end, 0);
  const char c = source_[offset_];
  if (is_digit(c) || (c == '.' && is_digit(at(offset_ + 1)))) return number();
  if (c == '"' || c == '\'') return quoted(0, false);
  if (c == '`') return back_quoted();
  if ((c == 'r' || c == 'R') && (at(offset_ + 1) == '"' || at(offset_ + 1) == '\'')) {
    return quoted(1, true);
  }
  if ((c == 'b' || c == 'B') && (at(offset_ + 1) == '"' || at(offset_ + 1) == '\'')) {
    return complain(1, "bytes literals are not supported");
  }
  if (is_name_start(c)) {
    std::size_t end = offset_;
    while (is_name_start(at(end)) || is_digit(at(end))) ++end;
    const std::string_view name = source_.substr(offset_, end - offset_);
    if (name == "in") return token(TokenKind::punctuation, name.size());
    Token result = token(TokenKind::identifier, name.size());
    result.value = name;
    return result;
  }
  for (const std::string_view candidate : punctuation) {
    if (source_.substr(offset_).starts_with(candidate)) {
      return token(TokenKind::punctuation, candidate.size());
    }
  }
  return complain(1, fmt::format("Syntax error: token recognition error at: '{}'", c));
}

void Lexer::skip_blanks() {
  while (offset_ < source_.size()) {
    const char c = source_[offset_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++offset_;
    } else if (c == '/' && at(offset_ + 1) == '/') {
      offset_ = std::min(source_.find('\n', offset_), source_.size());
    } else {
      return;
    }
  }
}

Token Lexer::token(TokenKind kind, std::size_t length) {
  Token result;
  result.kind = kind;
  result.offset = static_cast<std::uint32_t>(offset_);
  result.text = source_.substr(offset_, length);
  offset_ += length;
  return result;
}

Token Lexer::complain(std::size_t length, std::string complaint) {
  Token result = token(TokenKind::invalid, length);
  result.value = std::move(complaint);
  return result;
}

Token Lexer::number() {
  std::size_t end = offset_;
  TokenKind kind = TokenKind::integer;
  if (at(end) == '0' && (at(end + 1) == 'x' || at(end + 1) == 'X')) {
    end += 2;
    while (hexadecimal_digit(at(end))) ++end;
  } else {
    while (is_digit(at(end))) ++end;
    if (at(end) == '.' && is_digit(at(end + 1))) {
      kind = TokenKind::real;
      ++end;
      while (is_digit(at(end))) ++end;
    }
    const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
    if ((at(end) == 'e' || at(end) == 'E') && is_digit(at(end + 1 + sign))) {
      kind = TokenKind::real;
      end += 1 + sign;
      while (is_digit(at(end))) ++end;
    }
  }
  if (at(end) == 'u' || at(end) == 'U') {
    return complain(end - offset_, "unsigned literals are not supported");
  }
  return token(kind, end - offset_);
}

Token Lexer::quoted(std::size_t prefix, bool raw) {
  const std::size_t open = offset_ + prefix;
  const char quote = source_[open];
  const bool triple = at(open + 1) == quote && at(open + 2) == quote;
  const std::string closing(triple ? 3 : 1, quote);
  std::string contents;
  std::size_t at_byte = open + closing.size();
  while (at_byte < source_.size()) {
    if (source_.substr(at_byte).starts_with(closing)) {
      Token result = token(TokenKind::text, at_byte + closing.size() - offset_);
      result.value = std::move(contents);
      return result;
    }
    const char c = source_[at_byte];
    if (!triple && (c == '\n' || c == '\r')) break;
    if (c == '\\' && !raw) {
      if (!unescape(at_byte, contents)) break;
    } else {
      contents.push_back(c);
      ++at_byte;
    }
  }
  const std::size_t length = std::min(at_byte + 1, source_.size()) - offset_;
  return complain(length, fmt::format("Syntax error: token recognition error at: '{}'",
                                      source_.substr(offset_, length)));
}

// Moves past the escape that begins at the backslash; false when there is no such escape.
bool Lexer::unescape(std::size_t& position, std::string& out) const {
  const char kind = at(position + 1);
  if (const char meaning = simple_escape(kind); meaning != '\0') {
    out.push_back(meaning);
    position += 2;
    return true;
  }
  std::size_t first = position + 2;
  std::size_t count = 0;
  std::uint32_t base = 16;
  if (kind == 'x' || kind == 'X') {
    count = 2;
  } else if (kind == 'u') {
    count = 4;
  } else if (kind == 'U') {
    count = 8;
  } else if (kind >= '0' && kind <= '3') {
    first = position + 1;
    count = 3;
    base = 8;
  }
  if (count == 0) return false;
  std::uint32_t code = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto digit = hexadecimal_digit(at(i));
    if (!digit || *digit >= base) return false;
    code = code * base + *digit;
  }
  if (!is_code_point(code)) return false;
  position = first + count;
  append_utf8(code, out);
  return true;
}

// A field whose name is no identifier: self.`a-b`.
Token Lexer::back_quoted() {
  const std::size_t close = source_.find_first_of("`\n", offset_ + 1);
  if (close == std::string_view::npos || source_[close] != '`' || close == offset_ + 1) {
    return complain(1, "Syntax error: token recognition error at: '`'");
  }
  Token result = token(TokenKind::identifier, close + 1 - offset_);
  result.value = result.text.substr(1, result.text.size() - 2);
  return result;
}

std::string located(std::string_view source, std::size_t offset, std::string_view complaint) {
  if (source.empty()) return fmt::format("ERROR: <input>:1:0: {}", complaint);
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < offset && i < source.size(); ++i) {
    if (source[i] == '\n') {
      ++line;
      begin = i + 1;
    }
  }
  // Columns count characters, not bytes.
  std::size_t column = 0;
  std::string dots;
  for (std::size_t i = begin; i < offset && i < source.size(); ++i) {
    const auto byte = static_cast<unsigned char>(source[i]);
    if ((byte & 0xC0) == 0x80) continue;
    ++column;
    dots += byte < 0x80 ? "." : "\uff0e";  // a wide dot below what may be wide
  }
  const std::string_view text = source.substr(begin, source.find('\n', begin) - begin);
  return fmt::format("ERROR: <input>:{}:{}: {}\n | {}\n | {}^", line, column + 1, complaint, text,
                     dots);
}

}  // namespace muster::objects::cel
