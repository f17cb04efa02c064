// The compiled form of a JSONPath template (objects/json_path.h): parts of text, actions and
// ranges; an action is a chain of steps, each of which turns a list of values into another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/json_path.h"
#include "objects/value.h"

namespace muster::objects::json_path {

struct Step;
using Steps = std::vector<Step>;

struct Bound {
  bool known = false;
  bool derived = false;  // of [n], which is [n:n+1]
  std::int64_t value = 0;
};

struct Step {
  enum class Kind : std::uint8_t {
    field,
    wildcard,
    descend,  // ..
    slice,    // [from:to:step] and [n]
    choice,   // [a,b]: each branch in turn
    filter,   // [?(left operator right)]
    literal,
    identifier,  // a word that means nothing: refused when it is evaluated
  };

  Kind kind = Kind::field;
  std::string_view name{};        // field, identifier; the operator of a filter, empty: exists
  std::array<Bound, 3> bounds{};  // of a slice
  std::vector<Steps> branches{};  // of a choice; left and right of a filter
  Node literal{};
};

struct Part {
  enum class Kind : std::uint8_t { text, action, range };

  Kind kind = Kind::text;
  Node text{};
  Steps steps{};             // of an action; what a range runs over
  std::vector<Part> body{};  // of a range
};

struct Template {
  std::vector<Part> parts;
  std::deque<std::string> texts;  // everything that names and literals point into
  MissingKeys missing = MissingKeys::refuse;
};

// Fills parts and texts.
Result<> parse(std::string_view text, Template& out);

}  // namespace muster::objects::json_path
