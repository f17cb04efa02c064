// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/metadata.h"
#include "objects/resource.h"
#include "server/pod_security_checks.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using objects::Value;
using testing::HasSubstr;

constexpr objects::Resource runtime_classes{"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass"};

std::string pod(std::string_view name, std::string_view container) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[{{"name":"c","image":"i"{}}}]}}}})",
      name, container);
}

std::string refusal(ServerWorld& world, const std::string& body,
                    std::string_view name_space = "default") {
  const auto answer = world.try_create(resources::pods, name_space, body);
  return answer ? "admitted" : answer.error().message;
}

TEST(limit_ranges, give_containers_what_they_do_not_say) {
  ServerWorld world;
  world.create(resources::limit_ranges, "default",
               R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container",
          "default":{"cpu":"2","memory":"1Gi"},"defaultRequest":{"cpu":"500m"}}]}})");
  const Value made = world.create(resources::pods, "default", pod("p", ""));
  const auto resources = made["spec"]["containers"][0]["resources"];
  EXPECT_EQ(resources["limits"]["cpu"].string_or(""), "2");
  EXPECT_EQ(resources["requests"]["cpu"].string_or(""), "500m");
  EXPECT_EQ(resources["requests"]["memory"].string_or(""), "1Gi");
  EXPECT_EQ(objects::annotations_of(made)["kubernetes.io/limit-ranger"].string_or(""),
            "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for "
            "container c");
}

TEST(limit_ranges, refuse_in_the_words_of_the_peer) {
  ServerWorld world;
  world.create(resources::limit_ranges, "default",
               R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container",
          "max":{"cpu":"2"},"min":{"cpu":"100m"},"maxLimitRequestRatio":{"cpu":"4"}}]}})");
  // The most is what a container gets that says nothing.
  EXPECT_EQ(refusal(world, pod("a", "")), "admitted");
  EXPECT_EQ(refusal(world, pod("b", R"(,"resources":{"limits":{"cpu":"3"}})")),
            R"(pods "b" is forbidden: maximum cpu usage per Container is 2, but limit is 3)");
  EXPECT_EQ(
      refusal(world, pod("c", R"(,"resources":{"limits":{"cpu":"50m"}})")),
      R"(pods "c" is forbidden: minimum cpu usage per Container is 100m, but request is 50m)");
  EXPECT_EQ(
      refusal(world, pod("d", R"(,"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"200m"}})")),
      R"(pods "d" is forbidden: cpu max limit to request ratio per Container is 4, but provided )"
      "ratio is 5.000000");
}

void make_namespace(ServerWorld& world, std::string_view name, std::string_view labels) {
  world.create(resources::namespaces, "",
               fmt::format(R"({{"metadata":{{"name":"{}","labels":{}}}}})", name, labels));
}

TEST(pod_security, refuses_what_the_level_of_the_namespace_forbids) {
  ServerWorld world;
  make_namespace(world, "base", R"({"pod-security.kubernetes.io/enforce":"baseline"})");
  make_namespace(world, "strict", R"({"pod-security.kubernetes.io/enforce":"restricted"})");
  EXPECT_EQ(refusal(world, pod("a", ""), "base"), "admitted");
  EXPECT_EQ(refusal(world, pod("b", R"(,"securityContext":{"privileged":true})"), "base"),
            R"(pods "b" is forbidden: violates PodSecurity "baseline:latest": privileged )"
            R"((container "c" must not set securityContext.privileged=true))");
  EXPECT_EQ(
      refusal(world, pod("c", ""), "strict"),
      R"(pods "c" is forbidden: violates PodSecurity "restricted:latest": )"
      R"(allowPrivilegeEscalation != false (container "c" must set )"
      R"(securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container )"
      R"("c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or )"
      R"(container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or )"
      R"(container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or )"
      R"("Localhost"))");
  EXPECT_EQ(refusal(world, pod("d", R"(,"securityContext":{"allowPrivilegeEscalation":false,
                        "runAsNonRoot":true,"capabilities":{"drop":["ALL"]},
                        "seccompProfile":{"type":"RuntimeDefault"}})"),
                    "strict"),
            "admitted");
}

