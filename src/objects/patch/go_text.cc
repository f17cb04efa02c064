// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "objects/field_error.h"
#include "objects/go_number.h"

namespace muster::objects {

namespace {

enum class Verb : unsigned char { value, string };

void append(View view, Verb verb, std::string& out);

std::vector<MemberView> sorted_members(View view) {
  std::vector<MemberView> members;
  for (const MemberView member : view.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
  return members;
}

void append_object(View view, Verb verb, std::string& out) {
  const std::vector<MemberView> members = sorted_members(view);
  out += "map[";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out.push_back(' ');
    out += members[i].key;
    out.push_back(':');
    append(members[i].value, verb, out);
  }
  out.push_back(']');
}

void append_array(View view, Verb verb, std::string& out) {
  out.push_back('[');
  for (std::size_t i = 0; i < view.size(); ++i) {
    if (i > 0) out.push_back(' ');
    append(view[i], verb, out);
  }
  out.push_back(']');
}

std::string scalar(View view) {
  if (const auto boolean = view.boolean()) return *boolean ? "true" : "false";
  if (const auto integer = view.integer()) return fmt::format("{}", *integer);
  std::string text;
  append_go_real(view.real().value_or(0), text);
  return text;
}

void append(View view, Verb verb, std::string& out) {
  if (view.is_object()) return append_object(view, verb, out);
  if (view.is_array()) return append_array(view, verb, out);
  if (view.is_null() || view.is_absent()) {
    out += "<nil>";
  } else if (const auto text = view.string()) {
    out += *text;
  } else if (verb == Verb::value) {
    out += scalar(view);
  } else {
    out += fmt::format("%!s({}={})", go_type(view), scalar(view));
  }
}

}  // namespace

std::string go_text(View view) {
  std::string out;
  append(view, Verb::value, out);
  return out;
}

std::string go_string(View view) {
  if (view.is_null() || view.is_absent()) return "%!s(<nil>)";
  std::string out;
  append(view, Verb::string, out);
  return out;
}

std::string go_syntax(View view) {
  if (view.is_null() || view.is_absent()) return "interface {}(nil)";
  if (const auto text = view.string()) return go_quoted(*text);
  if (!view.is_object() && !view.is_array()) return scalar(view);
  std::string out(go_type(view));
  out.push_back('{');
  std::string_view separator;
  for (const MemberView& member : sorted_members(view)) {
    out += fmt::format("{}{}:{}", separator, go_quoted(member.key), go_syntax(member.value));
    separator = ", ";
  }
  for (const View each : view.elements()) {
    out += fmt::format("{}{}", separator, go_syntax(each));
    separator = ", ";
  }
  out.push_back('}');
  return out;
}

std::string_view go_type(View view) {
  switch (view.type()) {
    case Type::absent:
    case Type::null:
      return "%!s(<nil>)";
    case Type::boolean:
      return "bool";
    case Type::integer:
      return "int64";
    case Type::real:
      return "float64";
    case Type::string:
      return "string";
    case Type::array:
      return "[]interface {}";
    case Type::object:
      return "map[string]interface {}";
  }
  return "unknown";
}

}  // namespace muster::objects
