// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_failure_policy.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

bool asks_for(View requirement, std::int64_t exit_code) {
  bool is_listed = false;
  for (View each : requirement["values"].elements()) {
    is_listed = is_listed || each.integer_or(0) == exit_code;
  }
  return is_listed == (requirement["operator"].string_or("") == "In");
}

// The first container that the requirement speaks of; absent where there is none.
View matching_container(View requirement, View pod) {
  const auto name = requirement["containerName"].string();
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (View each : pod["status"][list].elements()) {
      const std::int64_t exit_code = each["state"]["terminated"]["exitCode"].integer_or(0);
      if (exit_code == 0 || (name && each["name"].string_or("") != *name)) continue;
      if (asks_for(requirement, exit_code)) return each;
    }
  }
  return {};
}

View matching_condition(View patterns, View pod) {
  for (View condition : pod["status"]["conditions"].elements()) {
    for (View pattern : patterns.elements()) {
      const bool matches = condition["type"].string_or("") == pattern["type"].string_or("") &&
                           condition["status"].string_or("") == pattern["status"].string_or("True");
      if (matches) return condition;
    }
  }
  return {};
}

FailureAction action_of(View rule) {
  const std::string_view text = rule["action"].string_or("");
  if (text == "FailJob") return FailureAction::fail_job;
  if (text == "FailIndex") return FailureAction::fail_index;
  return text == "Ignore" ? FailureAction::ignore : FailureAction::count;
}

// What the rule found, as the message says it; nothing where it does not match.
std::optional<std::string> found_by(View rule, View pod) {
  const std::string name = objects::key_of(pod).to_string();
  if (const View requirement = rule["onExitCodes"]) {
    const View container = matching_container(requirement, pod);
    if (!container) return std::nullopt;
    return fmt::format("Container {} for pod {} failed with exit code {}",
                       container["name"].string_or(""), name,
                       container["state"]["terminated"]["exitCode"].integer_or(0));
  }
  const View condition = matching_condition(rule["onPodConditions"], pod);
  if (!condition) return std::nullopt;
  return fmt::format("Pod {} has condition {}", name, condition["type"].string_or(""));
}

}  // namespace

FailureMatch match_failure_policy(View policy, View pod) {
  std::size_t index = 0;
  for (View rule : policy["rules"].elements()) {
    const std::size_t at = index++;
    const auto found = found_by(rule, pod);
    if (!found) continue;
    FailureMatch match{.action = action_of(rule)};
    if (match.action == FailureAction::fail_job) {
      match.message = fmt::format("{} matching FailJob rule at index {}", *found, at);
    }
    return match;
  }
  return {};
}

}  // namespace muster::core
