// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/syntax.h"

#include <algorithm>
#include <array>

namespace muster::objects::cel {

bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 17> reserved = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

std::string unescape_field(std::string_view name) {
  struct Escape {
    std::string_view written;
    std::string_view meant;
  };
  constexpr std::array<Escape, 4> escapes = {
      {{"__underscores__", "__"}, {"__dot__", "."}, {"__dash__", "-"}, {"__slash__", "/"}}};
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    const std::string_view word = name.substr(2, name.size() - 4);
    const bool is_token = word == "true" || word == "false" || word == "null" || word == "in";
    if (is_token || is_reserved(word)) return std::string(word);
  }
  std::string plain;
  while (!name.empty()) {
    const auto found = std::find_if(escapes.begin(), escapes.end(), [name](const Escape& each) {
      return name.starts_with(each.written);
    });
    if (found != escapes.end()) {
      plain += found->meant;
      name.remove_prefix(found->written.size());
    } else {
      plain.push_back(name.front());
      name.remove_prefix(1);
    }
  }
  return plain;
}

std::string_view operator_name(Operation operation) {
  switch (operation) {
    case Operation::index:
      return "_[_]";
    case Operation::conditional:
      return "_?_:_";
    case Operation::logical_not:
      return "!_";
    case Operation::negate:
      return "-_";
    case Operation::equal:
      return "_==_";
    case Operation::not_equal:
      return "_!=_";
    case Operation::less:
      return "_<_";
    case Operation::less_equal:
      return "_<=_";
    case Operation::greater:
      return "_>_";
    case Operation::greater_equal:
      return "_>=_";
    case Operation::contained:
      return "@in";
    case Operation::add:
      return "_+_";
    case Operation::subtract:
      return "_-_";
    case Operation::multiply:
      return "_*_";
    case Operation::divide:
      return "_/_";
    case Operation::modulo:
      return "_%_";
    default:
      return "";
  }
}

}  // namespace muster::objects::cel
