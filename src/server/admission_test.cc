// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "objects/metadata.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

namespace resources = objects::resources;
using client::Verb;
using objects::Value;
using testing::HasSubstr;

constexpr std::string_view pod =
    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

TEST(admission, drops_annotations_of_tenants_that_are_ours) {
  ServerWorld world;
  const Value made =
      world.create(resources::pods, "default",
                   R"({"metadata":{"name":"p","annotations":{"muster.dev/pod-ip":"10.0.0.1",
          "muster.dev/pretend-run-seconds":"3","a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}})");
  EXPECT_TRUE(objects::annotations_of(made)["muster.dev/pod-ip"].is_absent());
  EXPECT_EQ(objects::annotations_of(made).size(), 2U);
}

TEST(admission, keeps_what_muster_wrote_when_a_tenant_writes) {
  ServerWorld world;
  const auto muster =
      world.server->in_process({.name = "system:muster:controller", .groups = {"system:masters"}});
  world.create(resources::pods, "default", pod);
  world
      .call_as(*muster, {.verb = Verb::create,
                         .resource = resources::pods,
                         .name_space = "default",
                         .name = "p",
                         .subresource = "binding",
                         .body = json(R"({"metadata":{"annotations":{
                             "muster.dev/pod-ip":"10.0.0.1","muster.dev/gang-size":"9"}},
                             "target":{"name":"n1"}})")})
      .must();
  const Value patched =
      world
          .try_patch(resources::pods, "default", "p",
                     R"({"metadata":{"annotations":{"muster.dev/pod-ip":"6.6.6.6"}}})")
          .must();
  EXPECT_EQ(objects::annotations_of(patched)["muster.dev/pod-ip"].string_or(""), "10.0.0.1");
  EXPECT_TRUE(objects::annotations_of(patched)["muster.dev/gang-size"].is_absent());
}

TEST(admission, lets_little_of_a_pod_change) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  EXPECT_TRUE(world.try_patch(resources::pods, "default", "p",
                              R"({"spec":{"containers":[{"name":"c","image":"j",
                                  "terminationMessagePath":"/dev/termination-log",
                                  "terminationMessagePolicy":"File",
                                  "imagePullPolicy":"Always","resources":{}}]}})"));
  const auto refused =
      world.try_patch(resources::pods, "default", "p", R"({"spec":{"restartPolicy":"Never"}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_THAT(refused.error().message,
              HasSubstr("spec: Forbidden: pod updates may not change fields other than"));
  const auto gated = world.try_patch(resources::pods, "default", "p",
                                     R"({"spec":{"schedulingGates":[{"name":"g"}]}})");
  ASSERT_FALSE(gated);
  EXPECT_THAT(gated.error().message, HasSubstr("only deletion is allowed"));
}

TEST(admission, gives_a_pod_its_priority) {
  ServerWorld world;
  world.create(resources::priority_classes, "", R"({"metadata":{"name":"high"},"value":1000})");
  const Value made = world.create(resources::pods, "default",
                                  R"({"metadata":{"name":"p"},"spec":{"priorityClassName":"high",
          "containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(made["spec"]["priority"].integer_or(0), 1000);
  const auto refused =
      world.try_create(resources::pods, "default",
                       R"({"metadata":{"name":"q"},"spec":{"priorityClassName":"none",
          "containers":[{"name":"c","image":"i"}]}})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            R"(pods "q" is forbidden: no PriorityClass with name none was found)");
}

TEST(admission, suspends_a_job_that_names_a_queue) {
  ServerWorld world;
  const Value made =
      world.create(resources::jobs, "default",
                   R"({"metadata":{"name":"j","labels":{"kueue.x-k8s.io/queue-name":"q"}},
          "spec":{"template":{"spec":{"restartPolicy":"Never",
          "containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_TRUE(made["spec"]["suspend"].boolean_or(false));
}

constexpr std::string_view app = R"({"metadata":{"name":"web","labels":{
    "kueue.x-k8s.io/queue-name":"q"}},"spec":{"replicas":2,"serviceName":"web",
    "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}}}})";

TEST(admission, makes_the_pods_of_apps_wait_that_name_a_queue) {
  ServerWorld world;
  for (const auto& [resource, parent] : {std::pair(resources::deployments, "deployment"),
                                         std::pair(resources::stateful_sets, "statefulset")}) {
    const Value made = world.create(resource, "default", app);
    const auto annotations = objects::annotations_of(made["spec"]["template"]);
    EXPECT_EQ(annotations["kueue.x-k8s.io/pod-suspending-parent"].string_or(""), parent);
  }
}

// A pod that names a queue waits in it, unless who made it is queued with it.
TEST(admission, asks_the_owners_of_a_pod_whether_they_are_queued) {
  ServerWorld world;
  const auto gates_of_pod = [&](std::string_view name) {
    const Value owner = world
                            .call({.verb = Verb::get,
                                   .resource = resources::stateful_sets,
                                   .name_space = "default",
                                   .name = "web"})
                            .must();
    return world
        .create(resources::pods, "default",
                fmt::format(R"({{"metadata":{{"name":"{}","labels":{{
                "kueue.x-k8s.io/queue-name":"q"}},"ownerReferences":[{{"apiVersion":"apps/v1",
                "kind":"StatefulSet","name":"web","uid":"{}","controller":true}}]}},
                "spec":{{"containers":[{{"name":"c","image":"i"}}]}}}})",
                            name, objects::uid_of(owner)))["spec"]["schedulingGates"]
        .size();
  };
  world.create(resources::stateful_sets, "default", app);
  EXPECT_EQ(gates_of_pod("p"), 0U);
  world.create(resources::namespaces, "", R"({"metadata":{"name":"kueue-system"}})");
  const std::string_view rules = R"({apiVersion: config.kueue.x-k8s.io/v1beta2, )"
                                 R"(kind: Configuration, integrations: {frameworks: [pod]}})";
  world.create(resources::config_maps, "kueue-system",
               fmt::format(R"({{"metadata":{{"name":"kueue-manager-config"}},"data":{{
               "controller_manager_config.yaml":"{}"}}}})",
                           rules));
  EXPECT_EQ(gates_of_pod("q"), 2U);
}

