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

constexpr std::string_view scheduling_spec[] = {
    "nodeSelector", "affinity", "tolerations", "containers", "schedulingGates", "initContainers"};
constexpr std::string_view node_affinity[] = {"nodeAffinity"};
constexpr std::string_view container_resources[] = {"resources"};

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

bool same_but_for_resources(View containers, View old_containers) {
  if (containers.size() != old_containers.size()) return false;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (!same_but_for(containers[i], old_containers[i], container_resources)) return false;
  }
  return true;
}

bool is_suspended(View status) {
  for (View condition : status["conditions"].elements()) {
    if (condition["type"].string_or("") == "Suspended") {
      return condition["status"].string_or("") == "True";
    }
  }
  return false;
}

// A suspended job none of whose pods is left may still be told where its pods go and what they ask.
bool job_may_move(const UpdateScope& scope) {
  const View status = scope.old_root["status"];
  return scope.old_object["suspend"].boolean_or(false) && status["active"].integer_or(0) == 0 &&
         (status["startTime"].is_absent() || is_suspended(status));
}

bool job_only_moves(View pod_template, View old_template, const UpdateScope& scope) {
  if (!job_may_move(scope)) return false;
  const View spec = pod_template["spec"];
  const View old_spec = old_template["spec"];
  return same_but_for(spec, old_spec, scheduling_spec) &&
         same_but_for(spec["affinity"], old_spec["affinity"], node_affinity) &&
         same_but_for_resources(spec["containers"], old_spec["containers"]) &&
         same_but_for_resources(spec["initContainers"], old_spec["initContainers"]);
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
      return job_only_moves(value, old_value, scope);
  }
  return true;
}

UpdateRefusal update_refusal(UpdateRule rule, const UpdateScope& scope) {
  constexpr std::string_view immutable = "field is immutable";
  if (rule == UpdateRule::job_template && job_may_move(scope)) return {"spec", immutable};
  const bool resizes = rule == UpdateRule::job_completions &&
                       scope.object["completionMode"].string_or("") == "Indexed";
  return {{}, resizes ? "can only be modified in tandem with spec.parallelism" : immutable};
}

}  // namespace muster::objects
