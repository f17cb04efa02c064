// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/update_rules.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace muster::objects {

namespace {

// An Indexed job may be resized: completions and parallelism move together.
bool job_may_resize(View completions, const UpdateScope& scope) {
  return scope.object["completionMode"].string_or("") == "Indexed" &&
         completions == scope.object["parallelism"];
}

constexpr std::string_view scheduling_metadata[] = {"labels", "annotations"};
constexpr std::string_view scheduling_spec[] = {"nodeSelector", "affinity", "tolerations",
                                                "schedulingGates"};

bool same_but_for(View a, View b, const auto& free_keys) {
  const auto is_free = [&](std::string_view key) {
    return std::find(std::begin(free_keys), std::end(free_keys), key) != std::end(free_keys);
  };
  for (MemberView member : a.members()) {
    if (!is_free(member.key) && !(member.value == b[member.key])) return false;
  }
  for (MemberView member : b.members()) {
    if (!is_free(member.key) && !a[member.key]) return false;
  }
  return true;
}

// A suspended job that never started may still be told where its pods go.
bool job_may_move(View pod_template, View old_template, const UpdateScope& scope) {
  if (!scope.old_object["suspend"].boolean_or(false)) return false;
  if (!scope.old_root["status"]["startTime"].is_absent()) return false;
  constexpr std::string_view top[] = {"metadata", "spec"};
  return same_but_for(pod_template, old_template, top) &&
         same_but_for(pod_template["metadata"], old_template["metadata"], scheduling_metadata) &&
         same_but_for(pod_template["spec"], old_template["spec"], scheduling_spec);
}

}  // namespace

UpdateRule update_rule_of(std::string_view name) {
  if (name == "job-completions") return UpdateRule::job_completions;
  if (name == "job-template") return UpdateRule::job_template;
  return UpdateRule::none;
}

bool update_allowed(UpdateRule rule, View value, View old_value, const UpdateScope& scope) {
  if (value == old_value) return true;
  switch (rule) {
    case UpdateRule::none:
      return true;
    case UpdateRule::job_completions:
      return job_may_resize(value, scope);
    case UpdateRule::job_template:
      return job_may_move(value, old_value, scope);
  }
  return true;
}

std::string_view update_refusal(UpdateRule rule, const UpdateScope& scope) {
  const bool resizes = rule == UpdateRule::job_completions &&
                       scope.object["completionMode"].string_or("") == "Indexed";
  return resizes ? "can only be modified in tandem with spec.parallelism" : "field is immutable";
}

}  // namespace muster::objects