TEST(pod_security, refuses_labels_that_are_no_level) {
  ServerWorld world;
  const auto refused = world.try_create(resources::namespaces, "",
                                        R"({"metadata":{"name":"n","labels":{
          "pod-security.kubernetes.io/enforce":"tight",
          "pod-security.kubernetes.io/warn-version":"1.2"}}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "Namespace \"n\" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: "
            "Invalid value: \"tight\": must be one of privileged, baseline, restricted, "
            "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"1.2\": "
            "must be \"latest\" or \"v1.x\"]");
}

TEST(pod_security, warns_of_templates_and_of_pods_that_are_there) {
  ServerWorld world;
  make_namespace(world, "n", R"({"pod-security.kubernetes.io/warn":"baseline"})");
  const auto job = world.send("POST", "/apis/batch/v1/namespaces/n/jobs",
                              R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{
          "hostNetwork":true,"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_FALSE(job.headers.empty());
  EXPECT_EQ(job.headers.front().second,
            "299 - \"would violate PodSecurity \\\"baseline:latest\\\": host namespaces "
            "(hostNetwork=true)\"");
  world.create(resources::pods, "n", pod("p", R"(,"securityContext":{"privileged":true})"));
  world.create(resources::pods, "n", pod("o", R"(,"securityContext":{"privileged":true})"));
  const auto patched = world.send("PATCH", "/api/v1/namespaces/n",
                                  R"({"metadata":{"labels":{
          "pod-security.kubernetes.io/enforce":"baseline"}}})",
                                  "application/merge-patch+json");
  std::string all;
  for (const auto& [name, value] : patched.headers) all += value + "\n";
  EXPECT_THAT(all, HasSubstr(R"(existing pods in namespace \"n\" violate the new PodSecurity )"
                             R"(enforce level \"baseline:latest\")"));
  EXPECT_THAT(all, HasSubstr(R"("o (and 1 other pod): privileged")"));
}

TEST(pod_security, follows_the_version_that_is_asked_for) {
  const auto reasons = [](SecurityPolicy policy, std::string_view spec) {
    return reasons_of(violations_of(policy, json("{}"), json(spec)));
  };
  const std::string_view sysctl =
      R"({"securityContext":{"sysctls":[{"name":"net.ipv4.tcp_rmem","value":"1"}]}})";
  EXPECT_EQ(reasons({SecurityLevel::baseline, 31}, sysctl), "forbidden sysctls");
  EXPECT_EQ(reasons({SecurityLevel::baseline, 32}, sysctl), "");
  const std::string_view volume = R"({"volumes":[{"name":"v","hostPath":{"path":"/"}}]})";
  EXPECT_EQ(reasons({SecurityLevel::baseline}, volume), "hostPath volumes");
  EXPECT_EQ(reasons({SecurityLevel::restricted}, volume), "restricted volume types");
  EXPECT_EQ((SecurityPolicy{SecurityLevel::baseline, 30}.to_string()), "baseline:v1.30");
}

TEST(service_account, must_exist_unless_it_is_the_default_one) {
  ServerWorld world;
  const Value made = world.create(resources::pods, "default", pod("a", ""));
  EXPECT_EQ(made["spec"]["serviceAccountName"].string_or(""), "default");
  EXPECT_EQ(refusal(world, R"({"metadata":{"name":"b"},"spec":{"serviceAccountName":"robot",
                               "containers":[{"name":"c","image":"i"}]}})"),
            R"(pods "b" is forbidden: error looking up service account default/robot: )"
            R"(serviceaccount "robot" not found)");
}

