// Anchors: the values of one YAML document that have a name (&name), for aliases (*name) to stand
// for. A value is not copied for its aliases, but whoever reads the document meets it as often as
// they name it: what they add is bounded as if it had been written out.
//
//   anchors.begin("base");                       // a container whose end is not seen yet
//   anchors.set("base", node);
//   const Anchored& value = *TRY(anchors.find("base"));
//   const std::size_t values = TRY(budget.spend(value, depth, line));
//
// Internal to this folder. Assumes: the nodes belong to a builder that outlives the anchors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"
#include "objects/value.h"
#include "objects/yaml_scalar.h"

namespace muster::objects {

// Values in the subtree, itself included.
std::size_t count_values(View view);

// A scalar is read again at each place: as a key it is always text.
struct AnchoredScalar {
  PlainScalar scalar;
  std::string text;
};

using Anchored = std::variant<AnchoredScalar, Node>;

class Anchors {
 public:
  void begin(std::string_view name) { values_.insert_or_assign(std::string(name), Open{}); }
  void set(std::string_view name, Anchored value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }

  // The sentence of an error is Go's.
  Result<const Anchored*> find(std::string_view name) const;

 private:
  struct Open {};

  std::map<std::string, std::variant<Open, Anchored>, std::less<>> values_;
};

// How much aliases and merge keys may still add to a text, all of its documents together.
class AliasBudget {
 public:
  AliasBudget(std::size_t bytes_limit, std::size_t depth_limit)
      : bytes_left_(bytes_limit), depth_max_(depth_limit) {}

  // Counts the value as written once more, at that depth; answers how many values it is made of.
  Result<std::size_t> spend(const Anchored& value, std::size_t depth, std::size_t line);

  Result<> spend_bytes(std::size_t bytes, std::size_t line);

 private:
  std::size_t bytes_left_;
  std::size_t depth_max_;
};

}  // namespace muster::objects
