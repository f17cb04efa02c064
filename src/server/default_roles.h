// The roles that exist from the start: kube-apiserver's own (cluster-admin, admin, edit, view,
// system:…), which people bind and charts refer to, and one for each of Muster's controllers. They
// are objects like everybody's and are brought up to date at every start, unless their annotation
// rbac.authorization.kubernetes.io/autoupdate says "false".
//
//   for (const Value& object : default_policy()) index.put(object);
//
// Assumes: nothing. The objects have kind, apiVersion, name and namespace, labels and annotations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::server {

inline constexpr std::string_view autoupdate_annotation =
    "rbac.authorization.kubernetes.io/autoupdate";

// Roles before the bindings that refer to them. `edit`, `view` and `admin` come with the rules that
// aggregation gives them among the default roles.
const std::vector<objects::Value>& default_policy();

// What a default object that is there lacks of its default: rules, labels, subjects. Nothing where
// it lacks nothing or is not to be updated. A binding to another role is to be made anew: absent.
struct Reconciled {
  bool changed = false;
  bool recreate = false;
  objects::Value object = {};
};
Reconciled reconcile_default(const objects::Value& wanted, const objects::Value& present);

// The rules of an aggregated ClusterRole: those of the roles that its selectors choose, in the
// order of their names, each once. The role itself does not count.
objects::Value aggregated_rules(objects::View role, std::span<const objects::Value> cluster_roles);

// One rule of a default role. Blanks separate; `core` is the group without a name.
struct RuleRow {
  std::string_view role;
  std::string_view verbs;
  std::string_view groups = {};
  std::string_view resources = {};
  std::string_view names = {};
  std::string_view paths = {};
};

// The tables (server/default_roles_table.cc). Rows of one role stand together.
std::span<const RuleRow> default_cluster_rules();
std::span<const RuleRow> muster_cluster_rules();

}  // namespace muster::server
