// SPDX-License-Identifier: Apache-2.0
// Defaults of the smaller kinds that depend on other fields.
#include <string>

#include "base/base64.h"
#include "objects/schema/default_rules.h"

namespace muster::objects {

namespace {

constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";

// The object with one member added, or replaced.
Node with(Builder& builder, View object, std::string_view literal_key, const Node& value) {
  std::vector<Node::Member> members;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const Node::Member& member = object.node().members[i];
    if (std::string_view(member.key.text, member.key.size) != literal_key) {
      members.push_back(member);
    }
  }
  members.push_back({Builder::literal(literal_key), value});
  return builder.object(members);
}

struct Filled {
  std::string_view literal_key;
  Node value;
};

// The object with those of these members that it lacks.
Node completed(Builder& builder, View object, std::initializer_list<Filled> fills) {
  std::vector<Node::Member> members;
  for (std::size_t i = 0; i < object.size(); ++i) members.push_back(object.node().members[i]);
  for (const Filled& fill : fills) {
    if (object[fill.literal_key]) continue;
    members.push_back({Builder::literal(fill.literal_key), fill.value});
  }
  return builder.object(members);
}

bool lacks(View object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!object[key]) return true;
  }
  return false;
}

// Workloads.

bool rolls(View strategy) {
  return strategy["type"].string_or("RollingUpdate") == "RollingUpdate";
}

void fill_rolling_update(View strategy, const Node& surge, const Node& unavailable,
                         RuleEdits& edits) {
  edits.set("rollingUpdate", completed(edits.builder, strategy["rollingUpdate"],
                                       {{"maxUnavailable", unavailable}, {"maxSurge", surge}}));
}

// A strategy that names no type rolls from the first pod on; one that does may leave the rest out.
bool lacks_partition(View strategy) {
  if (!strategy["type"]) return !strategy["rollingUpdate"]["partition"];
  return rolls(strategy) && strategy["rollingUpdate"] && !strategy["rollingUpdate"]["partition"];
}

void fill_labels_of_template(View controller, RuleEdits& edits) {
  const View labels = controller["spec"]["template"]["metadata"]["labels"];
  if (controller["spec"]["selector"].empty()) {
    edits.set("spec", with(edits.builder, controller["spec"], "selector", labels.node()));
  }
  if (controller["metadata"]["labels"].empty()) {
    edits.set("metadata", with(edits.builder, controller["metadata"], "labels", labels.node()));
  }
}

// Autoscalers.

void fill_metrics(RuleEdits& edits) {
  constexpr std::int64_t utilization = 80;
  Builder& builder = edits.builder;
  const Node target = completed(builder, View(),
                                {{"type", Builder::literal("Utilization")},
                                 {"averageUtilization", Builder::integer(utilization)}});
  const Node resource =
      completed(builder, View(), {{"name", Builder::literal("cpu")}, {"target", target}});
  const Node metric =
      completed(builder, View(), {{"type", Builder::literal("Resource")}, {"resource", resource}});
  edits.set("metrics", builder.array({&metric, 1}));
}

Node scaling_policy(Builder& builder, std::string_view literal_type, std::int64_t value) {
  constexpr std::int64_t period_s = 15;
  return completed(builder, View(),
                   {{"type", Builder::literal(literal_type)},
                    {"value", Builder::integer(value)},
                    {"periodSeconds", Builder::integer(period_s)}});
}

void fill_behavior(View behavior, RuleEdits& edits) {
  Builder& builder = edits.builder;
  const Node percent = scaling_policy(builder, "Percent", 100);
  const Node up_policies[] = {scaling_policy(builder, "Pods", 4), percent};
  const Node up = completed(builder, behavior["scaleUp"],
                            {{"stabilizationWindowSeconds", Builder::integer(0)},
                             {"selectPolicy", Builder::literal("Max")},
                             {"policies", builder.array(up_policies)}});
  const Node down = completed(
      builder, behavior["scaleDown"],
      {{"selectPolicy", Builder::literal("Max")}, {"policies", builder.array({&percent, 1})}});
  const Node with_up = with(builder, behavior, "scaleUp", up);
  edits.set("behavior", with(builder, View(&with_up), "scaleDown", down));
}

bool lacks_behavior(View behavior) {
  return behavior &&
         (lacks(behavior["scaleUp"], {"stabilizationWindowSeconds", "selectPolicy", "policies"}) ||
          lacks(behavior["scaleDown"], {"selectPolicy", "policies"}));
}

// The others.

