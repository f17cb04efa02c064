// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "objects/builder.h"
#include "objects/json_path_quote.h"
#include "objects/json_path_syntax.h"
#include "objects/limits.h"

namespace muster::objects::json_path {

namespace {

bool is_word(char c) {
  // Every byte of a code point beyond ASCII counts as a letter.
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool ends_name(char c) {
  return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

Error complaint(std::string sentence) {
  return Error::bad_request(std::move(sentence));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

// Reads the inside of one action. It works on one text from `at` on, and stops behind the brace
// that closes it, or at the end of the text when it has no braces.
class ActionParser {
 public:
  ActionParser(std::string_view text, std::size_t at, bool braced, std::size_t depth, Template& out)
      : text_(text), at_(at), braced_(braced), depth_(depth), out_(out) {}

  Result<Steps> run() {
    if (depth_ > json_path_depth_max) {
      return Error::too_large(
          fmt::format("a path is nested at most {} levels deep", json_path_depth_max));
    }
    while (true) {
      const bool done = TRY(next());
      if (done) return std::move(steps_);
    }
  }

  std::size_t position() const { return at_; }

 private:
  Result<bool> next();
  Result<> field();
  Result<> descend();
  Result<> array();
  Result<> slice(std::string_view inside);
  Result<> choice(std::string_view inside);
  Result<> filter();
  Result<> quote(char end);
  Result<> number();
  Result<> identifier();
  Result<Steps> nested(std::string_view text) {
    return ActionParser(text, 0, false, depth_ + 1, out_).run();
  }
  Step& add(Step::Kind kind) {
    steps_.push_back(Step{.kind = kind});
    return steps_.back();
  }
  void add_literal(Node node) { add(Step::Kind::literal).literal = node; }
  std::string_view keep(std::string text) { return out_.texts.emplace_back(std::move(text)); }
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::size_t at_;
  bool braced_;
  std::size_t depth_;
  Template& out_;
  Steps steps_;
};

// One step; true at the end of the action.
Result<bool> ActionParser::next() {
  if (at_ == text_.size() && !braced_) return true;
  if (at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r') {
    return complaint("unclosed action");
  }
  const char c = text_[at_];
  if (c == '}' && braced_) {
    ++at_;
    return true;
  }
  if (c == ' ' || c == '@' || c == '$') {
    ++at_;
  } else if (rest().starts_with("[?(")) {
    TRY(filter());
  } else if (rest().starts_with("..")) {
    TRY(descend());
  } else if (c == '[') {
    TRY(array());
  } else if (c == '"' || c == '\'') {
    TRY(quote(c));
  } else if (c == '.') {
    ++at_;
    TRY(field());
  } else if (c == '+' || c == '-' || is_digit(c)) {
    TRY(number());
  } else if (is_word(c)) {
    TRY(identifier());
  } else {
    return complaint(
        fmt::format("unrecognized character in action: U+{:04X} '{}'", static_cast<int>(c), c));
  }
  return false;
}

Result<> ActionParser::field() {
  std::string name;
  bool escaped = false;
  for (; at_ < text_.size() && (escaped || !ends_name(text_[at_])); ++at_) {
    escaped = !escaped && text_[at_] == '\\';
    if (text_[at_] != '\\') name.push_back(text_[at_]);
  }
  if (name == "*") {
    add(Step::Kind::wildcard);
  } else {
    const std::string_view kept = keep(std::move(name));
    add(Step::Kind::field).name = kept;
  }
  return {};
}

Result<> ActionParser::descend() {
  if (!steps_.empty() && steps_.back().kind == Step::Kind::descend) {
    return complaint("invalid multiple recursive descent");
  }
  at_ += 2;
  add(Step::Kind::descend);
  return at_ < text_.size() && is_word(text_[at_]) ? field() : Result<>{};
}

Result<> ActionParser::array() {
  const std::size_t end = text_.find_first_of("]\n", at_);
  if (end == std::string_view::npos || text_[end] == '\n') return complaint("unterminated array");
  const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  if (inside == "*") return slice(":");
  if (inside.find(',') != std::string_view::npos) return choice(inside);
  const bool is_key = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'' &&
                      inside.find('\'', 1) == inside.size() - 1;
  if (!is_key) return slice(inside);
  // As in client-go the key is read as a path: dots in it need a backslash here too.
  Steps steps = TRY(nested(keep(fmt::format(".{}", inside.substr(1, inside.size() - 2)))));
  std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
  return {};
}

Result<> ActionParser::choice(std::string_view inside) {
  std::vector<Steps> branches;
  while (true) {
    const std::size_t comma = inside.find(',');
    std::string_view branch = inside.substr(0, comma);
    while (branch.starts_with(' ')) branch.remove_prefix(1);
    while (branch.ends_with(' ')) branch.remove_suffix(1);
    branches.push_back(TRY(nested(keep(fmt::format("[{}]", branch)))));
    if (comma == std::string_view::npos) break;
    inside.remove_prefix(comma + 1);
  }
  add(Step::Kind::choice).branches = std::move(branches);
  return {};
}

Result<> ActionParser::slice(std::string_view inside) {
  std::array<std::optional<std::string_view>, 3> parts;
  std::string_view left = inside;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t colon = left.find(':');
    parts[i] = left.substr(0, colon);
    if (colon == std::string_view::npos) break;
    left.remove_prefix(colon + 1);
    if (i + 1 == parts.size()) return complaint(fmt::format("invalid array index {}", inside));
  }
  Step step{.kind = Step::Kind::slice};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i].value_or("");
    const std::string_view digits = part.substr(part.starts_with('-') ? 1 : 0);
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) {
      return complaint(fmt::format("invalid array index {}", inside));
    }
    if (part.empty()) continue;
    const std::optional<std::int64_t> value = whole_number(part);
    if (!value.has_value()) return complaint(fmt::format("array index {} is not a number", part));
    step.bounds[i] = {.known = true, .value = *value};
  }
  // Far beyond any array, and far from overflowing.
  constexpr std::int64_t index_max = std::int64_t{1} << 40;
  for (Bound& bound : step.bounds) bound.value = std::clamp(bound.value, -index_max, index_max);
  if (!parts[1].has_value()) {
    step.bounds[1] = {.known = true, .derived = true, .value = step.bounds[0].value + 1};
  }
  steps_.push_back(std::move(step));
  return {};
}

// `[?(left operator right)]`. A closing bracket inside the first quoted text does not count.
Result<> ActionParser::filter() {
  at_ += 3;
  const std::size_t begin = at_;
  char quote = '\0';
  bool closed = false;
  while (true) {
    if (at_ == text_.size() || text_[at_] == '\n') return complaint("unterminated filter");
    const char c = text_[at_++];
    if (c == ')' && (quote == '\0') == !closed) break;
    if (c != '"' && c != '\'') continue;
    if (quote == '\0') {
      quote = c;
    } else if (c == quote && text_[at_ - 2] != '\\') {
      closed = true;
    }
  }
  const std::string_view inside = text_.substr(begin, at_ - 1 - begin);
  if (at_ == text_.size() || text_[at_] != ']') return complaint("unclosed array expect ]");
  ++at_;
  const std::size_t first = inside.find_first_of("!<>=");
  const std::size_t last =
      first == std::string_view::npos ? first : inside.find_first_not_of("!<>=", first);
  Step step{.kind = Step::Kind::filter};
  if (first == 0 || last == std::string_view::npos) {
    step.branches.push_back(TRY(nested(inside)));
  } else {
    step.name = keep(std::string(inside.substr(first, last - first)));
    step.branches.push_back(TRY(nested(inside.substr(0, first))));
    step.branches.push_back(TRY(nested(inside.substr(last))));
  }
  steps_.push_back(std::move(step));
  return {};
}

Result<> ActionParser::quote(char end) {
  const std::size_t begin = at_++;
  while (true) {
    if (at_ == text_.size() || text_[at_] == '\n') return complaint("unterminated quoted string");
    if (text_[at_++] == end && text_[at_ - 2] != '\\') break;
  }
  const std::string_view written = text_.substr(begin, at_ - begin);
  std::optional<std::string> text = unquoted(written);
  if (!text.has_value()) {
    return complaint(fmt::format("unquote string {} error invalid syntax", written));
  }
  add_literal(Builder::literal(keep(std::move(*text))));
  return {};
}

Result<> ActionParser::number() {
  const std::size_t begin = at_++;
  while (at_ < text_.size() && (text_[at_] == '.' || is_digit(text_[at_]))) ++at_;
  const std::string_view written = text_.substr(begin, at_ - begin);
  if (const auto whole = whole_number(written); whole.has_value()) {
    add_literal(Builder::integer(*whole));
    return {};
  }
  const std::string_view digits = written.substr(written.starts_with('+') ? 1 : 0);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    return complaint(fmt::format("cannot parse number {}", written));
  }
  add_literal(Builder::real(value));
  return {};
}

