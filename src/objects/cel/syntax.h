// The tree of a CEL expression: nodes in one vector, children before their parents, the root
// last. The parser makes it; the checker resolves names into slots and functions; evaluation
// reads it. Its height is at most cel_depth_max, so recursion over it is bounded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "objects/cel/datum.h"

namespace muster::objects::cel {

struct Function;

enum class Operation : std::uint8_t {
  literal,
  identifier,  // a variable in `slot`
  select,      // child.name
  presence,    // has(child.name)
  index,       // child[child]
  call,        // name(children) or children[0].name(…)
  list,
  map,  // keys and values in turn
  conditional,
  logical_and,  // two or more children
  logical_or,
  logical_not,
  negate,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  contained,  // child in child
  add,
  subtract,
  multiply,
  divide,
  modulo,
  // Macros: the first child is what they run over, the second sees the variable in `slot`.
  all,
  exists,
  exists_one,
  filter,
  transform,  // map(x, e), or map(x, condition, e) with three children
};

using NodeId = std::uint32_t;

struct Expression {
  Operation operation = Operation::literal;
  Kind kind = Kind::dynamic;     // of the result, as far as the checker knows
  Kind key = Kind::dynamic;      // of a map's keys
  Kind element = Kind::dynamic;  // of a list's elements, of a map's values
  bool member = false;           // a call with a receiver
  std::uint16_t height = 1;
  std::uint16_t slot = 0;
  std::uint32_t offset = 0;  // in the source
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::string_view name;                // identifier, field, function, macro variable
  std::string_view unescaped;           // the field's name without Kubernetes' escapes; often empty
  Datum datum;                          // of a literal
  const Function* overloads = nullptr;  // of a call
  std::uint16_t overload_count = 0;
  const re2::RE2* pattern = nullptr;  // compiled already, where it is a literal
};

struct Program {
  std::string source;
  std::vector<std::string> variables;
  std::vector<Expression> expressions;
  std::vector<NodeId> children;
  std::deque<std::string> texts;  // names and literals
  std::deque<std::vector<Datum>> literal_lists;
  std::vector<std::unique_ptr<const re2::RE2>> patterns;
  std::vector<bool> mentioned;  // by variable
  std::uint16_t slot_count = 0;
  NodeId root = 0;
  // Of a program `!has(v.field) || …`, with v the first variable: true at once without the field.
  // Empty for all others.
  std::string_view optional_field;

  // The parser made the tree: evaluation follows it without a check of bounds.
  const Expression& child(const Expression& of, std::size_t index) const {
    return expressions.data()[children.data()[of.first_child + index]];
  }
};

// Words that CEL keeps for itself; they may be fields but not variables.
bool is_reserved(std::string_view name);

// Kubernetes writes a property that is no identifier with escapes: `a__dash__b` is `a-b`.
std::string unescape_field(std::string_view name);

// How an operator is named in complaints: `_+_`.
std::string_view operator_name(Operation operation);

}  // namespace muster::objects::cel
