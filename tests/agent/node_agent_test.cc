// A node agent with pretend pods against the API server: nodes, pods, gangs.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/agent_world.h"

namespace muster::agent {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NodeAgent, registers_its_nodes) {
  AgentWorld world;
  EXPECT_TRUE(world.agent->is_ready());
  const Value node = world.server.get(resources::nodes, "", "n1");
  EXPECT_EQ(node["status"]["capacity"]["nvidia.com/gpu"].string_or(""), "4");
  EXPECT_EQ(node["status"]["allocatable"]["pods"].string_or(""), "110");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"].string_or(""), "n1");
  EXPECT_EQ(node["metadata"]["annotations"]["muster.dev/devices"].string_or(""), "simulated");
  EXPECT_EQ(node["spec"]["podCIDR"].string_or(""), "10.64.1.0/24");
  EXPECT_EQ(node["status"]["addresses"][std::size_t{0}]["address"].string_or(""), "192.0.2.1");
  EXPECT_TRUE(objects::is_true(objects::condition(node, "Ready")));
  EXPECT_EQ(node["status"]["nodeInfo"]["operatingSystem"].string_or(""), "linux");
}

TEST(NodeAgent, renews_its_leases) {
  AgentWorld world;
  const auto renewed = [&world] {
    const Value lease = world.server.get(resources::leases, "kube-node-lease", "n2");
    EXPECT_EQ(lease["spec"]["holderIdentity"].string_or(""), "n2");
    return std::string(lease["spec"]["renewTime"].string_or(""));
  };
  const std::string first = renewed();
  world.pass_seconds(11);
  const std::string second = renewed();
  EXPECT_LT(first, second);
  world.kill_agent();
  world.pass_seconds(60);
  EXPECT_EQ(renewed(), second);
}

TEST(NodeAgent, a_quiet_node_is_not_written_again) {
  AgentWorld world;
  const std::string before(
      objects::resource_version_of(world.server.get(resources::nodes, "", "n1")));
  world.pass_seconds(100);
  EXPECT_EQ(objects::resource_version_of(world.server.get(resources::nodes, "", "n1")), before);
}

TEST(NodeAgent, puts_a_node_right_that_was_changed_or_deleted) {
  AgentWorld world;
  ASSERT_TRUE(world.server.try_remove(resources::nodes, "", "n1"));
  world.pass_seconds(15);
  const Value node = world.server.get(resources::nodes, "", "n1");
  const Value sick = objects::with_condition(
      node, {.type = "Ready", .status = "Unknown", .reason = "NodeStatusUnknown", .message = ""},
      world.server.clock.wall());
  ASSERT_TRUE(world.server.try_update(resources::nodes, sick, "status"));
  world.pass_seconds(15);
  const Value well = world.server.get(resources::nodes, "", "n1");
  EXPECT_TRUE(objects::is_true(objects::condition(well, "Ready")));
}

TEST(NodeAgent, runs_a_pod_to_its_end) {
  AgentWorld world;
  const Value pod = world.create_pod("p", {.run_seconds = "2"});
  world.settle();
  const Value running = world.pod("p");
  EXPECT_EQ(running["status"]["phase"].string_or(""), "Running");
  EXPECT_TRUE(objects::is_true(objects::condition(running, "Ready")));
  EXPECT_TRUE(objects::is_true(objects::condition(running, "ContainersReady")));
  EXPECT_TRUE(objects::is_true(objects::condition(running, "Initialized")));
  EXPECT_EQ(running["status"]["podIP"].string_or(""), "10.64.1.2");
  EXPECT_EQ(running["status"]["hostIP"].string_or(""), "192.0.2.1");
  EXPECT_TRUE(running["status"]["startTime"].is_string());
  EXPECT_EQ(running["status"]["qosClass"].string_or(""), "BestEffort");
  EXPECT_TRUE(world.container("p")["ready"].boolean_or(false));
  world.pass_seconds(3);
  const Value ended = world.pod("p");
  EXPECT_EQ(ended["status"]["phase"].string_or(""), "Succeeded");
  EXPECT_EQ(objects::condition(ended, "Ready")["reason"].string_or(""), "PodCompleted");
  const Value state = world.container("p");
  EXPECT_EQ(state["state"]["terminated"]["reason"].string_or(""), "Completed");
  EXPECT_EQ(world.runs(pod), 1U);
  EXPECT_THAT(world.events("p"),
              ElementsAre("Pulled: Container image \"trainer:1\" already present on machine",
                          "Created: Container created", "Started: Container started"));
}

