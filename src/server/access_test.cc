// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/metadata.h"
#include "server/account_keeper.h"
#include "tests/suites/access_world.h"

// Who may do what, over the whole server. The sentences are those of a real kube-apiserver.

namespace muster::server {
namespace {

using objects::Value;
using objects::View;
using testing::HasSubstr;
using testing::IsSupersetOf;

constexpr std::string_view rbac = "/apis/rbac.authorization.k8s.io/v1";

std::string role_text(std::string_view name, std::string_view rules) {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"rules":[{}]}})", name, rules);
}

std::string binding_text(std::string_view name, std::string_view kind, std::string_view role,
                         std::string_view subjects) {
  return fmt::format(R"({{"metadata":{{"name":"{}"}},"roleRef":{{"kind":"{}","name":"{}"}},)"
                     R"("subjects":[{}]}})",
                     name, kind, role, subjects);
}

class Access : public testing::Test {
 protected:
  Access() {
    make("/api/v1/namespaces", R"({"metadata":{"name":"team-a"}})");
    world.settle();
  }

  Told make(std::string_view path, std::string body) {
    const Told told = world.post(std::string(path), std::move(body));
    EXPECT_EQ(told.status, 201) << told.body;
    return told;
  }
  std::string of(std::string_view resource, std::string_view name_space = {}) const {
    return name_space.empty() ? fmt::format("{}/{}", rbac, resource)
                              : fmt::format("{}/namespaces/{}/{}", rbac, name_space, resource);
  }
  Told create_as(std::string_view user, std::string path, std::string body) {
    return world.as(user, {.method = "POST", .path = std::move(path), .body = std::move(body)});
  }
  Told get_as(std::string_view user, std::string path) {
    return world.as(user, {.method = "GET", .path = std::move(path)});
  }
  void give_role_editing(std::string_view user) {
    make(of("clusterroles"),
         role_text("editor",
                   R"({"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles",
                      "rolebindings","clusterroles","clusterrolebindings"],
                      "verbs":["create","update","patch","get"]},
                      {"apiGroups":[""],"resources":["pods"],"verbs":["get"]})"));
    make(of("clusterrolebindings"),
         binding_text("editor", "ClusterRole", "editor",
                      fmt::format(R"({{"kind":"User","name":"{}"}})", user)));
  }

  AccessWorld world;
};

TEST_F(Access, default_roles_are_there_and_aggregate) {
  for (const char* name :
       {"cluster-admin", "admin", "edit", "view", "system:discovery", "system:auth-delegator",
        "system:node", "system:muster:agent", "system:muster:controller:jobs"}) {
    const Told told = world.get(of("clusterroles") + "/" + name);
    EXPECT_EQ(told.status, 200) << name;
    EXPECT_GT(told.json()["rules"].size(), 0U) << name;
  }
  make(of("clusterroles"),
       R"({"metadata":{"name":"more","labels":
           {"rbac.authorization.k8s.io/aggregate-to-view":"true"}},
           "rules":[{"apiGroups":["x.io"],"resources":["things"],"verbs":["get"]}]})");
  world.settle();
  for (const char* name : {"view", "edit", "admin"}) {
    EXPECT_THAT(world.get(of("clusterroles") + "/" + name).body, HasSubstr("x.io")) << name;
  }
}

TEST_F(Access, default_roles_come_back_at_the_next_start) {
  world.ask({.method = "DELETE", .path = of("clusterroles") + "/system:discovery"});
  world.ask({.method = "PATCH",
             .path = of("clusterroles") + "/system:basic-user",
             .content_type = "application/merge-patch+json",
             .body = R"({"rules":[]})"});
  world.token("t", {.name = "ann"});
  EXPECT_EQ(world.get("/api", "Bearer t").status, 403);
  world.restart();
  EXPECT_EQ(world.get("/api", "Bearer t").status, 200);
  EXPECT_EQ(world.get(of("clusterroles") + "/system:basic-user").json()["rules"].size(), 2U);
}

TEST_F(Access, a_role_holds_from_the_answer_on) {
  make(of("roles", "team-a"),
       role_text("r", R"({"apiGroups":[""],"resources":["pods"],"verbs":["list"]})"));
  EXPECT_EQ(get_as("ann", "/api/v1/namespaces/team-a/pods").status, 403);
  make(of("rolebindings", "team-a"),
       binding_text("b", "Role", "r", R"({"kind":"User","name":"ann"})"));
  EXPECT_EQ(get_as("ann", "/api/v1/namespaces/team-a/pods").status, 200);
  EXPECT_EQ(get_as("ann", "/api/v1/namespaces/default/pods").status, 403);
  world.ask({.method = "DELETE", .path = of("rolebindings", "team-a") + "/b"});
  EXPECT_EQ(
      get_as("ann", "/api/v1/namespaces/team-a/pods").message(),
      "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the "
      "namespace \"team-a\"");
}