void fill_policy_types(View spec, RuleEdits& edits) {
  const Node types[] = {Builder::literal("Ingress"), Builder::literal("Egress")};
  edits.set("policyTypes", edits.builder.array({types, spec["egress"].empty() ? 1u : 2u}));
}

// What was given as text goes over what was given as bytes; only bytes are kept.
void fill_secret_data(View secret, RuleEdits& edits) {
  const View texts = secret["stringData"];
  std::vector<Node::Member> members;
  for (std::size_t i = 0; i < secret["data"].size(); ++i) {
    const Node::Member& member = secret["data"].node().members[i];
    if (!texts[{member.key.text, member.key.size}]) members.push_back(member);
  }
  for (MemberView text : texts.members()) {
    members.push_back({edits.builder.text(text.key),
                       edits.builder.text(base64_encode(text.value.string_or("")))});
  }
  if (!members.empty()) edits.set("data", edits.builder.object(members));
  edits.set("stringData", Node());
}

// What an API that is gone counted in daemon sets is still written down.
constexpr std::string_view template_generation = "deprecated.daemonset.template.generation";

void fill_template_generation(View daemon_set, RuleEdits& edits) {
  const View metadata = daemon_set["metadata"];
  const Node annotations =
      with(edits.builder, metadata["annotations"], template_generation, Builder::literal("1"));
  edits.set("metadata", with(edits.builder, metadata, "annotations", annotations));
}

bool is_person(View subject) {
  const std::string_view kind = subject["kind"].string_or("");
  return kind == "User" || kind == "Group";
}

}  // namespace

bool kind_rule_applies(DefaultRule rule, View object) {
  switch (rule) {
    case DefaultRule::rolling_update_deployment:
    case DefaultRule::rolling_update_daemon_set:
      return rolls(object) && lacks(object["rollingUpdate"], {"maxUnavailable", "maxSurge"});
    case DefaultRule::rolling_update_stateful_set:
      return lacks_partition(object) || !object["type"];
    case DefaultRule::replication_controller_labels:
      return !object["spec"]["template"]["metadata"]["labels"].empty() &&
             (object["spec"]["selector"].empty() || object["metadata"]["labels"].empty());
    case DefaultRule::autoscaler_metrics:
      return object["metrics"].empty();
    case DefaultRule::autoscaler_behavior:
      return lacks_behavior(object["behavior"]);
    case DefaultRule::endpoint_port_name:
      return !object["name"];
    case DefaultRule::policy_types:
      return object["policyTypes"].empty();
    case DefaultRule::device_request:
      return !object["count"] && object["allocationMode"].string_or("ExactCount") == "ExactCount";
    case DefaultRule::role_ref_group:
      return object["apiGroup"].string_or("").empty();
    case DefaultRule::subject_group:
      return object["apiGroup"].string_or("").empty() && is_person(object);
    case DefaultRule::secret_string_data:
      return !object["stringData"].is_absent();
    case DefaultRule::template_generation:
      return object["metadata"] && !object["metadata"]["annotations"][template_generation];
    default:
      return false;
  }
}

void apply_kind_rule(DefaultRule rule, View object, RuleEdits& edits) {
  switch (rule) {
    case DefaultRule::rolling_update_deployment:
      return fill_rolling_update(object, Builder::literal("25%"), Builder::literal("25%"), edits);
    case DefaultRule::rolling_update_daemon_set:
      return fill_rolling_update(object, Builder::integer(0), Builder::integer(1), edits);
    case DefaultRule::rolling_update_stateful_set:
      if (lacks_partition(object)) {
        edits.set("rollingUpdate", completed(edits.builder, object["rollingUpdate"],
                                             {{"partition", Builder::integer(0)}}));
      }
      if (!object["type"]) edits.set("type", Builder::literal("RollingUpdate"));
      return;
    case DefaultRule::replication_controller_labels:
      return fill_labels_of_template(object, edits);
    case DefaultRule::autoscaler_metrics:
      return fill_metrics(edits);
    case DefaultRule::autoscaler_behavior:
      return fill_behavior(object["behavior"], edits);
    case DefaultRule::endpoint_port_name:
      return edits.set("name", Builder::literal(""));
    case DefaultRule::policy_types:
      return fill_policy_types(object, edits);
    case DefaultRule::device_request:
      return edits.set("count", Builder::integer(1));
    case DefaultRule::role_ref_group:
    case DefaultRule::subject_group:
      return edits.set("apiGroup", Builder::literal(rbac_group));
    case DefaultRule::secret_string_data:
      return fill_secret_data(object, edits);
    case DefaultRule::template_generation:
      return fill_template_generation(object, edits);
    default:
      return;
  }
}

}  // namespace muster::objects
