// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/default_roles.h"
#include "server/policy_rule.h"

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

// The present map with what the wanted one has and it lacks; nothing where it lacks nothing.
std::optional<Value> completed_texts(View present, View wanted) {
  Builder builder;
  std::vector<Node> pairs;
  bool changed = false;
  for (const MemberView member : present.members()) {
    pairs.push_back(builder.text(member.key));
    pairs.push_back(builder.copy(member.value));
  }
  for (const MemberView member : wanted.members()) {
    if (present[member.key]) continue;
    pairs.push_back(builder.text(member.key));
    pairs.push_back(builder.copy(member.value));
    changed = true;
  }
  if (!changed) return std::nullopt;
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

// The present rules and what they do not cover of the wanted ones.
std::optional<Value> completed_rules(View present, View wanted) {
  std::vector<PolicyRule> rules = read_policy_rules(present);
  bool changed = false;
  for (const PolicyRule& rule : read_policy_rules(wanted)) {
    if (not_covered(rules, std::span(&rule, 1)).empty()) continue;
    rules.push_back(rule);
    changed = true;
  }
  if (!changed) return std::nullopt;
  return policy_rules_value(rules);
}

std::optional<Value> completed_list(View present, View wanted) {
  Builder builder;
  std::vector<Node> elements;
  for (const View element : present.elements()) elements.push_back(builder.copy(element));
  const std::size_t before = elements.size();
  for (const View element : wanted.elements()) {
    bool found = false;
    for (const View each : present.elements()) found = found || each == element;
    if (!found) elements.push_back(builder.copy(element));
  }
  if (elements.size() == before) return std::nullopt;
  const Node node = builder.array(elements);
  return std::move(builder).finish(node);
}

bool selects(View selector, View role) {
  const auto labels = objects::LabelSelector::of(selector);
  return labels && labels->matches(objects::labels_of(role));
}

}  // namespace

Reconciled reconcile_default(const Value& wanted, const Value& present) {
  const View annotations = objects::annotations_of(present);
  if (annotations[autoupdate_annotation].string_or("") == "false") return {};
  if (!(wanted["roleRef"] == present["roleRef"])) return {.changed = true, .recreate = true};
  Builder builder;
  builder.retain(present);
  Rewrite metadata(present["metadata"]);
  Rewrite root(present);
  Reconciled next;
  const auto set = [&](Rewrite& where, std::string_view key, const std::optional<Value>& value) {
    if (!value) return;
    where.set(key, builder.embed(*value));
    next.changed = true;
  };
  set(metadata, "labels", completed_texts(objects::labels_of(present), objects::labels_of(wanted)));
  set(metadata, "annotations", completed_texts(annotations, objects::annotations_of(wanted)));
  // What an aggregated role may do is not for its default to say.
  if (wanted["aggregationRule"]) {
    if (!present["aggregationRule"]) {
      set(root, "aggregationRule", Value::copy_of(wanted["aggregationRule"]));
    }
  } else {
    set(root, "rules", completed_rules(present["rules"], wanted["rules"]));
  }
  set(root, "subjects", completed_list(present["subjects"], wanted["subjects"]));
  if (!next.changed) return next;
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  next.object = std::move(builder).finish(node);
  return next;
}

Value aggregated_rules(View role, std::span<const Value> cluster_roles) {
  std::vector<PolicyRule> rules;
  std::map<std::string_view, const Value*> chosen;  // by name: one order for all
  for (const View selector : role["aggregationRule"]["clusterRoleSelectors"].elements()) {
    for (const Value& each : cluster_roles) {
      if (each["kind"].string_or("") != "ClusterRole") continue;
      if (objects::name_of(each) == objects::name_of(role)) continue;
      if (selects(selector, each)) chosen.emplace(objects::name_of(each), &each);
    }
  }
  for (const auto& [name, each] : chosen) {
    for (PolicyRule& rule : read_policy_rules((*each)["rules"])) {
      if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(std::move(rule));
    }
  }
  return policy_rules_value(rules);
}

}  // namespace muster::server
