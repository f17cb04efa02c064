// SPDX-License-Identifier: Apache-2.0
#include "objects/field_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "objects/json.h"
#include "objects/limits.h"

namespace muster::objects {

namespace {

// The parts between commas that have no backslash before them.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Bytes of the code point that begins here.
std::size_t code_point_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

Result<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=') {
      return Error::bad_request(fmt::format(
          "invalid field selector: unescaped character in value: {}", static_cast<int>(c)));
    }
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    const std::string_view rest = text.substr(i + 1);
    const bool known = !rest.empty() && std::string_view("\\,=").find(rest[0]) < 3;
    if (!known) {
      return Error::bad_request(
          fmt::format("invalid field selector: invalid escape sequence: \\{}",
                      rest.substr(0, rest.empty() ? 0 : code_point_size(rest))));
    }
    out.push_back(rest[0]);
    ++i;
  }
  return out;
}

void append_escaped(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') out.push_back('\\');
    out.push_back(c);
  }
}

// The first operator in the term, wherever it stands.
struct Split {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
  bool negated = false;
};

Split find_operator(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view pair = term.substr(i, 2);
    if (pair == "!=") return {i, 2, true};
    if (pair == "==") return {i, 2, false};
    if (term[i] == '=') return {i, 1, false};
  }
  return {};
}

// Whether the scalar's text is this. Compares in place; only numbers are written out.
bool scalar_is(View scalar, std::string_view text) {
  switch (scalar.type()) {
    case Type::absent:
    case Type::null:
    case Type::array:
    case Type::object:
      return text.empty();
    case Type::boolean:
      return text == (scalar.boolean_or(false) ? "true" : "false");
    case Type::string:
      return text == scalar.string_or("");
    case Type::integer: {
      char buffer[24];
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), scalar.integer_or(0)).ptr;
      return text == std::string_view(buffer, static_cast<std::size_t>(end - buffer));
    }
    case Type::real:
      return text == to_json(scalar);
  }
  return false;
}

View at_path(View object, std::string_view path) {
  while (true) {
    const std::size_t dot = path.find('.');
    object = object[path.substr(0, dot)];
    if (dot == std::string_view::npos) return object;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  if (text.size() > selector_bytes_max) {
    return Error::too_large(fmt::format("a selector has at most {} bytes", selector_bytes_max));
  }
  std::vector<std::string_view> parts = split_terms(text);
  if (parts.size() > selector_requirements_max) {
    return Error::too_large(
        fmt::format("a selector has at most {} terms", selector_requirements_max));
  }
  // Kubernetes sorts the terms as they were written, and so do its lists and keys.
  std::sort(parts.begin(), parts.end());
  FieldSelector selector;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    const Split split = find_operator(part);
    if (split.at == std::string_view::npos) {
      return Error::bad_request(
          fmt::format("invalid selector: '{}'; can't understand '{}'", text, part));
    }
    // Outside the braces: a return from within them would not destroy the field before it.
    std::string value = TRY(unescape(part.substr(split.at + split.length)));
    selector.terms_.push_back({.field = std::string(part.substr(0, split.at)),
                               .value = std::move(value),
                               .negated = split.negated});
  }
  return selector;
}

Result<> FieldSelector::check_supported(std::span<const std::string_view> fields) const {
  for (const FieldTerm& term : terms_) {
    if (std::find(fields.begin(), fields.end(), term.field) != fields.end()) continue;
    return Error::bad_request(fmt::format("field label not supported: {}", term.field));
  }
  return {};
}

bool FieldSelector::matches(View object) const {
  return std::all_of(terms_.begin(), terms_.end(), [object](const FieldTerm& term) {
    return scalar_is(at_path(object, term.field), term.value) != term.negated;
  });
}

std::optional<std::string_view> FieldSelector::required_value(std::string_view field) const {
  for (const FieldTerm& term : terms_) {
    if (term.field == field && !term.negated) return term.value;
  }
  return std::nullopt;
}

std::string FieldSelector::to_string() const {
  std::string out;
  for (const FieldTerm& term : terms_) {
    if (!out.empty()) out.push_back(',');
    out += term.field;
    out += term.negated ? "!=" : "=";
    append_escaped(term.value, out);
  }
  return out;
}

}  // namespace muster::objects