TEST(runtime_class, gives_pods_its_overhead_and_places) {
  ServerWorld world;
  world.create(runtime_classes, "", R"({"metadata":{"name":"box"},"handler":"h",
      "overhead":{"podFixed":{"cpu":"100m"}},"scheduling":{"nodeSelector":{"box":"yes"}}})");
  const auto body = [](std::string_view name, std::string_view more) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{},
        "containers":[{{"name":"c","image":"i"}}]}}}})",
                       name, more);
  };
  const Value made =
      world.create(resources::pods, "default", body("a", R"("runtimeClassName":"box")"));
  EXPECT_EQ(made["spec"]["overhead"]["cpu"].string_or(""), "100m");
  EXPECT_EQ(made["spec"]["nodeSelector"]["box"].string_or(""), "yes");
  EXPECT_EQ(refusal(world, body("b", R"("runtimeClassName":"none")")),
            R"(pods "b" is forbidden: pod rejected: RuntimeClass "none" not found)");
  EXPECT_EQ(refusal(world, body("c", R"("overhead":{"cpu":"1"})")),
            R"(pods "c" is forbidden: pod rejected: Pod Overhead set without corresponding )"
            "RuntimeClass defined Overhead");
  EXPECT_EQ(refusal(world, body("d", R"("runtimeClassName":"box","nodeSelector":{"box":"no"})")),
            R"(pods "d" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[box] = yes; )"
            "pod.spec.nodeSelector[box] = no");
}

TEST(priority_class, is_the_default_alone) {
  ServerWorld world;
  world.create(resources::priority_classes, "",
               R"({"metadata":{"name":"one"},"value":5,"globalDefault":true})");
  const auto second =
      world.try_create(resources::priority_classes, "",
                       R"({"metadata":{"name":"two"},"value":6,"globalDefault":true})");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            R"(priorityclasses.scheduling.k8s.io "two" is forbidden: PriorityClass one is already )"
            "marked as default. Only one default can exist");
  const Value made = world.create(resources::pods, "default", pod("p", ""));
  EXPECT_EQ(made["spec"]["priorityClassName"].string_or(""), "one");
  EXPECT_EQ(
      world.get(resources::priority_classes, "", "system-node-critical")["value"].integer_or(0),
      2'000'001'000);
}

TEST(namespaces, that_must_be_there_are_not_deleted) {
  ServerWorld world;
  const auto removed = world.call(
      {.verb = client::Verb::remove, .resource = resources::namespaces, .name = "kube-system"});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().message,
            R"(namespaces "kube-system" is forbidden: this namespace may not be deleted)");
}

TEST(claim_protection, keeps_a_claim_until_its_pods_are_gone) {
  ServerWorld world;
  constexpr objects::Resource claims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
  const auto remove = [&](const objects::Resource& resource, std::string_view name) {
    world
        .call({.verb = client::Verb::remove,
               .resource = resource,
               .name_space = "default",
               .name = std::string(name)})
        .must();
    world.settle();
  };
  const auto claim = [](std::string_view name) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"accessModes":["ReadWriteOnce"],
        "resources":{{"requests":{{"storage":"1Gi"}}}}}}}})",
                       name);
  };
  const Value made = world.create(claims, "default", claim("used"));
  EXPECT_EQ(made["metadata"]["finalizers"][0].string_or(""), "kubernetes.io/pvc-protection");
  world.create(claims, "default", claim("free"));
  remove(claims, "free");
  EXPECT_FALSE(world.try_get(claims, "default", "free"));
  world.create(resources::pods, "default", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n",
      "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"used"}}],
      "containers":[{"name":"c","image":"i"}]}})");
  remove(claims, "used");
  EXPECT_TRUE(objects::is_being_deleted(world.get(claims, "default", "used")));
  world.try_patch(resources::pods, "default", "p", R"({"status":{"phase":"Failed"}})", "status")
      .must();
  world.settle();
  EXPECT_FALSE(world.try_get(claims, "default", "used"));
}

}  // namespace
}  // namespace muster::server
