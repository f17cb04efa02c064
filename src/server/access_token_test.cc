// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "objects/metadata.h"
#include "server/account_keeper.h"
#include "tests/suites/access_world.h"

// Tokens of service accounts and of people, nodes and what they may touch, and the record of it
// all.

namespace muster::server {
namespace {

using objects::Value;
using objects::View;
using testing::HasSubstr;
using testing::Not;

constexpr const char* token_path = "/api/v1/namespaces/team-a/serviceaccounts/bot/token";

class AccessTokens : public testing::Test {
 protected:
  AccessTokens() {
    make("/api/v1/namespaces", R"({"metadata":{"name":"team-a"}})");
    make("/api/v1/namespaces/team-a/serviceaccounts", R"({"metadata":{"name":"bot"}})");
    for (const char* node : {"n1", "n2"}) {
      make("/api/v1/nodes", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", node));
    }
    pod("on1", "n1");
    pod("on2", "n2");
    world.settle();
  }

  Told make(std::string path, std::string body) {
    Told told = world.post(std::move(path), std::move(body));
    EXPECT_EQ(told.status, 201) << told.body;
    return told;
  }
  void pod(std::string_view name, std::string_view node) {
    make("/api/v1/namespaces/team-a/pods",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeName":"{}",)"
                     R"("serviceAccountName":"bot","containers":[{{"name":"c","image":"i"}}],)"
                     R"("volumes":[{{"name":"v","secret":{{"secretName":"s-{}"}}}}]}}}})",
                     name, node, name));
  }
  std::string uid_of(const std::string& path) {
    return std::string(objects::uid_of(world.get(path).json()));
  }
  std::string new_token(std::string body = R"({"spec":{}})") {
    return std::string(make(token_path, std::move(body)).json()["status"]["token"].string_or(""));
  }
  Told whoami(const std::string& token) {
    return world.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Bearer " + token);
  }
  Told as_node(Request request) {
    request.impersonation = {{"user", "system:node:n1"}, {"group", "system:nodes"}};
    return world.ask(std::move(request));
  }
  Told node_patches(std::string path, std::string body) {
    return as_node({.method = "PATCH",
                    .path = std::move(path),
                    .content_type = "application/merge-patch+json",
                    .body = std::move(body)});
  }

  AccessWorld world;
};

TEST_F(AccessTokens, every_namespace_has_an_account) {
  EXPECT_EQ(world.get("/api/v1/namespaces/team-a/serviceaccounts/default").status, 200);
  world.ask({.method = "DELETE", .path = "/api/v1/namespaces/team-a/serviceaccounts/default"});
  world.settle();
  EXPECT_EQ(world.get("/api/v1/namespaces/team-a/serviceaccounts/default").status, 200);
}

TEST_F(AccessTokens, a_service_account_gets_a_token_and_is_known_by_it) {
  const Told made = make(token_path, R"({"spec":{"expirationSeconds":600}})");
  EXPECT_EQ(made.json()["kind"].string_or(""), "TokenRequest");
  EXPECT_EQ(made.json()["spec"]["audiences"][std::size_t{0}].string_or(""), token_issuer);
  const std::string token(made.json()["status"]["token"].string_or(""));
  const Told who = whoami(token);
  EXPECT_EQ(who.status, 201) << who.body;
  EXPECT_EQ(who.json()["status"]["userInfo"]["username"].string_or(""),
            "system:serviceaccount:team-a:bot");
  EXPECT_THAT(world
                  .post("/apis/authentication.k8s.io/v1/tokenreviews",
                        fmt::format(R"({{"spec":{{"token":"{}"}}}})", token))
                  .body,
              HasSubstr(R"("authenticated":true)"));
  EXPECT_EQ(
      objects::to_json(
          world.post("/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"nope"}})")
              .json()["status"]),
      R"({"user":{},"error":"invalid bearer token"})");
}

TEST_F(AccessTokens, a_token_for_somebody_else_is_no_token_for_us) {
  EXPECT_EQ(whoami(new_token(R"({"spec":{"audiences":["vault"]}})")).status, 401);
}

TEST_F(AccessTokens, a_token_ends_with_its_time_its_account_and_its_pod) {
  const std::string bound =
      new_token(R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"on1"}}})");
  const std::string plain = new_token();
  EXPECT_EQ(whoami(bound).status, 201);
  world.ask({.method = "DELETE",
             .path = "/api/v1/namespaces/team-a/pods/on1",
             .query = "gracePeriodSeconds=0"});
  EXPECT_EQ(whoami(bound).status, 401);
  EXPECT_EQ(whoami(plain).status, 201);
  world.time.run_for(Span::of_seconds(3600 + 61));
  EXPECT_EQ(whoami(plain).status, 401);
  const std::string last = new_token();
  EXPECT_EQ(whoami(last).status, 201);
  world.ask({.method = "DELETE", .path = "/api/v1/namespaces/team-a/serviceaccounts/bot"});
  EXPECT_EQ(whoami(last).status, 401);
}

