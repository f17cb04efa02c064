// SPDX-License-Identifier: Apache-2.0
#include "server/kueue_roles.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "objects/builder.h"
#include "objects/edit.h"
#include "server/default_roles.h"
#include "server/policy_rule.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;

namespace {

constexpr std::string_view kueue_group = "kueue.x-k8s.io";

// Who gets a role by aggregation, beside administrators of batch.
enum class Audience : std::uint8_t {
  administrators,  // and nobody else
  admin_role,      // whoever has `admin`
  everybody,       // whoever has `view`, `edit` or `admin`
  users,           // users of batch
  everybody_and_users,
};

struct KindRow {
  std::string_view name;
  std::string_view group;
  std::string_view plural;
  Audience editors;
  Audience viewers;
  bool has_status = true;
};

constexpr KindRow kind_rows[] = {
    {"clusterqueue", kueue_group, "clusterqueues", Audience::administrators, Audience::admin_role},
    {"cohort", kueue_group, "cohorts", Audience::administrators, Audience::admin_role, false},
    {"jaxjob", "kubeflow.org", "jaxjobs", Audience::users, Audience::everybody_and_users},
    {"job", "batch", "jobs", Audience::users, Audience::everybody_and_users},
    {"jobset", "jobset.x-k8s.io", "jobsets", Audience::users, Audience::everybody_and_users},
    {"leaderworkerset", "leaderworkerset.x-k8s.io", "leaderworkersets", Audience::users,
     Audience::everybody_and_users},
    {"localqueue", kueue_group, "localqueues", Audience::administrators,
     Audience::everybody_and_users},
    {"mpijob", "kubeflow.org", "mpijobs", Audience::users, Audience::everybody_and_users},
    {"paddlejob", "kubeflow.org", "paddlejobs", Audience::users, Audience::everybody_and_users},
    {"pytorchjob", "kubeflow.org", "pytorchjobs", Audience::users, Audience::everybody_and_users},
    {"raycluster", "ray.io", "rayclusters", Audience::users, Audience::everybody},
    {"rayjob", "ray.io", "rayjobs", Audience::users, Audience::everybody_and_users},
    {"rayservice", "ray.io", "rayservices", Audience::users, Audience::everybody},
    {"resourceflavor", kueue_group, "resourceflavors", Audience::administrators,
     Audience::admin_role, false},
    {"sparkapplication", "sparkoperator.k8s.io", "sparkapplications", Audience::users,
     Audience::everybody_and_users},
    {"tfjob", "kubeflow.org", "tfjobs", Audience::users, Audience::everybody_and_users},
    {"topology", kueue_group, "topologies", Audience::administrators, Audience::admin_role, false},
    {"trainjob", "trainer.kubeflow.org", "trainjobs", Audience::users,
     Audience::everybody_and_users},
    {"workload", kueue_group, "workloads", Audience::administrators, Audience::everybody_and_users},
    {"xgboostjob", "kubeflow.org", "xgboostjobs", Audience::users, Audience::everybody_and_users},
};

// What waits in a queue.
struct PendingRow {
  std::string_view name;
  std::string_view resource;
  Audience viewers;
};
constexpr PendingRow pending_rows[] = {
    {"pending-workloads-cq-viewer", "clusterqueues/pendingworkloads", Audience::everybody},
    {"pending-workloads-lq-viewer", "localqueues/pendingworkloads", Audience::everybody_and_users},
};

class Labels {
 public:
  Labels() {
    add("app.kubernetes.io/name", "kueue");
    add("control-plane", "controller-manager");
  }

  Labels& add(std::string_view key, std::string_view value) {
    pairs_.push_back(builder_.text(key));
    pairs_.push_back(builder_.text(value));
    return *this;
  }

  Labels& add(Audience audience) {
    add("rbac.kueue.x-k8s.io/batch-admin", "true");
    if (audience == Audience::users || audience == Audience::everybody_and_users) {
      add("rbac.kueue.x-k8s.io/batch-user", "true");
    }
    if (audience == Audience::administrators || audience == Audience::users) return *this;
    add("rbac.authorization.k8s.io/aggregate-to-admin", "true");
    if (audience == Audience::admin_role) return *this;
    add("rbac.authorization.k8s.io/aggregate-to-edit", "true");
    return add("rbac.authorization.k8s.io/aggregate-to-view", "true");
  }

  Value finish() {
    const Node node = builder_.object_of_pairs(pairs_);
    return std::move(builder_).finish(node);
  }

 private:
  Builder builder_;
  std::vector<Node> pairs_;
};

Value metadata_of(std::string_view name, Labels labels) {
  return Value::object(
      {{"name", Value::string(fmt::format("kueue-{}", name))}, {"labels", labels.finish()}});
}

Value role_of(std::string_view name, Audience audience, const std::vector<PolicyRule>& rules) {
  Labels labels;
  labels.add("rbac.kueue.x-k8s.io/role", name).add(audience);
  return Value::object({{"kind", Value::string("ClusterRole")},
                        {"apiVersion", Value::string("rbac.authorization.k8s.io/v1")},
                        {"metadata", metadata_of(fmt::format("{}-role", name), std::move(labels))},
                        {"rules", policy_rules_value(rules)}});
}

std::vector<PolicyRule> rules_for(const KindRow& row, std::vector<std::string> verbs) {
  std::vector<PolicyRule> rules = {{.verbs = std::move(verbs),
                                    .groups = {std::string(row.group)},
                                    .resources = {std::string(row.plural)}}};
  if (row.has_status) {
    rules.push_back({.verbs = {"get"},
                     .groups = {std::string(row.group)},
                     .resources = {fmt::format("{}/status", row.plural)}});
  }
  return rules;
}

Value aggregated_role(std::string_view audience, const std::vector<Value>& roles) {
  const std::string label = fmt::format("rbac.kueue.x-k8s.io/{}", audience);
  const Value selector = Value::object(
      {{"matchLabels", Value::object({{std::string_view(label), Value::string("true")}})}});
  const Value role = Value::object(
      {{"kind", Value::string("ClusterRole")},
       {"apiVersion", Value::string("rbac.authorization.k8s.io/v1")},
       {"metadata", metadata_of(fmt::format("{}-role", audience), Labels())},
       {"aggregationRule", Value::object({{"clusterRoleSelectors", Value::array({selector})}})}});
  return objects::with(role, {"rules"}, aggregated_rules(role, roles)).value_or(role);
}

}  // namespace

std::vector<Value> kueue_roles() {
  const std::vector<std::string> viewing = {"get", "list", "watch"};
  const std::vector<std::string> editing = {"create", "delete", "get",  "list",
                                            "patch",  "update", "watch"};
  std::vector<Value> roles;
  for (const KindRow& row : kind_rows) {
    roles.push_back(
        role_of(fmt::format("{}-editor", row.name), row.editors, rules_for(row, editing)));
    roles.push_back(
        role_of(fmt::format("{}-viewer", row.name), row.viewers, rules_for(row, viewing)));
  }
  for (const PendingRow& row : pending_rows) {
    roles.push_back(role_of(row.name, row.viewers,
                            {{.verbs = viewing,
                              .groups = {"visibility.kueue.x-k8s.io"},
                              .resources = {std::string(row.resource)}}}));
  }
  const Value administrators = aggregated_role("batch-admin", roles);
  const Value users = aggregated_role("batch-user", roles);
  roles.push_back(administrators);
  roles.push_back(users);
  return roles;
}

}  // namespace muster::server
