// LabelSelector: which objects, by their labels. Read from the text of a query
// (`tier in (a,b),!old`) or from a metav1.LabelSelector in an object; printed as Kubernetes
// prints it; matched without allocating.
//
//   const LabelSelector selector = TRY(LabelSelector::parse("app=web,tier notin (cache)"));
//   if (selector.matches(pod["metadata"]["labels"])) …
//   const LabelSelector pods = TRY(LabelSelector::of(job["spec"]["selector"]));
//
// Assumes: all requirements must hold. `!=` and `notin` hold for an absent label, `>` and `<`
// only for one that is a whole number. Errors have code bad_request and Kubernetes' sentences;
// beyond the limits of objects/limits.h it is too_large.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

enum class LabelOperator : std::uint8_t {
  exists,
  does_not_exist,
  equal,         // =
  double_equal,  // ==, the same but printed as it was written
  not_equal,
  in,
  not_in,
  greater,
  less,
};

struct LabelRequirement {
  std::string key;
  LabelOperator operation = LabelOperator::exists;
  std::vector<std::string> values = {};  // sorted
  std::int64_t bound = 0;                // of greater and less, which have it as their one value

  // Whether it holds for this value of its label; nothing when the label is absent.
  bool holds(std::optional<std::string_view> value) const;

  std::string to_string() const;
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

class LabelSelector {
 public:
  LabelSelector() = default;  // matches everything
  static LabelSelector nothing();

  // `app=web,tier in (a,b),!old,size>3`; the empty text matches everything.
  static Result<LabelSelector> parse(std::string_view text);

  // A metav1.LabelSelector: matchLabels and matchExpressions. `{}` matches everything; null and
  // absent match nothing. The error's field is the path below the selector.
  static Result<LabelSelector> of(View selector);

  // `labels` is an object of strings, or absent.
  bool matches(View labels) const {
    return matches_by([labels](std::string_view key) { return labels[key].string(); });
  }

  // The same for labels kept elsewhere: find(key) yields std::optional<std::string_view>.
  template <class Find>
  bool matches_by(Find&& find) const {
    if (matches_nothing_) return false;
    for (const LabelRequirement& requirement : requirements_) {
      if (!requirement.holds(find(std::string_view(requirement.key)))) return false;
    }
    return true;
  }

  bool matches_everything() const { return !matches_nothing_ && requirements_.empty(); }
  bool matches_nothing() const { return matches_nothing_; }

  // Sorted by key; those of one key in the order they were written.
  std::span<const LabelRequirement> requirements() const { return requirements_; }

  // As Kubernetes prints it; parse() of it is an equal selector, unless it matches nothing.
  std::string to_string() const;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;

 private:
  explicit LabelSelector(std::vector<LabelRequirement> requirements);

  std::vector<LabelRequirement> requirements_;
  bool matches_nothing_ = false;
};

// The sentences with which Kubernetes refuses the requirement, each beginning with the path below
// it; none when it is fine. Sorts the values and fills in `bound`.
std::vector<std::string> complaints_about(LabelRequirement& requirement);

// The same as one sentence, `[a, b]` when there are several; empty when it is fine.
std::string complete_requirement(LabelRequirement& requirement);

}  // namespace muster::objects
