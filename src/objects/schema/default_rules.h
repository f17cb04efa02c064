// DefaultRule: the defaults of native types that depend on other fields, by the names that
// x-muster-default-rule gives them. A rule sees the object it stands in (for a rule on a field,
// the object around that field) after its members were decoded and before plain defaults fill
// what is absent, and sets members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "objects/builder.h"
#include "objects/value.h"

namespace muster::objects {

enum class DefaultRule : std::uint8_t {
  none,
  // On a field: the object is the one around it.
  image_pull_policy,
  image_volume_pull_policy,
  service_port_target_port,
  service_account_alias,
  allocatable_from_capacity,
  job_completions,
  job_backoff_limit,
  job_pod_replacement_policy,
  pod_status,
  // On an object.
  requests_from_limits,
  pod_enable_service_links,
  pod_host_network_ports,
  volume_empty_dir,
  limit_range_item,
  service_session_affinity,
  service_traffic_policy,
  namespace_name_label,
  definition_names,
  // Of the smaller kinds (default_rules_kinds.cc).
  rolling_update_deployment,
  rolling_update_daemon_set,
  rolling_update_stateful_set,
  replication_controller_labels,
  autoscaler_metrics,
  autoscaler_behavior,
  endpoint_port_name,
  policy_types,
  device_request,
  role_ref_group,
  subject_group,
  secret_string_data,
  template_generation,
};

// The class of a pod with this spec. Guaranteed: every container limits cpu and memory and requests
// just that. BestEffort: none asks for either.
std::string_view quality_of_service(View pod_spec);

DefaultRule default_rule_of(std::string_view name);

// Whether the rule stands on a field and not on an object.
bool is_field_rule(DefaultRule rule);

// Whether a rule on a field has nothing to do where the field is set.
bool is_rule_of_absence(DefaultRule rule);

// What a rule decided: keys are string literals, values are nodes of the builder or the object, or
// absent for a member that goes.
struct RuleEdits {
  Builder& builder;
  std::vector<Node::Member> members;

  void set(std::string_view literal_key, const Node& value) {
    members.push_back({Builder::literal(literal_key), value});
  }
};

// Whether the rule may have something to do; cheap, and without a builder.
bool rule_applies(DefaultRule rule, View object);
void apply_rule(DefaultRule rule, View object, RuleEdits& edits);
bool kind_rule_applies(DefaultRule rule, View object);
void apply_kind_rule(DefaultRule rule, View object, RuleEdits& edits);

}  // namespace muster::objects
