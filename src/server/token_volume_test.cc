// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/suites/access_world.h"

// What every namespace and every pod has of the API server.

namespace muster::server {
namespace {

using objects::Value;
using objects::View;
using testing::StartsWith;

constexpr const char* pods_path = "/api/v1/namespaces/default/pods";
constexpr std::string_view place = "/var/run/secrets/kubernetes.io/serviceaccount";

class TokenVolume : public testing::Test {
 protected:
  Value pod(std::string_view spec) {
    const Told told = world.post(
        pods_path, fmt::format(R"({{"metadata":{{"generateName":"p-"}},"spec":{}}})", spec));
    EXPECT_EQ(told.status, 201) << told.body;
    return told.json();
  }

  AccessWorld world;
};

TEST_F(TokenVolume, is_mounted_into_every_container) {
  const Value made = pod(R"({"initContainers":[{"name":"i","image":"i"}],
      "containers":[{"name":"a","image":"i"},{"name":"b","image":"i",
        "volumeMounts":[{"name":"v","mountPath":"/v"}]}],
      "volumes":[{"name":"v","emptyDir":{}}]})");
  const View spec = made["spec"];
  ASSERT_EQ(spec["volumes"].size(), 2U);
  const std::string name(spec["volumes"][1]["name"].string_or(""));
  EXPECT_THAT(name, StartsWith("kube-api-access-"));
  EXPECT_EQ(name.size(), std::string_view("kube-api-access-xxxxx").size());
  EXPECT_EQ(
      objects::to_json(spec["volumes"][1]["projected"]),
      R"({"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"
      R"({"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},)"
      R"({"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1",)"
      R"("fieldPath":"metadata.namespace"}}]}}],"defaultMode":420})");
  for (const View container :
       {spec["initContainers"][0], spec["containers"][0], spec["containers"][1]}) {
    const View mounts = container["volumeMounts"];
    const View last = mounts[mounts.size() - 1];
    EXPECT_EQ(last["name"].string_or(""), name);
    EXPECT_EQ(last["mountPath"].string_or(""), place);
    EXPECT_TRUE(last["readOnly"].boolean_or(false));
  }
  EXPECT_EQ(spec["containers"][1]["volumeMounts"].size(), 2U);
}

TEST_F(TokenVolume, is_not_where_pod_or_account_say_no) {
  EXPECT_TRUE(pod(R"({"automountServiceAccountToken":false,
      "containers":[{"name":"a","image":"i"}]})")["spec"]["volumes"]
                  .is_absent());
  world.post("/api/v1/namespaces/default/serviceaccounts",
             R"({"metadata":{"name":"shy"},"automountServiceAccountToken":false})");
  EXPECT_TRUE(pod(R"({"serviceAccountName":"shy","containers":[{"name":"a","image":"i"}]})")
                  ["spec"]["volumes"]
                      .is_absent());
  EXPECT_EQ(pod(R"({"serviceAccountName":"shy","automountServiceAccountToken":true,
      "containers":[{"name":"a","image":"i"}]})")["spec"]["volumes"]
                .size(),
            1U);
}

TEST_F(TokenVolume, stays_away_where_something_is_mounted) {
  const Value made = pod(R"({"containers":[{"name":"a","image":"i","volumeMounts":[{"name":"v",
      "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}],
      "volumes":[{"name":"v","emptyDir":{}}]})");
  EXPECT_EQ(made["spec"]["volumes"].size(), 1U);
  EXPECT_EQ(made["spec"]["containers"][0]["volumeMounts"].size(), 1U);
}

TEST_F(TokenVolume, every_namespace_has_the_certificate_and_keeps_it) {
  const std::string path = "/api/v1/namespaces/team/configmaps/kube-root-ca.crt";
  world.post("/api/v1/namespaces", R"({"metadata":{"name":"team"}})");
  world.settle();
  EXPECT_EQ(world.get(path).json()["data"]["ca.crt"].string_or(""), "PEM");
  world.ask({.method = "PATCH",
             .path = path,
             .content_type = "application/merge-patch+json",
             .body = R"({"data":{"ca.crt":"another"}})"});
  world.settle();
  EXPECT_EQ(world.get(path).json()["data"]["ca.crt"].string_or(""), "PEM");
  world.ask({.method = "DELETE", .path = path});
  world.settle();
  EXPECT_EQ(world.get(path).status, 200);
}

TEST_F(TokenVolume, agents_get_tokens_in_process) {
  const Value made = pod(R"({"containers":[{"name":"a","image":"i"}]})");
  const auto agent = world.server->in_process(agent_identity());
  std::optional<Result<Value>> answer;
  agent->call(
      {.verb = client::Verb::create,
       .resource = {"", "v1", "serviceaccounts", "ServiceAccount"},
       .name_space = "default",
       .name = "default",
       .subresource = "token",
       .body = objects::parse_json(
                   fmt::format(R"({{"spec":{{"expirationSeconds":3607,"boundObjectRef":{{)"
                               R"("apiVersion":"v1","kind":"Pod","name":"{}","uid":"{}"}}}}}})",
                               made["metadata"]["name"].string_or(""),
                               made["metadata"]["uid"].string_or("")))
                   .must()},
      [&](Result<Value> told) { answer.emplace(std::move(told)); });
  world.time.run_until([&] { return answer.has_value(); });
  ASSERT_TRUE(answer->has_value()) << answer->error().message;
  const std::string token((**answer)["status"]["token"].string_or(""));
  const auto who =
      world.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Bearer " + token);
  EXPECT_EQ(who.json()["status"]["userInfo"]["username"].string_or(""),
            "system:serviceaccount:default:default");
}

TEST(own_service, is_there_and_comes_back) {
  AccessWorld world;
  world.server.reset();
  world.server = std::make_unique<ApiServer>(
      *world.store, world.house, world.clock, world.random,
      ServerOptions{.role_based = true,
                    .signer = &world.signer,
                    .authenticator = &world.authenticator,
                    .own_service = {.address = "10.71.0.1", .port = 443}});
  world.server->load().must();
  world.settle();
  const std::string base = "/api/v1/namespaces/default/";
  const std::string slice =
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
  const Value service = world.get(base + "services/kubernetes").json();
  EXPECT_EQ(service["spec"]["clusterIP"].string_or(""), "10.71.0.1");
  EXPECT_EQ(service["spec"]["ports"][0]["port"].integer_or(0), 443);
  EXPECT_TRUE(service["status"]["conditions"].is_absent());
  EXPECT_EQ(
      world.get("/api").json()["serverAddressByClientCIDRs"][0]["serverAddress"].string_or(""),
      "10.71.0.1:443");
  EXPECT_EQ(world.get(base + "endpoints/kubernetes")
                .json()["subsets"][0]["addresses"][0]["ip"]
                .string_or(""),
            "10.71.0.1");
  EXPECT_EQ(world.get(slice).json()["endpoints"][0]["addresses"][0].string_or(""), "10.71.0.1");
  const std::string version(service["metadata"]["resourceVersion"].string_or(""));
  for (const std::string& path : {base + "services/kubernetes", slice}) {
    world.ask({.method = "DELETE", .path = path});
    world.settle();
    EXPECT_EQ(world.get(path).status, 200) << path;
  }
  // What is right is not written again.
  const auto now = [&] {
    return std::string(world.get(base + "services/kubernetes")
                           .json()["metadata"]["resourceVersion"]
                           .string_or(""));
  };
  const std::string before = now();
  EXPECT_NE(before, version);
  world.settle();
  EXPECT_EQ(now(), before);
}

}  // namespace
}  // namespace muster::server
