// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/path_element.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

#include "objects/json.h"
#include "objects/value.h"

namespace muster::objects {

namespace {

constexpr std::string_view prefixes = "fkvi";

Error malformed(std::string_view serialized) {
  return Error::bad_request(fmt::format("{} is no element of a field path", serialized));
}

// The next scalar of compact JSON, and how it sorts among others: numbers, strings, booleans, null.
struct Token {
  std::string_view text;
  int rank = 0;
};

Token next_token(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == '{' || rest.front() == ',' || rest.front() == ':' ||
                           rest.front() == '}')) {
    rest.remove_prefix(1);
  }
  if (rest.empty()) return {};
  std::size_t end = 1;
  if (rest.front() == '"') {
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2U : 1U;
    end = std::min(end + 1, rest.size());
  } else {
    while (end < rest.size() && rest[end] != ',' && rest[end] != '}') ++end;
  }
  Token token{rest.substr(0, end), 0};
  const char first = token.text.front();
  token.rank = first == '"' ? 2 : first == 't' || first == 'f' ? 3 : first == 'n' ? 4 : 1;
  rest.remove_prefix(end);
  return token;
}

std::strong_ordering by_amount(std::string_view a, std::string_view b) {
  double left = 0;
  double right = 0;
  std::from_chars(a.data(), a.data() + a.size(), left);
  std::from_chars(b.data(), b.data() + b.size(), right);
  if (left < right) return std::strong_ordering::less;
  if (left > right) return std::strong_ordering::greater;
  return a <=> b;
}

std::strong_ordering by_scalars(std::string_view a, std::string_view b) {
  const std::strong_ordering otherwise = a <=> b;
  while (true) {
    const Token left = next_token(a);
    const Token right = next_token(b);
    if (left.rank != right.rank) return left.rank <=> right.rank;
    if (left.rank == 0) return otherwise;
    if (left.text == right.text) continue;
    const auto order = left.rank == 1 ? by_amount(left.text, right.text) : left.text <=> right.text;
    if (order != 0) return order;
  }
}

// Keys sorted by name: the one text of this place.
Result<std::string> canonical_keys(std::string_view text) {
  const Value keys = TRY(parse_json(text));
  if (!keys.is_object() || keys.view().empty()) return malformed(text);
  std::vector<std::pair<std::string_view, View>> sorted;
  for (const MemberView member : keys.view().members()) {
    if (member.value.is_object() || member.value.is_array()) return malformed(text);
    sorted.emplace_back(member.key, member.value);
  }
  std::ranges::sort(sorted, {}, &std::pair<std::string_view, View>::first);
  std::string out = "{";
  for (const auto& [name, value] : sorted) {
    if (out.size() > 1) out += ',';
    append_quoted(name, out);
    out += ':';
    objects::append_json(value, out);
  }
  return out + "}";
}

}  // namespace

void append_quoted(std::string_view text, std::string& out) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; });
  if (!plain) return objects::append_json(Value::string(text), out);
  out += '"';
  out += text;
  out += '"';
}

Result<PathElement> PathElement::parse(std::string_view serialized) {
  const std::size_t kind =
      serialized.empty() ? std::string_view::npos : prefixes.find(serialized.front());
  if (serialized.size() < 2 || serialized[1] != ':' || kind == std::string_view::npos) {
    return malformed(serialized);
  }
  PathElement element{static_cast<Kind>(kind), std::string(serialized.substr(2))};
  if (element.kind == Kind::key) {
    element.text = TRY(canonical_keys(element.text));
  } else if (element.kind == Kind::value) {
    const Value value = TRY(parse_json(element.text));
    if (value.is_object() || value.is_array()) return malformed(serialized);
    element.text = to_json(value);
  } else if (element.kind == Kind::index) {
    const bool number =
        !element.text.empty() && element.text.size() < 10 &&
        std::ranges::all_of(element.text, [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return malformed(serialized);
  }
  return element;
}

void PathElement::append_serialized(std::string& out) const {
  out += prefixes[static_cast<std::size_t>(kind)];
  out += ':';
  out += text;
}

void PathElement::append_json(std::string& out) const {
  const char prefix = prefixes[static_cast<std::size_t>(kind)];
  if (kind == Kind::field) {
    const std::size_t start = out.size();
    append_quoted(text, out);
    out.insert(start + 1, {prefix, ':'});
    return;
  }
  append_quoted(std::string{prefix, ':'} + text, out);
}

void PathElement::append_for_people(std::string& out) const {
  if (kind == Kind::field) {
    out += '.';
    out += text;
    return;
  }
  out += '[';
  if (kind == Kind::index) out += text;
  if (kind == Kind::value) out += '=' + text;
  if (kind == Kind::key) {
    std::string_view rest = text;
    bool first = true;
    while (true) {
      const Token name = next_token(rest);
      if (name.rank == 0) break;
      if (!first) out += ',';
      first = false;
      out += name.text.substr(1, name.text.size() - 2);
      out += '=';
      out += next_token(rest).text;
    }
  }
  out += ']';
}

std::strong_ordering operator<=>(const PathElement& a, const PathElement& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.text == b.text) return std::strong_ordering::equal;
  if (a.kind == PathElement::Kind::field) return a.text <=> b.text;
  return by_scalars(a.text, b.text);
}

}  // namespace muster::objects