TEST(admission, refuses_a_cluster_queue_as_kueue_does) {
  ServerWorld world;
  const auto refused =
      world.try_create(resources::cluster_queues, "",
                       R"({"metadata":{"name":"q"},"spec":{"namespaceSelector":{},"resourceGroups":[
          {"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
            {"name":"memory","nominalQuota":-1,"lendingLimit":"2"}]}]},
          {"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
            {"name":"cpu","nominalQuota":1}]}]}]}})");
  ASSERT_FALSE(refused);
  for (const char* text :
       {R"(spec.resourceGroups[0].flavors[0].resources[0].name: Invalid value: "memory": must)",
        R"(nominalQuota: Invalid value: "-1": must be greater than or equal to 0)",
        R"(lendingLimit: Invalid value: "2": must be nil when cohort is empty)",
        R"(spec.resourceGroups[1].coveredResources[0]: Duplicate value: "cpu")",
        R"(spec.resourceGroups[1].flavors[0].name: Duplicate value: "f")"}) {
    EXPECT_THAT(refused.error().message, HasSubstr(text));
  }
}

TEST(admission, names_the_right_field_for_one_that_kueue_never_had) {
  ServerWorld world;
  const auto refused =
      world.try_create(resources::cluster_queues, "",
                       R"({"metadata":{"name":"q"},"spec":{"namespaceSelector":{},"resourceGroups":[
          {"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[
            {"name":"cpu","nominalQuota":1,"lendablePercent":50}]}]}]}})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("resources[0].lendablePercent: Forbidden: no version of Kueue has this "
                        "field; use lendingLimit"));
}

TEST(admission, looks_at_the_status_of_a_workload_as_kueue_does) {
  ServerWorld world;
  world.create(resources::workloads, "default",
               R"({"metadata":{"name":"w"},"spec":{"podSets":[{"name":"main","count":1,
          "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]}})");
  const auto refused = world.try_patch(resources::workloads, "default", "w",
                                       R"({"status":{"conditions":[
              {"type":"QuotaReserved","status":"True","reason":"QuotaReserved","message":"",
               "lastTransitionTime":"2025-01-01T00:00:00Z"}]}})",
                                       "status");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "Workload.kueue.x-k8s.io \"w\" is invalid: status.admission: Required value: must be "
            "set while the QuotaReserved condition is true");
}

TEST(admission, lets_a_node_write_only_what_is_its_own) {
  ServerWorld world;
  world.create(resources::pods, "default", pod);
  const auto node =
      world.server->in_process({.name = "system:node:n1", .groups = {"system:nodes"}});
  const auto refused = world.call_as(*node, {.verb = Verb::patch,
                                             .resource = resources::pods,
                                             .name_space = "default",
                                             .name = "p",
                                             .subresource = "status",
                                             .body = json(R"({"status":{"phase":"Running"}})")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
}

// A log that says what was asked for.
class EchoLogs final : public PodLogs {
 public:
  Result<std::unique_ptr<Stream>> open(const LogRequest& request) override {
    asked = request;
    return Error{ErrorCode::unavailable, "the echo has no text"};
  }
  LogRequest asked = {.pod_uid = {}, .container = {}};
};

TEST(log, chooses_the_container) {
  ServerWorld world;
  EchoLogs logs;
  world.server->set_logs(&logs);
  world.create(resources::pods, "default",
               R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","containers":[{"name":"c",
                   "image":"i"}]}})");
  world.create(resources::pods, "default", R"({"metadata":{"name":"nowhere"},"spec":{"containers":[
      {"name":"c","image":"i"}]}})");
  world.create(resources::pods, "default",
               R"({"metadata":{"name":"two"},"spec":{"containers":[{"name":"a","image":"i"},
                   {"name":"b","image":"i"}]}})");
  const auto message = [&](std::string_view target) {
    return std::string(json(text_of(world.send("GET", target)))["message"].string_or(""));
  };
  const std::string root = "/api/v1/namespaces/default/pods/";
  EXPECT_EQ(message(root + "p/log?follow=true&tailLines=5&timestamps=1&sinceSeconds=10"),
            "the echo has no text");
  EXPECT_EQ(logs.asked.container, "c");
  EXPECT_TRUE(logs.asked.follow && logs.asked.timestamps);
  EXPECT_EQ(logs.asked.tail_lines, 5);
  EXPECT_TRUE(logs.asked.since);
  EXPECT_EQ(message(root + "two/log"),
            "a container name must be specified for pod two, choose one of: [a b]");
  EXPECT_EQ(message(root + "two/log?container=x"), "container x is not valid for pod two");
  EXPECT_THAT(message(root + "p/log?tailLines=-1"), HasSubstr("tailLines"));
  EXPECT_EQ(message(root + "none/log"), R"(pods "none" not found)");
  EXPECT_EQ(world.send("GET", root + "nowhere/log").status, 204);
}

}  // namespace
}  // namespace muster::server