TEST(NodeAgent, a_pod_that_does_nothing_new_is_not_written_again) {
  AgentWorld world;
  world.create_pod("p");
  world.pass_seconds(2);
  const std::string before = world.version("p");
  const std::size_t calls = world.api->calls;
  world.pass_seconds(300);
  EXPECT_EQ(world.version("p"), before);
  // Two nodes, thirty beats, a look and a lease each.
  EXPECT_LE(world.api->calls - calls, 124U);
}

TEST(NodeAgent, a_failed_pod_has_its_exit_code) {
  AgentWorld world;
  world.create_pod("p", {.run_seconds = "1", .exit_code = "7"});
  world.pass_seconds(2);
  EXPECT_EQ(world.phase("p"), "Failed");
  EXPECT_EQ(world.container("p")["state"]["terminated"]["exitCode"].integer_or(0), 7);
}

TEST(NodeAgent, leaves_the_pods_of_other_nodes_alone) {
  AgentWorld world;
  world.create_pod("p", {.node = "elsewhere"});
  world.create_pod("q", {.node = ""});
  world.pass_seconds(5);
  EXPECT_EQ(world.agent->pods(), 0U);
  EXPECT_TRUE(world.runtime.pods().empty());
}

PodWish member(std::string node) {
  return {.node = std::move(node),
          .annotations = R"(,"muster.dev/gang":"w","muster.dev/gang-size":"3")"};
}

TEST(NodeAgent, a_gang_starts_when_its_last_member_is_bound) {
  AgentWorld world;
  world.create_pod("a", member("n1"));
  world.create_pod("b", member("n2"));
  world.create_pod("c", member(""));
  world.pass_seconds(5);
  EXPECT_TRUE(world.runtime.pods().empty());
  EXPECT_EQ(world.container("a")["state"]["waiting"]["message"].string_or(""),
            "waits until all 3 pods of its gang have a node");
  world.bind("c", "n1");
  world.settle();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(world.phase(name), "Running") << name;
}

TEST(NodeAgent, a_pod_starts_once_it_was_received_on_its_node) {
  AgentWorld world;
  world.create_pod("p", {.is_received = false});
  world.pass_seconds(5);
  EXPECT_EQ(world.phase("p"), "Pending");
  EXPECT_EQ(world.container("p")["state"]["waiting"]["message"].string_or(""),
            "waits until its node has looked whether there is room for it");
  EXPECT_TRUE(world.runtime.pods().empty());
  world.bind("p", "n1", "10.64.1.77");
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_EQ(world.pod("p")["status"]["podIP"].string_or(""), "10.64.1.77");
}

TEST(NodeAgent, a_pod_of_the_machines_network_has_the_address_of_its_node) {
  AgentWorld world;
  world.create_pod("p", {.spec = R"(,"hostNetwork":true)", .is_received = false});
  world.bind("p", "n1", "None");
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
  EXPECT_EQ(world.pod("p")["status"]["podIP"].string_or(""), "192.0.2.1");
}

TEST(NodeAgent, a_member_that_was_not_received_has_no_place) {
  AgentWorld world;
  world.create_pod("a", member("n1"));
  world.create_pod("b", member("n2"));
  PodWish last = member("n1");
  last.is_received = false;
  world.create_pod("c", last);
  world.pass_seconds(5);
  EXPECT_TRUE(world.runtime.pods().empty());
  world.bind("c", "n1", "10.64.1.78");
  world.settle();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(world.phase(name), "Running") << name;
}