TEST_F(Access, a_role_that_is_missing_is_named) {
  make(of("rolebindings", "team-a"),
       binding_text("b", "Role", "gone", R"({"kind":"User","name":"ann"})"));
  EXPECT_EQ(
      get_as("ann", "/api/v1/namespaces/team-a/pods").message(),
      "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the "
      "namespace \"team-a\": RBAC: role.rbac.authorization.k8s.io \"gone\" not found");
}

TEST_F(Access, names_of_users_are_no_markup) {
  EXPECT_THAT(get_as("al<i>ce&\"x\"", "/api/v1/pods").message(),
              HasSubstr(R"(User "al&lt;i&gt;ce&amp;\"x\"" cannot)"));
}

TEST_F(Access, nobody_writes_a_role_with_more_than_they_have) {
  give_role_editing("frank");
  const Told told = create_as(
      "frank", of("roles", "team-a"),
      role_text("x",
                R"({"apiGroups":[""],"resources":["secrets","pods"],"verbs":["get","list"]})"));
  EXPECT_EQ(told.status, 403);
  EXPECT_EQ(told.message(),
            "roles.rbac.authorization.k8s.io \"x\" is forbidden: user \"frank\" "
            "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not "
            "currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}");
  EXPECT_EQ(create_as("frank", of("roles", "team-a"),
                      role_text("ok", R"({"apiGroups":[""],"resources":["pods"],"verbs":["get"]})"))
                .status,
            201);
  EXPECT_EQ(create_as("frank", of("clusterroles"),
                      R"({"metadata":{"name":"y"},"aggregationRule":{"clusterRoleSelectors":
                          [{"matchLabels":{"a":"b"}}]},"rules":[]})")
                .message(),
            "clusterroles.rbac.authorization.k8s.io \"y\" is forbidden: must have cluster-admin "
            "privileges to use the aggregationRule");
}

TEST_F(Access, nobody_binds_a_role_with_more_than_they_have_unless_they_may) {
  give_role_editing("frank");
  const std::string bind_admin =
      binding_text("z", "ClusterRole", "cluster-admin", R"({"kind":"User","name":"frank"})");
  EXPECT_THAT(create_as("frank", of("clusterrolebindings"), bind_admin).message(),
              HasSubstr("is attempting to grant RBAC permissions not currently held:\n"
                        "{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n"
                        "{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"));
  const Told gone = create_as("frank", of("rolebindings", "team-a"),
                              binding_text("z", "ClusterRole", "gone", ""));
  EXPECT_EQ(gone.status, 404);
  EXPECT_EQ(gone.message(), "rolebindings.rbac.authorization.k8s.io \"gone\" not found");
  make(of("clusterroles"), role_text("binder", R"({"apiGroups":["rbac.authorization.k8s.io"],
                 "resources":["clusterroles"],"resourceNames":["view"],"verbs":["bind"]})"));
  make(of("clusterrolebindings"),
       binding_text("binder", "ClusterRole", "binder", R"({"kind":"User","name":"frank"})"));
  const std::string bind_view = binding_text("v", "ClusterRole", "view", "");
  EXPECT_EQ(create_as("frank", of("rolebindings", "team-a"), bind_view).status, 201);
  EXPECT_EQ(create_as("frank", of("clusterrolebindings"), bind_admin).status, 403);
}

TEST_F(Access, what_roles_must_say_is_told_as_the_peer_tells_it) {
  EXPECT_EQ(
      world.post(of("roles", "team-a"), role_text("v", "{}")).message(),
      "Role.rbac.authorization.k8s.io \"v\" is invalid: [rules[0].verbs: Required value: verbs "
      "must contain at least one value, rules[0].apiGroups: Required value: resource rules "
      "must supply at least one api group, rules[0].resources: Required value: resource rules "
      "must supply at least one resource]");
  EXPECT_EQ(world
                .post(of("roles", "team-a"),
                      role_text("v", R"({"verbs":["get"],"nonResourceURLs":["/x"]})"))
                .message(),
            "Role.rbac.authorization.k8s.io \"v\" is invalid: rules[0].nonResourceURLs: Invalid "
            "value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs");
  EXPECT_EQ(world.post(of("rolebindings", "team-a"), R"({"metadata":{"name":"v"}})").message(),
            "RoleBinding.rbac.authorization.k8s.io \"v\" is invalid: [roleRef.kind: Unsupported "
            "value: \"\": supported values: \"Role\", \"ClusterRole\", roleRef.name: Required "
            "value]");
  EXPECT_EQ(world
                .post(of("clusterrolebindings"),
                      binding_text("v", "Role", "a", R"({"kind":"ServiceAccount","name":"a"})"))
                .message(),
            "ClusterRoleBinding.rbac.authorization.k8s.io \"v\" is invalid: [roleRef.kind: "
            "Unsupported value: \"Role\": supported values: \"ClusterRole\", "
            "subjects[0].namespace: Required value]");
  const Told made = make(of("clusterrolebindings"),
                         binding_text("v2", "ClusterRole", "a", R"({"kind":"User","name":"u"})"));
  EXPECT_EQ(made.json()["subjects"][std::size_t{0}]["apiGroup"].string_or(""), rbac_group);
  EXPECT_EQ(made.json()["roleRef"]["apiGroup"].string_or(""), rbac_group);
}

