// SPDX-License-Identifier: Apache-2.0
#include "agent/claim_binding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using Kind = ClaimStep::Kind;

Value parse(const std::string& text) {
  return objects::parse_json(text).must();
}

Value claim_of(const std::string& more = R"("storageClassName":"standard")") {
  return parse(R"({"metadata":{"name":"c","namespace":"a","uid":"u"},"spec":{"accessModes":)"
               R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}},)" +
               more + R"(},"status":{"phase":"Pending"}})");
}

Value volume_of(const std::string& name, const std::string& size, const std::string& more = "") {
  return parse(R"({"metadata":{"name":")" + name +
               R"("},"spec":{"accessModes":["ReadWriteOnce"],)" +
               R"("storageClassName":"standard","capacity":{"storage":")" + size + "\"}" + more +
               R"(},"status":{"phase":"Available"}})");
}

// What a server would hold after the step.
void apply(const ClaimStep& step, Value& claim, ClaimWorld& world) {
  if (step.kind == Kind::update_claim || step.kind == Kind::update_claim_status) {
    claim = step.object;
    return;
  }
  for (Value& each : world.volumes) {
    if (objects::name_of(each) == objects::name_of(step.object)) each = step.object;
  }
  if (step.kind == Kind::make_volume) world.volumes.push_back(step.object);
}

void settle(Value& claim, ClaimWorld& world) {
  for (int i = 0; i < 10; ++i) {
    const ClaimStep step = step_of_claim(claim, world);
    if (step.kind == Kind::none) return;
    apply(step, claim, world);
  }
  FAIL() << "it never settles";
}

TEST(ClaimBinding, the_smallest_volume_that_fits_is_taken) {
  Value claim = claim_of();
  ClaimWorld world{
      .volumes = {volume_of("big", "9Gi"), volume_of("fit", "3Gi"), volume_of("tiny", "1Gi")}};
  settle(claim, world);
  EXPECT_EQ(claim["spec"]["volumeName"].string_or(""), "fit");
  EXPECT_EQ(claim["status"]["phase"].string_or(""), "Bound");
  EXPECT_EQ(claim["status"]["capacity"]["storage"].string_or(""), "3Gi");
  EXPECT_EQ(world.volumes[1]["spec"]["claimRef"]["uid"].string_or(""), "u");
  EXPECT_EQ(world.volumes[1]["status"]["phase"].string_or(""), "Bound");
}

TEST(ClaimBinding, a_volume_of_another_class_or_mode_is_not_taken) {
  ClaimWorld world{.volumes = {volume_of("v", "9Gi")}};
  EXPECT_EQ(step_of_claim(claim_of(R"("storageClassName":"")"), world).reason, "FailedBinding");
  const Value many =
      parse(R"({"metadata":{"name":"c","namespace":"a","uid":"u"},"spec":{"accessModes":)"
            R"(["ReadWriteMany"],"storageClassName":"standard"},"status":{}})");
  EXPECT_EQ(step_of_claim(many, world).reason, "ProvisioningFailed");
}

TEST(ClaimBinding, a_volume_is_made_on_the_node_of_the_first_pod) {
  Value claim = claim_of();
  ClaimWorld world{
      .volumes = {}, .storage_class = default_class(), .claims_folder = "/data/claims"};
  EXPECT_EQ(step_of_claim(claim, world).reason, "WaitForFirstConsumer");
  world.has_consumer = true;
  world.consumer_node = "n2";
  settle(claim, world);
  ASSERT_EQ(world.volumes.size(), 1U);
  EXPECT_EQ(claim["spec"]["volumeName"].string_or(""), "pvc-u");
  const objects::View spec = world.volumes[0]["spec"];
  EXPECT_EQ(spec["hostPath"]["path"].string_or(""), "/data/claims/pvc-u");
  EXPECT_EQ(
      spec["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"][0]["values"][0]
          .string_or(""),
      "n2");
}

TEST(ClaimBinding, a_volume_that_is_there_waits_for_the_first_pod_and_is_one_of_its_node) {
  const auto on = [](const std::string& name, const std::string& node) {
    return volume_of(name, "3Gi",
                     R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":)"
                     R"([{"key":"host","operator":"In","values":[")" +
                         node + R"("]}]}]}})");
  };
  Value claim = claim_of();
  ClaimWorld world{.volumes = {on("a", "n1"), on("b", "n2")}, .storage_class = default_class()};
  EXPECT_EQ(step_of_claim(claim, world).reason, "WaitForFirstConsumer");
  world.has_consumer = true;
  world.consumer_node = "n2";
  world.node_labels = parse(R"({"host":"n2"})");
  settle(claim, world);
  EXPECT_EQ(claim["spec"]["volumeName"].string_or(""), "b");
}

TEST(ClaimBinding, a_provisioner_of_somebody_else_is_waited_for) {
  ClaimWorld world{.volumes = {}, .storage_class = parse(R"({"provisioner":"ebs.csi.aws.com"})")};
  const ClaimStep step = step_of_claim(claim_of(), world);
  EXPECT_EQ(step.kind, Kind::none);
  EXPECT_EQ(step.reason, "ExternalProvisioning");
}

TEST(ClaimBinding, a_bound_claim_without_its_volume_is_lost) {
  Value claim = parse(R"({"metadata":{"name":"c","namespace":"a","uid":"u"},)"
                      R"("spec":{"volumeName":"gone"},"status":{"phase":"Bound"}})");
  ClaimWorld world;
  const ClaimStep step = step_of_claim(claim, world);
  EXPECT_EQ(step.reason, "ClaimLost");
  EXPECT_EQ(step.object["status"]["phase"].string_or(""), "Lost");
}

TEST(ClaimBinding, a_volume_without_its_claim_is_released_and_removed_by_its_policy) {
  const auto bound = [](const std::string& policy, const std::string& phase) {
    return parse(R"({"metadata":{"name":"v","annotations":{"pv.kubernetes.io/provisioned-by":)"
                 R"("muster.dev/local-folder"}},"spec":{"claimRef":{"name":"c","namespace":"a",)"
                 R"("uid":"u"},"persistentVolumeReclaimPolicy":")" +
                 policy + R"("},"status":{"phase":")" + phase + R"("}})");
  };
  const ClaimStep first = step_of_volume(bound("Delete", "Bound"), {});
  EXPECT_EQ(first.object["status"]["phase"].string_or(""), "Released");
  EXPECT_EQ(step_of_volume(bound("Delete", "Released"), {}).kind, Kind::remove_volume);
  EXPECT_EQ(step_of_volume(bound("Retain", "Released"), {}).kind, Kind::none);
  EXPECT_EQ(step_of_volume(bound("Delete", "Bound"), claim_of()).kind, Kind::none);
}

}  // namespace

}  // namespace muster::agent