TEST_F(AccessTokens, what_a_token_request_must_say_is_told_as_the_peer_tells_it) {
  const std::pair<const char*, const char*> refused[] = {
      {R"({"spec":{"expirationSeconds":10}})",
       "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: "
       "10: may not specify a duration less than 10 minutes"},
      {R"({"spec":{"expirationSeconds":5000000000}})",
       "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: "
       "5000000000: may not specify a duration larger than 2^32 seconds"},
      {R"({"metadata":{"name":"x"},"spec":{}})",
       "TokenRequest.authentication.k8s.io \"bot\" is invalid: metadata.name: Invalid value: "
       "\"x\": "
       "must match the service account name if specified"},
      {R"({"metadata":{"namespace":"x"},"spec":{}})",
       "the namespace of the provided object does not match the namespace sent on the request"},
      {R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"nope"}}})",
       "pods \"nope\" not found"},
      {R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"on1","uid":"x"}}})",
       "Operation cannot be fulfilled on Pod \"on1\": the UID in the bound object reference (x) "
       "does "
       "not match the UID in record. The object might have been deleted and then recreated"},
      {R"({"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"x"}}})",
       "cannot bind token to object of type /v1, Kind=ConfigMap"},
      {R"({"kind":"Pod","apiVersion":"v1"})",
       "Pod in version \"v1\" cannot be handled as a TokenRequest: converting (v1.Pod) to "
       "(authentication.TokenRequest): unknown conversion"}};
  for (const auto& [body, message] : refused) {
    EXPECT_EQ(world.post(token_path, body).message(), message);
  }
  EXPECT_EQ(world.post("/api/v1/namespaces/team-a/serviceaccounts/none/token", "{}").message(),
            "serviceaccounts \"none\" not found");
}

TEST_F(AccessTokens, a_secret_of_a_service_account_is_filled_and_ends_its_token_with_it) {
  make("/api/v1/namespaces/team-a/secrets",
       R"({"metadata":{"name":"s","annotations":{"kubernetes.io/service-account.name":"bot"}},
           "type":"kubernetes.io/service-account-token"})");
  world.settle();
  const Value secret = world.get("/api/v1/namespaces/team-a/secrets/s").json();
  const std::string token =
      base64_decode(secret["data"]["token"].string_or("")).value_or(std::string());
  EXPECT_EQ(whoami(token).status, 201) << objects::to_json(secret);
  world.ask({.method = "DELETE", .path = "/api/v1/namespaces/team-a/secrets/s"});
  EXPECT_EQ(whoami(token).status, 401);
}

TEST_F(AccessTokens, tokens_of_people_are_kept_as_digests_and_end_when_they_are_deleted) {
  const TokenRecord record{.digest = digest_of("ann's"),
                           .identity = {.name = "ann", .groups = {"devs", "ops"}}};
  const Told made = make("/api/v1/namespaces/kube-system/secrets",
                         objects::to_json(token_secret(record, "for the laptop")));
  EXPECT_THAT(made.body, Not(HasSubstr(base64_encode("ann's"))));
  world.settle();
  const Told who = whoami("ann's");
  EXPECT_EQ(objects::to_json(who.json()["status"]["userInfo"]),
            R"({"username":"ann","groups":["devs","ops","system:authenticated"]})");
  world.ask({.method = "DELETE",
             .path = fmt::format("/api/v1/namespaces/kube-system/secrets/{}",
                                 objects::name_of(made.json()))});
  world.settle();
  EXPECT_EQ(whoami("ann's").status, 401);
}

TEST_F(AccessTokens, nobody_makes_a_token_of_somebody_they_may_not_act_as) {
  world.post("/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings",
             R"({"metadata":{"name":"e"},"roleRef":{"kind":"ClusterRole","name":"edit"},
                 "subjects":[{"kind":"User","name":"bob"}]})");
  const TokenRecord root{.digest = digest_of("mine"),
                         .identity = {.name = "bob", .groups = {"system:masters"}}};
  const Told told = world.as("bob", {.method = "POST",
                                     .path = "/api/v1/namespaces/kube-system/secrets",
                                     .body = objects::to_json(token_secret(root, ""))});
  EXPECT_EQ(told.message(),
            "users \"bob\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API "
            "group \"\" at the cluster scope");
  EXPECT_EQ(whoami("mine").status, 401);
}

