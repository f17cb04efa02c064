// SPDX-License-Identifier: Apache-2.0
#include "server/superseded.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "objects/metadata.h"
#include "server/superseded_status.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;

TEST(Superseded, images_are_known_in_every_registry_and_version) {
  EXPECT_TRUE(is_superseded_image("registry.k8s.io/kueue/kueue:v0.19.2"));
  EXPECT_TRUE(is_superseded_image("localhost:5000/kueue@sha256:abc"));
  EXPECT_TRUE(is_superseded_image("docker.io/volcanosh/vc-scheduler"));
  EXPECT_FALSE(is_superseded_image("example.com/kueue/importer:v1"));
  EXPECT_FALSE(is_superseded_image("busybox"));
  EXPECT_FALSE(is_superseded_image(""));
}

std::string webhook_configuration(std::string_view service) {
  return fmt::format(
      R"({{"metadata":{{"name":"hooks"}},"webhooks":[{{"name":"a.kueue.dev","sideEffects":"None",)"
      R"("admissionReviewVersions":["v1"],"failurePolicy":"Fail","clientConfig":{{"service":)"
      R"({{"namespace":"kueue-system","name":"{}"}}}},"rules":[{{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}}]}}]}})",
      service);
}

constexpr std::string_view configurations =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
constexpr std::string_view maps = "/api/v1/namespaces/default/configmaps";

TEST(Superseded, webhooks_of_those_whose_work_is_done_here_are_kept_and_not_called) {
  ServerWorld world;
  const Response made =
      world.send("POST", configurations, webhook_configuration("kueue-webhook-service"));
  ASSERT_EQ(made.status, 201) << text_of(made);
  EXPECT_TRUE(json(text_of(made))["metadata"]["annotations"][superseded_annotation].is_string());
  const auto warns = [](const auto& header) { return header.first == "Warning"; };
  EXPECT_TRUE(std::any_of(made.headers.begin(), made.headers.end(), warns));
  const Response written = world.send("POST", maps, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(written.status, 201) << text_of(written);
}

TEST(Superseded, webhooks_of_others_are_called) {
  ServerWorld world;
  const Response made = world.send("POST", configurations, webhook_configuration("mine"));
  ASSERT_EQ(made.status, 201) << text_of(made);
  EXPECT_TRUE(json(text_of(made))["metadata"]["annotations"].is_absent());
  EXPECT_EQ(world.send("POST", maps, R"({"metadata":{"name":"a"}})").status, 500);
}

TEST(Superseded, an_api_service_says_who_answers) {
  ServerWorld world;
  const std::string path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const auto reason = [&](std::string_view service) {
    const std::string body = fmt::format(
        R"({{"metadata":{{"name":"v1.{0}.example.com"}},"spec":{{"group":"{0}.example.com",)"
        R"("version":"v1","groupPriorityMinimum":100,"versionPriority":10,)"
        R"("insecureSkipTLSVerify":true,"service":{{"namespace":"default","name":"{0}"}}}}}})",
        service);
    EXPECT_EQ(world.send("POST", path, body).status, 201);
    world.settle();
    const Value found =
        json(text_of(world.send("GET", fmt::format("{}/v1.{}.example.com", path, service))));
    return std::string(objects::condition(found, "Available")["reason"].string_or("none"));
  };
  EXPECT_EQ(reason("kueue-visibility-server"), "Superseded");
  EXPECT_EQ(reason("nobody"), "ServiceNotFound");
}

TEST(Superseded, a_deployment_reports_that_all_its_pods_are_there) {
  const Value deployment = json(
      R"({"metadata":{"name":"kueue-controller-manager","generation":3},"spec":{"replicas":2}})");
  const Value said = with_available_status(deployment, Instant());
  EXPECT_EQ(said["status"]["availableReplicas"].integer_or(0), 2);
  EXPECT_EQ(said["status"]["observedGeneration"].integer_or(0), 3);
  EXPECT_TRUE(objects::is_true(objects::condition(said, "Available")));
  EXPECT_TRUE(objects::is_true(objects::condition(said, "Progressing")));
}

}  // namespace
}  // namespace muster::server
