// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "objects/json.h"

namespace muster::objects {

namespace {

constexpr std::string_view hexadecimal_digits = "0123456789abcdef";

void append_text(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte >= 0x20) {
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += "\\u00";
      out.push_back(hexadecimal_digits[byte >> 4]);
      out.push_back(hexadecimal_digits[byte & 15]);
    }
  }
  out.push_back('"');
}

void append_real(double value, std::string& out) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  // A real must come back as a real.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace

void append_json(View view, std::string& out) {
  switch (view.type()) {
    case Type::absent:
    case Type::null:
      out += "null";
      return;
    case Type::boolean:
      out += view.node().boolean ? "true" : "false";
      return;
    case Type::integer:
      fmt::format_to(std::back_inserter(out), "{}", view.node().integer);
      return;
    case Type::real:
      append_real(view.node().real, out);
      return;
    case Type::string:
      append_text(*view.string(), out);
      return;
    case Type::array: {
      char separator = '[';
      for (const View element : view.elements()) {
        out.push_back(std::exchange(separator, ','));
        append_json(element, out);
      }
      out += view.empty() ? "[]" : "]";
      return;
    }
    case Type::object: {
      char separator = '{';
      for (const MemberView member : view.members()) {
        out.push_back(std::exchange(separator, ','));
        append_text(member.key, out);
        out.push_back(':');
        append_json(member.value, out);
      }
      out += view.empty() ? "{}" : "}";
      return;
    }
  }
}

std::string to_json(View view) {
  std::string out;
  append_json(view, out);
  return out;
}

}  // namespace muster::objects
