// The tokens of CEL. The lexer works on demand, one token ahead of the parser; it never fails
// but yields a token of kind `invalid` that says why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::objects::cel {

enum class TokenKind : std::uint8_t {
  end,
  invalid,     // value: the complaint
  identifier,  // value: the name
  integer,     // text: the digits
  real,
  text,         // value: the contents, unescaped
  punctuation,  // text: the operator or bracket; `in`, too
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t offset = 0;
  std::string_view text;  // as written
  std::string value;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Token next();

 private:
  void skip_blanks();
  Token token(TokenKind kind, std::size_t length);
  Token complain(std::size_t length, std::string complaint);
  Token number();
  Token quoted(std::size_t prefix, bool raw);
  bool unescape(std::size_t& at, std::string& out) const;
  Token back_quoted();
  char at(std::size_t offset) const { return offset < source_.size() ? source_[offset] : '\0'; }

  std::string_view source_;
  std::size_t offset_ = 0;
};

// "ERROR: <input>:1:5: complaint", the line it is on and a mark below the place, as cel-go
// prints it.
std::string located(std::string_view source, std::size_t offset, std::string_view complaint);

}  // namespace muster::objects::cel
