// SPDX-License-Identifier: Apache-2.0
#include "server/role_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "objects/json.h"
#include "objects/metadata.h"
#include "server/authorization.h"
#include "server/default_roles.h"

namespace muster::server {
namespace {

using objects::Value;

Value json(std::string_view text) {
  return objects::parse_json(text).must();
}

Value binding(std::string_view name_space, std::string_view role_kind, std::string_view role,
              std::string_view subjects) {
  return json(fmt::format(
      R"({{"kind":"{}","metadata":{{"name":"b","namespace":"{}"}},
          "roleRef":{{"kind":"{}","name":"{}"}},"subjects":[{}]}})",
      name_space.empty() ? "ClusterRoleBinding" : "RoleBinding", name_space, role_kind, role,
      subjects));
}

const Value reader = json(
    R"({"kind":"ClusterRole","metadata":{"name":"reader"},
        "rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})");

Access get_pod(const Identity& identity, std::string_view name_space) {
  return {.identity = identity,
          .verb = "get",
          .resource = "pods",
          .name_space = name_space,
          .name = "p"};
}

TEST(role_index, a_binding_of_a_namespace_holds_there_alone) {
  RoleIndex roles;
  roles.put(reader);
  roles.put(binding("a", "ClusterRole", "reader", R"({"kind":"User","name":"ann"})"));
  const Identity ann{.name = "ann"};
  EXPECT_TRUE(roles.allows(get_pod(ann, "a")));
  EXPECT_FALSE(roles.allows(get_pod(ann, "b")));
  EXPECT_FALSE(roles.allows(get_pod(ann, "")));
  EXPECT_FALSE(roles.allows(get_pod({.name = "bob", .groups = {"ann"}}, "a")));
  EXPECT_EQ(roles.judge(get_pod(ann, "a")).reason,
            R"(RBAC: allowed by RoleBinding "b/a" of ClusterRole "reader" to User "ann")");
}

TEST(role_index, a_cluster_binding_holds_everywhere) {
  RoleIndex roles;
  roles.put(reader);
  roles.put(binding("", "ClusterRole", "reader", R"({"kind":"Group","name":"devs"})"));
  const Identity ann{.name = "ann", .groups = {"x", "devs"}};
  EXPECT_TRUE(roles.allows(get_pod(ann, "a")));
  EXPECT_TRUE(roles.allows(get_pod(ann, "")));
  EXPECT_EQ(roles.judge(get_pod(ann, "a")).reason,
            R"(RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "devs")");
}