TEST(NodeAgent, a_member_that_is_being_deleted_is_no_member) {
  AgentWorld world;
  PodWish held = member("n1");
  held.metadata = R"(,"finalizers":["example.com/hold"])";
  world.create_pod("a", held);
  world.delete_pod("a");
  world.create_pod("b", member("n1"));
  world.create_pod("c", member("n1"));
  world.pass_seconds(5);
  EXPECT_EQ(world.phase("b"), "Pending");
  world.create_pod("d", member("n2"));
  world.settle();
  EXPECT_EQ(world.phase("b"), "Running");
}

TEST(NodeAgent, a_refused_field_is_said_on_the_pod) {
  AgentWorld world;
  world.create_pod("p", {.spec = R"(,"volumes":[{"name":"v","hostPath":{"path":"/etc"}}])"});
  world.settle();
  EXPECT_EQ(world.phase("p"), "Pending");
  const Value waiting = Value::copy_of(world.container("p")["state"]["waiting"]);
  EXPECT_EQ(waiting["reason"].string_or(""), "NotSupported");
  EXPECT_THAT(std::string(waiting["message"].string_or("")), HasSubstr("hostPath /etc"));
  EXPECT_THAT(world.events("p"), ElementsAre(HasSubstr("Failed: Error: volume \"v\"")));
  EXPECT_TRUE(world.runtime.pods().empty());
}

TEST(NodeAgent, a_field_that_nothing_acts_upon_is_a_condition) {
  AgentWorld world;
  world.create_pod("p",
                   {.container = R"(,"securityContext":{"capabilities":{"add":["NET_ADMIN"]}})"});
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
  const Value pod = world.pod("p");
  EXPECT_EQ(objects::condition(pod, "muster.dev/FieldsIgnored")["message"].string_or(""),
            "this node runs the pod without spec.containers[0].securityContext.capabilities.add");
}

TEST(NodeAgent, a_missing_config_map_is_waited_for) {
  AgentWorld world;
  world.create_pod("p", {.container = R"(,"envFrom":[{"configMapRef":{"name":"settings"}}])"});
  world.pass_seconds(2);
  const Value waiting = Value::copy_of(world.container("p")["state"]["waiting"]);
  EXPECT_EQ(waiting["reason"].string_or(""), "CreateContainerConfigError");
  EXPECT_EQ(waiting["message"].string_or(""), "configmap \"settings\" not found");
  EXPECT_THAT(world.events("p"), ElementsAre("Failed: Error: configmap \"settings\" not found"));
  world.server.create(resources::config_maps, "default", R"({"metadata":{"name":"settings"}})");
  world.settle();
  EXPECT_EQ(world.phase("p"), "Running");
}

TEST(NodeAgent, an_image_that_is_not_to_be_had_is_said_on_the_pod) {
  AgentWorld world;
  world.create_pod("p", {.annotations = R"(,"muster.dev/pretend-image-error":"no such image")"});
  world.pass_seconds(2);
  EXPECT_EQ(world.phase("p"), "Pending");
  EXPECT_EQ(world.container("p")["state"]["waiting"]["reason"].string_or(""), "ErrImagePull");
  EXPECT_THAT(world.events("p"),
              ElementsAre("Failed: Failed to pull image \"trainer:1\": no such image",
                          "Failed: Error: ErrImagePull"));
  world.delete_pod("p");
  world.settle();
  EXPECT_FALSE(world.exists("p"));
}

TEST(NodeAgent, a_pod_past_its_deadline_is_stopped_and_failed) {
  AgentWorld world;
  world.create_pod("p", {.spec = R"(,"activeDeadlineSeconds":5)"});
  world.pass_seconds(3);
  EXPECT_EQ(world.phase("p"), "Running");
  world.pass_seconds(4);
  const Value pod = world.pod("p");
  EXPECT_EQ(pod["status"]["phase"].string_or(""), "Failed");
  EXPECT_EQ(pod["status"]["reason"].string_or(""), "DeadlineExceeded");
  EXPECT_EQ(world.container("p")["state"]["terminated"]["exitCode"].integer_or(0), 143);
}

}  // namespace

}  // namespace muster::agent
