// SPDX-License-Identifier: Apache-2.0
#include "server/default_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/kueue_roles.h"
#include "server/policy_rule.h"
#include "server/role_index.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;

namespace {

constexpr std::string_view bootstrapping_label = "kubernetes.io/bootstrapping";
constexpr std::string_view api_version = "rbac.authorization.k8s.io/v1";

// Which label makes a role a part of an aggregated one.
struct Aggregation {
  std::string_view role;
  std::string_view label;
};
constexpr Aggregation parts_of_others[] = {
    {"edit", "rbac.authorization.k8s.io/aggregate-to-admin"},
    {"view", "rbac.authorization.k8s.io/aggregate-to-edit"},
    {"system:aggregate-to-admin", "rbac.authorization.k8s.io/aggregate-to-admin"},
    {"system:aggregate-to-edit", "rbac.authorization.k8s.io/aggregate-to-edit"},
    {"system:aggregate-to-view", "rbac.authorization.k8s.io/aggregate-to-view"},
    {"system:muster:aggregate-to-edit", "rbac.authorization.k8s.io/aggregate-to-edit"},
    {"system:muster:aggregate-to-view", "rbac.authorization.k8s.io/aggregate-to-view"},
};
// Each after those it is made of.
constexpr Aggregation aggregated_roles[] = {
    {"view", "rbac.authorization.k8s.io/aggregate-to-view"},
    {"edit", "rbac.authorization.k8s.io/aggregate-to-edit"},
    {"admin", "rbac.authorization.k8s.io/aggregate-to-admin"},
};

struct RoleRows {
  std::string_view name_space;
  RuleRow row;
};
constexpr std::string_view leader_verbs = "create get list update watch";
constexpr std::string_view controller_locking = "system::leader-locking-kube-controller-manager";
constexpr std::string_view scheduler_locking = "system::leader-locking-kube-scheduler";
constexpr RoleRows role_rules[] = {
    {"kube-system",
     {"extension-apiserver-authentication-reader", "get list watch", "core", "configmaps",
      "extension-apiserver-authentication"}},
    {"kube-system", {controller_locking, leader_verbs, "coordination.k8s.io", "leases"}},
    {"kube-system", {controller_locking, leader_verbs, "coordination.k8s.io", "leasecandidates"}},
    {"kube-system", {scheduler_locking, leader_verbs, "coordination.k8s.io", "leases"}},
    {"kube-system", {scheduler_locking, leader_verbs, "coordination.k8s.io", "leasecandidates"}},
};

struct SubjectRow {
  std::string_view kind;
  std::string_view name;
  std::string_view name_space = {};
};
struct BindingRow {
  std::string_view name_space;  // empty: cluster-wide
  std::string_view name;
  std::string_view role_kind;
  std::string_view role;
  std::array<SubjectRow, 3> subjects = {};
};
constexpr SubjectRow everybody_known{"Group", "system:authenticated"};
constexpr SubjectRow controllers{"User", "system:muster:controller"};
constexpr BindingRow binding_rows[] = {
    {"", "cluster-admin", "ClusterRole", "cluster-admin", {{{"Group", "system:masters"}}}},
    {"", "system:basic-user", "ClusterRole", "system:basic-user", {{everybody_known}}},
    {"", "system:discovery", "ClusterRole", "system:discovery", {{everybody_known}}},
    {"",
     "system:kube-controller-manager",
     "ClusterRole",
     "system:kube-controller-manager",
     {{{"User", "system:kube-controller-manager"}}}},
    {"",
     "system:kube-dns",
     "ClusterRole",
     "system:kube-dns",
     {{{"ServiceAccount", "kube-dns", "kube-system"}}}},
    {"",
     "system:kube-scheduler",
     "ClusterRole",
     "system:kube-scheduler",
     {{{"User", "system:kube-scheduler"}}}},
    {"",
     "system:monitoring",
     "ClusterRole",
     "system:monitoring",
     {{{"Group", "system:monitoring"}}}},
    {"",
     "system:muster:agent",
     "ClusterRole",
     "system:muster:agent",
     {{{"User", "system:muster:agent"}}}},
    {"",
     "system:muster:controller:apps",
     "ClusterRole",
     "system:muster:controller:apps",
     {{controllers}}},
    {"",
     "system:muster:controller:cache",
     "ClusterRole",
     "system:muster:controller:cache",
     {{controllers}}},
    {"",
     "system:muster:controller:events",
     "ClusterRole",
     "system:muster:controller:events",
     {{controllers}}},
    {"",
     "system:muster:controller:jobs",
     "ClusterRole",
     "system:muster:controller:jobs",
     {{controllers}}},
    {"",
     "system:muster:controller:nodes",
     "ClusterRole",
     "system:muster:controller:nodes",
     {{controllers}}},
    {"",
     "system:muster:controller:queue-status",
     "ClusterRole",
     "system:muster:controller:queue-status",
     {{controllers}}},
    {"",
     "system:muster:controller:queueing",
     "ClusterRole",
     "system:muster:controller:queueing",
     {{controllers}}},
    {"",
     "system:muster:controller:scheduling",
     "ClusterRole",
     "system:muster:controller:scheduling",
     {{controllers}}},
    {"", "system:node", "ClusterRole", "system:node"},
    {"",
     "system:node-proxier",
     "ClusterRole",
     "system:node-proxier",
     {{{"User", "system:kube-proxy"}}}},
    {"",
     "system:public-info-viewer",
     "ClusterRole",
     "system:public-info-viewer",
     {{everybody_known, {"Group", "system:unauthenticated"}}}},
    {"",
     "system:service-account-issuer-discovery",
     "ClusterRole",
     "system:service-account-issuer-discovery",
     {{{"Group", "system:serviceaccounts"}}}},
    {"",
     "system:volume-scheduler",
     "ClusterRole",
     "system:volume-scheduler",
     {{{"User", "system:kube-scheduler"}}}},
    {"kube-system",
     "system::extension-apiserver-authentication-reader",
     "Role",
     "extension-apiserver-authentication-reader",
     {{{"User", "system:kube-controller-manager"}, {"User", "system:kube-scheduler"}}}},
    {"kube-system",
     controller_locking,
     "Role",
     controller_locking,
     {{{"User", "system:kube-controller-manager"},
       {"ServiceAccount", "kube-controller-manager", "kube-system"},
       {"ServiceAccount", "leader-election-controller", "kube-system"}}}},
    {"kube-system",
     scheduler_locking,
     "Role",
     scheduler_locking,
     {{{"User", "system:kube-scheduler"}, {"ServiceAccount", "kube-scheduler", "kube-system"}}}},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    words.emplace_back(word == "core" ? std::string_view() : word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

PolicyRule rule_of(const RuleRow& row) {
  return {.verbs = words_of(row.verbs),
          .groups = words_of(row.groups),
          .resources = words_of(row.resources),
          .resource_names = words_of(row.names),
          .paths = words_of(row.paths)};
}

Value texts(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  Builder builder;
  std::vector<Node> pairs;
  for (const auto& [key, text] : members) {
    if (key.empty()) continue;
    pairs.push_back(builder.text(key));
    pairs.push_back(builder.text(text));
  }
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

std::string_view label_of(std::span<const Aggregation> aggregations, std::string_view role) {
  for (const Aggregation& each : aggregations) {
    if (each.role == role) return each.label;
  }
  return {};
}

Value metadata_of(std::string_view name, std::string_view name_space, std::string_view label) {
  const Value labels = texts({{bootstrapping_label, "rbac-defaults"}, {label, "true"}});
  const Value annotations = texts({{autoupdate_annotation, "true"}});
  Builder builder;
  std::vector<Node> pairs = {Builder::literal("name"), builder.text(name)};
  if (!name_space.empty()) {
    pairs.push_back(Builder::literal("namespace"));
    pairs.push_back(builder.text(name_space));
  }
  pairs.push_back(Builder::literal("labels"));
  pairs.push_back(builder.embed(labels));
  pairs.push_back(Builder::literal("annotations"));
  pairs.push_back(builder.embed(annotations));
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

Value role_object(std::string_view name_space, std::string_view name,
                  const std::vector<PolicyRule>& rules) {
  return Value::object(
      {{"kind", Value::string(name_space.empty() ? "ClusterRole" : "Role")},
       {"apiVersion", Value::string(api_version)},
       {"metadata", metadata_of(name, name_space, label_of(parts_of_others, name))},
       {"rules", policy_rules_value(rules)}});
}

Value aggregated_object(const Aggregation& role, std::span<const Value> cluster_roles) {
  const Value selector = Value::object({{"matchLabels", texts({{role.label, "true"}})}});
  const Value object = Value::object(
      {{"kind", Value::string("ClusterRole")},
       {"apiVersion", Value::string(api_version)},
       {"metadata", metadata_of(role.role, "", label_of(parts_of_others, role.role))},
       {"aggregationRule", Value::object({{"clusterRoleSelectors", Value::array({selector})}})}});
  Builder builder;
  builder.retain(object);
  Rewrite root(object);
  root.set("rules", builder.embed(aggregated_rules(object, cluster_roles)));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Value subject_object(const SubjectRow& row) {
  if (row.kind == "ServiceAccount") {
    return texts({{"kind", row.kind}, {"name", row.name}, {"namespace", row.name_space}});
  }
  return texts({{"kind", row.kind}, {"apiGroup", rbac_group}, {"name", row.name}});
}

Value binding_object(const BindingRow& row) {
  Builder builder;
  std::vector<Node> subjects;
  for (const SubjectRow& subject : row.subjects) {
    if (!subject.kind.empty()) subjects.push_back(builder.embed(subject_object(subject)));
  }
  const Value metadata = metadata_of(row.name, row.name_space, "");
  const Value reference =
      texts({{"apiGroup", rbac_group}, {"kind", row.role_kind}, {"name", row.role}});
  std::vector<Node> pairs = {
      Builder::literal("kind"),
      Builder::literal(row.name_space.empty() ? "ClusterRoleBinding" : "RoleBinding"),
      Builder::literal("apiVersion"),
      Builder::literal(api_version),
      Builder::literal("metadata"),
      builder.embed(metadata)};
  if (!subjects.empty()) {
    pairs.push_back(Builder::literal("subjects"));
    pairs.push_back(builder.array(subjects));
  }
  pairs.push_back(Builder::literal("roleRef"));
  pairs.push_back(builder.embed(reference));
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

void add_cluster_roles(std::span<const RuleRow> rows, std::vector<Value>& objects) {
  std::map<std::string_view, std::vector<PolicyRule>> roles;
  for (const RuleRow& row : rows) roles[row.role].push_back(rule_of(row));
  for (const auto& [name, rules] : roles) objects.push_back(role_object("", name, rules));
}

void add_roles(std::vector<Value>& objects) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<PolicyRule>> roles;
  for (const RoleRows& row : role_rules) {
    roles[{row.name_space, row.row.role}].push_back(rule_of(row.row));
  }
  for (const auto& [place, rules] : roles) {
    objects.push_back(role_object(place.first, place.second, rules));
  }
}

std::vector<Value> make_policy() {
  std::vector<Value> objects;
  add_cluster_roles(default_cluster_rules(), objects);
  add_cluster_roles(muster_cluster_rules(), objects);
  for (Value& role : kueue_roles()) objects.push_back(std::move(role));
  for (const Aggregation& role : aggregated_roles) {
    objects.push_back(aggregated_object(role, objects));
  }
  add_roles(objects);
  for (const BindingRow& row : binding_rows) objects.push_back(binding_object(row));
  return objects;
}

}  // namespace

const std::vector<Value>& default_policy() {
  static const std::vector<Value> policy = make_policy();
  return policy;
}

}  // namespace muster::server
