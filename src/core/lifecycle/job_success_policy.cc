// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_success_policy.h"

#include <fmt/format.h>

namespace muster::core {

using objects::View;

namespace {

bool is_met(View rule, std::int64_t completions, const IndexSet& succeeded) {
  const auto count = rule["succeededCount"].integer();
  const View indexes = rule["succeededIndexes"];
  if (!indexes) return count && succeeded.count() >= *count;
  const IndexSet wanted = IndexSet::parse(indexes.string_or(""), completions);
  if (wanted.empty()) return false;
  const std::int64_t reached = wanted.count_common(succeeded);
  return reached == wanted.count() || (count && reached >= *count);
}

}  // namespace

std::optional<std::string> met_success_rule(View policy, std::int64_t completions,
                                            const IndexSet& succeeded) {
  std::size_t index = 0;
  for (View rule : policy["rules"].elements()) {
    if (is_met(rule, completions, succeeded)) {
      return fmt::format("Matched rules at index {}", index);
    }
    ++index;
  }
  return std::nullopt;
}

}  // namespace muster::core