TEST_F(AccessTokens, a_node_reads_what_concerns_it) {
  const auto reads = [&](std::string path, std::string query = {}) {
    return as_node({.method = "GET", .path = std::move(path), .query = std::move(query)});
  };
  for (const char* name : {"s-on1", "s-on2"}) {
    make("/api/v1/namespaces/team-a/secrets",
         fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  }
  EXPECT_EQ(reads("/api/v1/nodes/n1").status, 200);
  EXPECT_THAT(reads("/api/v1/nodes/n2").message(),
              HasSubstr(": node 'n1' cannot read 'n2', only its own Node object"));
  EXPECT_THAT(reads("/api/v1/pods").message(),
              HasSubstr(": can only list/watch pods with spec.nodeName field selector"));
  EXPECT_EQ(reads("/api/v1/pods", "fieldSelector=spec.nodeName%3Dn1").status, 200);
  EXPECT_EQ(reads("/api/v1/namespaces/team-a/pods/on1").status, 200);
  EXPECT_EQ(reads("/api/v1/namespaces/team-a/secrets/s-on1").status, 200);
  EXPECT_THAT(reads("/api/v1/namespaces/team-a/secrets/s-on2").message(),
              HasSubstr(": no relationship found between node 'n1' and this object"));
  EXPECT_THAT(reads("/api/v1/namespaces/team-a/secrets").message(),
              HasSubstr(": No Object name found"));
}

TEST_F(AccessTokens, a_node_writes_about_itself_and_its_pods_alone) {
  EXPECT_EQ(node_patches("/api/v1/nodes/n1/status", R"({"status":{"phase":"Running"}})").status,
            200);
  EXPECT_EQ(node_patches("/api/v1/nodes/n2/status", R"({"status":{"phase":"Running"}})").message(),
            "nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\"");
  EXPECT_EQ(node_patches("/api/v1/nodes/n1",
                         R"({"metadata":{"labels":{"node-restriction.kubernetes.io/a":"b"}}})")
                .message(),
            "nodes \"n1\" is forbidden: is not allowed to modify labels: "
            "node-restriction.kubernetes.io/a");
  EXPECT_EQ(
      node_patches("/api/v1/nodes/n1", R"({"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}})")
          .message(),
      "nodes \"n1\" is forbidden: node \"n1\" is not allowed to modify taints");
  const std::string pods = "/api/v1/namespaces/team-a/pods";
  EXPECT_EQ(node_patches(pods + "/on1/status", R"({"status":{"phase":"Running"}})").status, 200);
  EXPECT_EQ(node_patches(pods + "/on2/status", R"({"status":{"phase":"Running"}})").message(),
            "pods \"on2\" is forbidden: node \"n1\" can only update pod status for pods with "
            "spec.nodeName set to itself");
  EXPECT_EQ(as_node({.method = "DELETE", .path = pods + "/on2"}).message(),
            "pods \"on2\" is forbidden: node \"n1\" can only delete pods with spec.nodeName set to "
            "itself");
  EXPECT_EQ(as_node({.method = "POST", .path = token_path, .body = R"({"spec":{}})"}).message(),
            "serviceaccounts \"bot\" is forbidden: node requested token not bound to a pod");
  const std::string bound =
      fmt::format(R"({{"spec":{{"boundObjectRef":{{"kind":"Pod","apiVersion":"v1","name":"on1",)"
                  R"("uid":"{}"}}}}}})",
                  uid_of(pods + "/on1"));
  EXPECT_EQ(as_node({.method = "POST", .path = token_path, .body = bound}).status, 201);
}

TEST_F(AccessTokens, every_change_leaves_a_line_and_no_line_has_a_secret) {
  world.audit.lines.clear();
  make("/api/v1/namespaces/team-a/secrets",
       R"({"metadata":{"name":"s"},"stringData":{"password":"hunter2"}})");
  const std::string token = new_token();
  world.get("/api/v1/namespaces/team-a/secrets/s");
  world.as("eve", {.method = "DELETE", .path = "/api/v1/namespaces/team-a/secrets/s"});
  world.post("/apis/authentication.k8s.io/v1/tokenreviews",
             fmt::format(R"({{"spec":{{"token":"{}"}}}})", token));
  make("/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/roles",
       R"({"metadata":{"name":"r"},"rules":[]})");
  ASSERT_EQ(world.audit.lines.size(), 5U);
  for (const std::string& line : world.audit.lines) {
    EXPECT_TRUE(objects::parse_json(line)) << line;
    EXPECT_THAT(line, Not(HasSubstr("hunter2")));
    EXPECT_THAT(line, Not(HasSubstr(token)));
  }
  const Value denied = objects::parse_json(world.audit.lines[2]).must();
  EXPECT_EQ(denied["verb"].string_or(""), "delete");
  EXPECT_EQ(denied["user"]["username"].string_or(""), "system:muster:admin");
  EXPECT_EQ(denied["impersonatedUser"]["username"].string_or(""), "eve");
  EXPECT_EQ(denied["responseStatus"]["code"].integer_or(0), 403);
  EXPECT_EQ(denied["objectRef"]["name"].string_or(""), "s");
  EXPECT_THAT(world.audit.lines[4], HasSubstr(R"("level":"Request")"));
  EXPECT_THAT(world.audit.lines[4], HasSubstr(R"("requestObject":{"metadata":{"name":"r"})"));
}

}  // namespace
}  // namespace muster::server