TEST(role_index, service_accounts_are_the_users_they_act_as) {
  RoleIndex roles;
  roles.put(reader);
  roles.put(binding("a", "ClusterRole", "reader",
                    R"({"kind":"ServiceAccount","name":"bot"},
                       {"kind":"ServiceAccount","name":"far","namespace":"b"})"));
  EXPECT_TRUE(roles.allows(get_pod({.name = "system:serviceaccount:a:bot"}, "a")));
  EXPECT_TRUE(roles.allows(get_pod({.name = "system:serviceaccount:b:far"}, "a")));
  EXPECT_FALSE(roles.allows(get_pod({.name = "system:serviceaccount:b:bot"}, "a")));
  EXPECT_EQ(roles.judge(get_pod({.name = "system:serviceaccount:a:bot"}, "a")).reason,
            R"(RBAC: allowed by RoleBinding "b/a" of ClusterRole "reader" to )"
            R"(ServiceAccount "bot/a")");
}

TEST(role_index, a_service_account_without_a_namespace_is_nobody_cluster_wide) {
  RoleIndex roles;
  roles.put(reader);
  roles.put(binding("", "ClusterRole", "reader", R"({"kind":"ServiceAccount","name":"bot"})"));
  EXPECT_FALSE(roles.allows(get_pod({.name = "system:serviceaccount::bot"}, "a")));
}

TEST(role_index, changes_hold_at_once_and_leave_nothing_behind) {
  RoleIndex roles;
  roles.put(binding("a", "ClusterRole", "reader", R"({"kind":"User","name":"ann"})"));
  const Identity ann{.name = "ann"};
  const Identity bob{.name = "bob"};
  EXPECT_EQ(roles.judge(get_pod(ann, "a")).reason,
            R"(RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found)");
  roles.put(reader);
  EXPECT_TRUE(roles.allows(get_pod(ann, "a")));
  roles.put(binding("a", "ClusterRole", "reader", R"({"kind":"User","name":"bob"})"));
  EXPECT_FALSE(roles.allows(get_pod(ann, "a")));
  EXPECT_TRUE(roles.allows(get_pod(bob, "a")));
  roles.erase("ClusterRole", "", "reader");
  EXPECT_FALSE(roles.allows(get_pod(bob, "a")));
  roles.put(reader);
  roles.erase("RoleBinding", "a", "b");
  EXPECT_FALSE(roles.allows(get_pod(bob, "a")));
}

TEST(role_index, what_somebody_may_do_can_be_listed) {
  RoleIndex roles;
  for (const Value& object : default_policy()) roles.put(object);
  const Identity ann{.name = "ann", .groups = {std::string(authenticated_group)}};
  const OwnedRules owned = roles.rules_of(ann, "a");
  EXPECT_TRUE(owned.errors.empty());
  EXPECT_EQ(owned.rules.size(), 4U);  // basic-user has two, discovery and public-info-viewer one
}

TEST(role_index, the_default_roles_aggregate) {
  RoleIndex roles;
  for (const Value& object : default_policy()) roles.put(object);
  const auto may = [&](std::string_view role, const Access& access) {
    const auto* rules = roles.find_role("ClusterRole", "", role);
    return rules != nullptr && std::ranges::any_of(*rules, [&](const PolicyRule& rule) {
             return allows(rule, access);
           });
  };
  const Identity ann{.name = "ann"};
  EXPECT_TRUE(may("view", get_pod(ann, "a")));
  EXPECT_TRUE(may("edit", get_pod(ann, "a")));
  EXPECT_TRUE(may("admin", get_pod(ann, "a")));
  const Access secret{.identity = ann, .verb = "get", .resource = "secrets"};
  EXPECT_FALSE(may("view", secret));
  EXPECT_TRUE(may("edit", secret));
  const Access role{.identity = ann, .verb = "create", .group = rbac_group, .resource = "roles"};
  EXPECT_FALSE(may("edit", role));
  EXPECT_TRUE(may("admin", role));
}

TEST(role_index, every_default_binding_names_a_default_role) {
  RoleIndex roles;
  for (const Value& object : default_policy()) roles.put(object);
  for (const Value& object : default_policy()) {
    const objects::View role = object["roleRef"];
    if (!role) continue;
    EXPECT_NE(roles.find_role(role["kind"].string_or(""), objects::namespace_of(object),
                              role["name"].string_or("")),
              nullptr)
        << objects::name_of(object);
  }
}

TEST(default_roles, what_is_missing_is_added_and_the_rest_is_left) {
  const Value& wanted = default_policy().front();
  EXPECT_FALSE(reconcile_default(wanted, wanted).changed);
  const Value poor = json(fmt::format(
      R"({{"kind":"ClusterRole","metadata":{{"name":"{}","labels":{{"mine":"x"}}}},
          "rules":[{{"verbs":["get"],"apiGroups":["z.io"],"resources":["things"]}}]}})",
      objects::name_of(wanted)));
  const Reconciled next = reconcile_default(wanted, poor);
  ASSERT_TRUE(next.changed);
  EXPECT_EQ(objects::labels_of(next.object)["mine"].string_or(""), "x");
  EXPECT_EQ(objects::annotations_of(next.object)[autoupdate_annotation].string_or(""), "true");
  EXPECT_EQ(next.object["rules"].size(), wanted["rules"].size() + 1);
  EXPECT_FALSE(reconcile_default(wanted, next.object).changed);
}

TEST(default_roles, who_says_so_is_not_updated) {
  const Value mine = json(
      R"({"kind":"ClusterRole","metadata":{"name":"cluster-admin",
          "annotations":{"rbac.authorization.kubernetes.io/autoupdate":"false"}},"rules":[]})");
  EXPECT_FALSE(reconcile_default(default_policy().front(), mine).changed);
}

}  // namespace
}  // namespace muster::server