Result<> ActionParser::identifier() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (word == "true" || word == "false") {
    add_literal(Builder::boolean(word == "true"));
  } else {
    const std::string_view kept = keep(std::string(word));
    add(Step::Kind::identifier).name = kept;
  }
  return {};
}

bool begins_with(const Steps& steps, std::string_view word) {
  return !steps.empty() && steps.front().kind == Step::Kind::identifier &&
         steps.front().name == word;
}

}  // namespace

Result<> parse(std::string_view text, Template& out) {
  if (text.size() > json_path_bytes_max) {
    return Error::too_large(fmt::format("a path has at most {} bytes", json_path_bytes_max));
  }
  // The open ranges; the first is the template itself.
  std::vector<Part> open(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t brace = std::min(text.find('{', at), text.size());
    if (brace > at) {
      const std::string& kept = out.texts.emplace_back(text.substr(at, brace - at));
      open.back().body.push_back(Part{.kind = Part::Kind::text, .text = Builder::literal(kept)});
    }
    at = brace;
    if (at == text.size()) break;
    ActionParser parser(text, at + 1, true, 0, out);
    Steps steps = TRY(parser.run());
    at = parser.position();
    if (begins_with(steps, "range")) {
      if (open.size() > json_path_depth_max) {
        return Error::too_large(
            fmt::format("ranges are nested at most {} levels deep", json_path_depth_max));
      }
      steps.erase(steps.begin());
      open.push_back(Part{.kind = Part::Kind::range, .steps = std::move(steps)});
    } else if (begins_with(steps, "end")) {
      if (open.size() == 1) return complaint("not in range, nothing to end");
      Part range = std::move(open.back());
      open.pop_back();
      open.back().body.push_back(std::move(range));
    } else {
      open.back().body.push_back(Part{.kind = Part::Kind::action, .steps = std::move(steps)});
    }
  }
  if (open.size() > 1) return complaint("unclosed range, {end} is missing");
  out.parts = std::move(open.front().body);
  return {};
}

}  // namespace muster::objects::json_path
