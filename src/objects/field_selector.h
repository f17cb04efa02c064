// FieldSelector: which objects, by a few of their fields. Only `=`, `==` and `!=`; a value may
// hold `,`, `=` and `\` behind a backslash.
//
//   const FieldSelector selector =
//   TRY(FieldSelector::parse("spec.nodeName=n1,status.phase!=Failed"));
//   TRY(selector.check_supported(pod_fields));       // field label not supported: spec.foo
//   if (selector.matches(pod)) …
//
// Assumes: all terms must hold; an absent field is the empty text. Errors have code bad_request
// and Kubernetes' sentences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

struct FieldTerm {
  std::string field;
  std::string value;
  bool negated = false;  // !=

  friend bool operator==(const FieldTerm&, const FieldTerm&) = default;
};

class FieldSelector {
 public:
  FieldSelector() = default;  // matches everything

  static Result<FieldSelector> parse(std::string_view text);

  // Refuses the first field that is not among these.
  Result<> check_supported(std::span<const std::string_view> fields) const;

  // Reads each field as a path of members; numbers and booleans compare as their JSON text.
  bool matches(View object) const;

  // The same for fields kept elsewhere: find(field) yields a std::string_view.
  template <class Find>
  bool matches_by(Find&& find) const {
    for (const FieldTerm& term : terms_) {
      if ((find(std::string_view(term.field)) == term.value) == term.negated) return false;
    }
    return true;
  }

  // The same with other names: rename(field) yields what the field is called elsewhere.
  template <class Rename>
  FieldSelector renamed(Rename&& rename) const {
    FieldSelector other = *this;
    for (FieldTerm& term : other.terms_) term.field = rename(std::string_view(term.field));
    return other;
  }

  bool matches_everything() const { return terms_.empty(); }
  std::span<const FieldTerm> terms() const { return terms_; }

  // The value that the field must have, where the selector demands one: `metadata.name=a` makes
  // a list a get.
  std::optional<std::string_view> required_value(std::string_view field) const;

  // As Kubernetes prints it.
  std::string to_string() const;

  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  std::vector<FieldTerm> terms_;
};

}  // namespace muster::objects
