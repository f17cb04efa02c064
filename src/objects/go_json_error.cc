// SPDX-License-Identifier: Apache-2.0
#include "objects/go_json_error.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/utf8.h"
#include "objects/field_error.h"

namespace muster::objects {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Go takes the byte for a code point.
std::string quoted_byte(char byte) {
  if (byte == '\'') return R"('\'')";
  if (byte == '"') return R"('"')";
  std::string text;
  append_utf8(static_cast<unsigned char>(byte), text);
  const std::string quoted = go_quoted(text);
  return fmt::format("'{}'", std::string_view(quoted).substr(1, quoted.size() - 2));
}

// Walks over the text as Go's scanner does, until a byte that cannot be there. Every step returns
// whether it went well; if not, there is a sentence.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::string> complaint() {
    while (step()) {
      if (after_ == Next::nothing && is_done()) return std::nullopt;
    }
    return sentence_;
  }

 private:
  enum class Next : std::uint8_t { value, element_or_end, key_or_end, key, colon, more, nothing };

  bool is_done() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ == text_.size();
  }

  bool fail(std::string_view where) {
    sentence_ = fmt::format("invalid character {} {}", quoted_byte(text_[at_]), where);
    return false;
  }

  bool fail_at_end() {
    sentence_ = "unexpected end of JSON input";
    return false;
  }

  bool step() {
    if (is_done()) return fail_at_end();
    const char c = text_[at_];
    switch (after_) {
      case Next::element_or_end:
        if (c == ']') return close();
        return value();
      case Next::value:
        return value();
      case Next::key_or_end:
        if (c == '}') return close();
        [[fallthrough]];
      case Next::key:
        if (c != '"') return fail("looking for beginning of object key string");
        after_ = Next::colon;
        return string();
      case Next::colon:
        if (c != ':') return fail("after object key");
        ++at_;
        after_ = Next::value;
        return true;
      case Next::more:
        return more();
      case Next::nothing:
        break;
    }
    return fail("after top-level value");
  }

  bool more() {
    const bool in_object = open_.back() == '{';
    if (text_[at_] == (in_object ? '}' : ']')) return close();
    if (text_[at_] != ',') {
      return fail(in_object ? "after object key:value pair" : "after array element");
    }
    ++at_;
    after_ = in_object ? Next::key : Next::value;
    return true;
  }

  void end_value() { after_ = open_.empty() ? Next::nothing : Next::more; }

  bool open(char bracket) {
    open_.push_back(bracket);
    ++at_;
    after_ = bracket == '{' ? Next::key_or_end : Next::element_or_end;
    return true;
  }

  bool close() {
    open_.pop_back();
    ++at_;
    end_value();
    return true;
  }

  bool value() {
    const char c = text_[at_];
    if (c == '{' || c == '[') return open(c);
    if (c == 't') return literal("true");
    if (c == 'f') return literal("false");
    if (c == 'n') return literal("null");
    if (c == '-' || is_digit(c)) return number();
    if (c != '"') return fail("looking for beginning of value");
    end_value();
    return string();
  }

  bool literal(std::string_view word) {
    for (const char expected : word) {
      if (at_ == text_.size()) return fail_at_end();
      if (text_[at_] != expected) {
        return fail(fmt::format("in literal {} (expecting '{}')", word, expected));
      }
      ++at_;
    }
    end_value();
    return true;
  }

  bool digits(std::string_view where) {
    if (at_ == text_.size()) return fail_at_end();
    if (!is_digit(text_[at_])) return fail(where);
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return true;
  }

  bool is_at(std::string_view one_of) const {
    return at_ < text_.size() && one_of.find(text_[at_]) != std::string_view::npos;
  }

  bool number() {
    if (text_[at_] == '-') ++at_;
    if (is_at("0")) {
      ++at_;
    } else if (!digits("in numeric literal")) {
      return false;
    }
    if (is_at(".")) {
      ++at_;
      if (!digits("after decimal point in numeric literal")) return false;
    }
    if (is_at("eE")) {
      ++at_;
      if (is_at("+-")) ++at_;
      if (!digits("in exponent of numeric literal")) return false;
    }
    end_value();
    return true;
  }

  bool escape() {
    if (++at_ == text_.size()) return fail_at_end();
    if (!is_at("bfnrt\\/\"u")) return fail("in string escape code");
    const bool is_code = text_[at_++] == 'u';
    for (int i = 0; is_code && i < 4; ++i, ++at_) {
      if (at_ == text_.size()) return fail_at_end();
      if (!is_hex(text_[at_])) return fail("in \\u hexadecimal character escape");
    }
    return true;
  }

  bool string() {
    ++at_;
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] == '\\') {
        if (!escape()) return false;
        continue;
      }
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return fail("in string literal");
      ++at_;
    }
    return fail_at_end();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Next after_ = Next::value;
  std::vector<char> open_;
  std::string sentence_;
};

}  // namespace

std::optional<std::string> go_json_error(std::string_view text) {
  return Scanner(text).complaint();
}

}  // namespace muster::objects