TEST_F(Access, who_may_acts_as_somebody_else) {
  Request who{
      .method = "POST", .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews", .body = "{}"};
  who.impersonation = {{"user", "alice"},
                       {"group", "devs"},
                       {"uid", "u-1"},
                       {"extra-scopes", "v1"},
                       {"extra-acme.com%2fproject", "p"}};
  const Told told = world.ask(who);
  EXPECT_EQ(told.status, 201) << told.body;
  EXPECT_EQ(objects::to_json(told.json()["status"]["userInfo"]),
            R"({"username":"alice","uid":"u-1","groups":["devs","system:authenticated"],)"
            R"("extra":{"acme.com/project":["p"],"scopes":["v1"]}})");
  world.token("t", {.name = "bob"});
  EXPECT_EQ(
      world.ask(who, "Bearer t").message(),
      "users \"alice\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API "
      "group \"\" at the cluster scope");
  who.impersonation = {{"group", "g"}};
  EXPECT_EQ(world.ask(who).message(),
            "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"g\"}, "
            "Extra:map[string][]string(nil)} without impersonating a user name");
  who.impersonation = {{"user", "system:serviceaccount:team-a:default"}};
  EXPECT_THAT(world.ask(who).body, HasSubstr("system:serviceaccounts:team-a"));
}

TEST_F(Access, reviews_answer_who_may_do_what) {
  const auto review = [&](std::string_view kind, std::string body) {
    return make(fmt::format("/apis/authorization.k8s.io/v1/{}", kind), std::move(body));
  };
  constexpr const char* list_pods =
      R"({"spec":{"resourceAttributes":{"namespace":"team-a","verb":"list","resource":"pods"}}})";
  EXPECT_EQ(objects::to_json(review("selfsubjectaccessreviews", list_pods).json()["status"]),
            R"({"allowed":true})");
  EXPECT_EQ(
      objects::to_json(
          create_as("ann", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", list_pods)
              .json()["status"]),
      R"({"allowed":false})");
  make(of("rolebindings", "team-a"),
       binding_text("v", "ClusterRole", "view", R"({"kind":"User","name":"ann"})"));
  EXPECT_EQ(
      objects::to_json(review("subjectaccessreviews",
                              R"({"spec":{"user":"ann","resourceAttributes":{"namespace":"team-a",
                           "verb":"list","resource":"pods"}}})")
                           .json()["status"]),
      R"({"allowed":true,"reason":"RBAC: allowed by RoleBinding \"v/team-a\" of ClusterRole )"
      R"(\"view\" to User \"ann\""})");
  EXPECT_EQ(world.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", R"({"spec":{}})")
                .message(),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: "
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  EXPECT_EQ(world
                .post("/apis/authorization.k8s.io/v1/namespaces/team-a/localsubjectaccessreviews",
                      R"({"spec":{"user":"a","resourceAttributes":{"namespace":"b"}}})")
                .message(),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid "
            "value: \"b\": must match metadata.namespace");
}

TEST_F(Access, what_one_may_do_can_be_listed) {
  const Value status = create_as("ann", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                                 R"({"spec":{"namespace":"team-a"}})")
                           .json();
  EXPECT_EQ(status["status"]["resourceRules"].size(), 2U);
  EXPECT_EQ(status["status"]["nonResourceRules"].size(), 2U);
  EXPECT_FALSE(status["status"]["incomplete"].boolean_or(true));
  EXPECT_EQ(world.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "{}").message(),
            "no namespace on request");
}

TEST_F(Access, reviews_are_asked_and_not_kept) {
  constexpr const char* tokens = "/apis/authentication.k8s.io/v1/tokenreviews";
  EXPECT_EQ(world.get(tokens).status, 405);
  EXPECT_EQ(world.get(std::string(tokens) + "/x").status, 404);
}

}  // namespace
}  // namespace muster::server
