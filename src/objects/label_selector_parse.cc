// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "objects/field_error.h"
#include "objects/label_selector.h"
#include "objects/limits.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

enum class TokenKind : std::uint8_t { end, word, open, close, comma, not_sign, operation };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_special(char c) {
  return std::string_view("=!(),><").find(c) != std::string_view::npos;
}

TokenKind kind_of(std::string_view special) {
  if (special == "(") return TokenKind::open;
  if (special == ")") return TokenKind::close;
  if (special == ",") return TokenKind::comma;
  return special == "!" ? TokenKind::not_sign : TokenKind::operation;
}

// One token of lookahead. `in` and `notin` are words; only where an operator must stand are they
// read as operators.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token take() {
    const Token taken = token_;
    advance();
    return taken;
  }

 private:
  void advance() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    if (rest_.empty()) {
      token_ = {TokenKind::end, ""};
    } else if (is_special(rest_.front())) {
      const std::string_view pair = rest_.substr(0, 2);
      length = pair == "==" || pair == "!=" ? 2 : 1;
      token_ = {kind_of(rest_.substr(0, length)), rest_.substr(0, length)};
    } else {
      while (length < rest_.size() && !is_blank(rest_[length]) && !is_special(rest_[length])) {
        ++length;
      }
      token_ = {TokenKind::word, rest_.substr(0, length)};
    }
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  Token token_;
};

Error found(std::string_view text, std::string_view expected) {
  return Error::bad_request(fmt::format("found '{}', expected: {}", text, expected));
}

std::optional<LabelOperator> operator_of(std::string_view text) {
  if (text == "in") return LabelOperator::in;
  if (text == "notin") return LabelOperator::not_in;
  if (text == "=") return LabelOperator::equal;
  if (text == "==") return LabelOperator::double_equal;
  if (text == "!=") return LabelOperator::not_equal;
  if (text == ">") return LabelOperator::greater;
  if (text == "<") return LabelOperator::less;
  return std::nullopt;
}

// What stands between the brackets of `in (…)`. An empty place is the empty value.
Result<std::vector<std::string>> parse_values(Reader& reader) {
  const Token open = reader.take();
  if (open.kind != TokenKind::open) {
    return Error::bad_request(fmt::format("found '{}' expected: '('", open.text));
  }
  std::vector<std::string> values;
  bool after_word = false;
  while (true) {
    const Token token = reader.take();
    if (values.size() > selector_values_max) return values;
    if (token.kind == TokenKind::word && !after_word) {
      values.emplace_back(token.text);
      after_word = true;
    } else if (token.kind == TokenKind::comma) {
      if (!after_word) values.emplace_back();
      after_word = false;
    } else if (token.kind == TokenKind::close) {
      if (!after_word) values.emplace_back();
      break;
    } else if (after_word) {
      return found(token.text, "',' or ')'");
    } else {
      return found(token.text, values.empty() ? "',', ')' or identifier" : "',', or identifier");
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Result<std::vector<std::string>> parse_exact_value(Reader& reader) {
  const TokenKind next = reader.peek().kind;
  if (next == TokenKind::end || next == TokenKind::comma) return std::vector<std::string>{""};
  const Token token = reader.take();
  if (token.kind != TokenKind::word) return found(token.text, "identifier");
  return std::vector<std::string>{std::string(token.text)};
}

Result<LabelRequirement> parse_requirement(Reader& reader) {
  LabelRequirement requirement;
  Token key = reader.take();
  const bool negated = key.kind == TokenKind::not_sign;
  if (negated) key = reader.take();
  if (key.kind != TokenKind::word) return found(key.text, "identifier");
  const auto violations = qualified_name_violations(key.text);
  if (!violations.empty()) {
    return Error::bad_request(fmt::format("<nil>: Invalid value: {}: {}", go_quoted(key.text),
                                          fmt::join(violations, "; ")));
  }
  requirement.key = key.text;
  const TokenKind next = reader.peek().kind;
  if (negated) {
    requirement.operation = LabelOperator::does_not_exist;
  } else if (next != TokenKind::end && next != TokenKind::comma) {
    const Token token = reader.take();
    const std::optional<LabelOperator> operation = operator_of(token.text);
    if (!operation.has_value()) return found(token.text, "in, notin, =, ==, !=, gt, lt");
    requirement.operation = *operation;
    const bool is_set = *operation == LabelOperator::in || *operation == LabelOperator::not_in;
    requirement.values = is_set ? TRY(parse_values(reader)) : TRY(parse_exact_value(reader));
  }
  std::string complaint = complete_requirement(requirement);
  if (!complaint.empty()) return Error::bad_request(std::move(complaint));
  return requirement;
}

Error too_large() {
  return Error::too_large(
      fmt::format("a selector has at most {} bytes, {} requirements and {} values",
                  selector_bytes_max, selector_requirements_max, selector_values_max));
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  if (text.size() > selector_bytes_max) return too_large();
  Reader reader(text);
  std::vector<LabelRequirement> requirements;
  std::size_t values = 0;
  while (reader.peek().kind != TokenKind::end) {
    const Token first = reader.peek();
    if (first.kind != TokenKind::word && first.kind != TokenKind::not_sign) {
      return found(first.text, requirements.empty() ? "!, identifier, or 'end of string'"
                                                    : "identifier after ','");
    }
    auto requirement = parse_requirement(reader);
    if (!requirement.has_value()) {
      Error error = std::move(requirement).error();
      error.message.insert(0, "unable to parse requirement: ");
      return error;
    }
    values += requirement->values.size();
    requirements.push_back(std::move(*requirement));
    if (requirements.size() > selector_requirements_max || values > selector_values_max) {
      return too_large();
    }
    const Token separator = reader.take();
    if (separator.kind == TokenKind::end) break;
    if (separator.kind != TokenKind::comma) {
      return found(separator.text, "',' or 'end of string'");
    }
    if (reader.peek().kind == TokenKind::end) return found("", "identifier after ','");
  }
  return LabelSelector(std::move(requirements));
}

}  // namespace muster::objects
