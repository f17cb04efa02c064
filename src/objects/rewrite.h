// Rewrite: a new object made of an old one with members replaced, renamed, dropped or added. The
// order of members is kept; what is not touched is shared. Only for objects that the builder has
// retained.
//
//   Rewrite spec(object["spec"]);
//   spec.rename("cohort", "cohortName");
//   spec.drop("admissionChecks");
//   Node node = spec.finish(builder);
//
// An absent object stays absent, unless something is set in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "objects/builder.h"
#include "objects/value.h"

namespace muster::objects {

class Rewrite {
 public:
  explicit Rewrite(View object);

  void drop(std::string_view key);

  // Keys must live for ever (string literals). An absent or empty value (null, "", []) is dropped
  // instead: Go's omitempty would not have written it.
  void rename(std::string_view key, std::string_view new_key);

  // In the member's place, or at the end. An absent node drops the member.
  void set(std::string_view key, const Node& value);

  Node finish(Builder& builder) const;

 private:
  std::vector<Node::Member>::iterator find(std::string_view key);

  View object_;
  std::vector<Node::Member> members_;
  bool changed_ = false;
};

}  // namespace muster::objects
