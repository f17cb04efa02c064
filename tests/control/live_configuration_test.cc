// kueue-manager-config edited while jobs wait: what it says holds from then on, and what cannot be
// read changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/words.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/control/control_world.h"

namespace muster::control {
namespace {

using objects::Value;
namespace resources = objects::resources;

constexpr Span minute = Span::of_seconds(60);

// Kueue's Configuration of these lines, in place of whatever there was.
void configure(ControlWorld& world, const std::string& lines) {
  const Value text = Value::string(
      "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n" + lines + "\n");
  Value map = world.find(resources::config_maps, "kueue-system", "kueue-manager-config");
  if (!map) {
    world.base.create(resources::namespaces, "", R"({"metadata":{"name":"kueue-system"}})");
    map = world.base.create(resources::config_maps, "kueue-system",
                            R"({"metadata":{"name":"kueue-manager-config"}})");
  }
  map = objects::with(map, {"data", "controller_manager_config.yaml"}, text).must();
  world.base.try_update(resources::config_maps, map).must();
}

std::string message_of(const Value& workload) {
  return std::string(objects::condition(workload, "QuotaReserved")["message"].string_or(""));
}

bool is_admitted(ControlWorld& world, const std::string& job) {
  return objects::is_true(objects::condition(world.workload_of(job), "Admitted"));
}

void add_job_that_asks_for(ControlWorld& world, const std::string& name,
                           const std::string& resource) {
  world.base.create(resources::jobs, "team-a",
                    R"({"metadata":{"name":")" + name +
                        R"(","labels":{"kueue.x-k8s.io/queue-name":"queue"}},"spec":{"template":{
      "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"trainer","resources":{
      "requests":{"cpu":"1"},"limits":{")" +
                        resource + R"(":"1"}}}]}}}})");
}

TEST(LiveConfiguration, a_resource_that_is_excluded_is_not_asked_of_quota) {
  ControlWorld world;
  world.add_queue(4);
  add_job_that_asks_for(world, "train", "example.com/x");
  world.run_for(Span::of_seconds(5));
  EXPECT_EQ(message_of(world.workload_of("train")),
            "couldn't assign flavors to pod set main: resource example.com/x unavailable in "
            "ClusterQueue");
  configure(world, R"(resources: {excludeResourcePrefixes: [example.com]})");
  world.run_for(Span::of_seconds(5));
  EXPECT_NE(message_of(world.workload_of("train")).find("the nodes don't allow"), std::string::npos)
      << message_of(world.workload_of("train"));
}

TEST(LiveConfiguration, a_resource_that_is_transformed_counts_as_what_it_becomes) {
  ControlWorld world;
  world.add_queue(4);
  add_job_that_asks_for(world, "train", "example.com/x");
  world.run_for(Span::of_seconds(5));
  configure(world,
            "resources:\n  transformations:\n"
            "  - {input: example.com/x, strategy: Replace, outputs: {cpu: 9}}");
  world.run_for(Span::of_seconds(5));
  EXPECT_EQ(message_of(world.workload_of("train")),
            "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor "
            "default, previously considered podsets requests (0) + current podset request (10) > "
            "maximum capacity (4)");
}

TEST(LiveConfiguration, block_admission_holds_the_next_one_until_it_is_taken_back) {
  ControlWorld world;
  world.kubelets_work = false;
  world.add_node("n1", 16);
  world.add_queue(16);
  configure(world, R"(waitForPodsReady: {timeout: 1h, blockAdmission: true})");
  world.run_for(Span::of_seconds(5));
  world.add_job("a", {.pods = 1});
  world.run_for(Span::of_seconds(5));
  world.add_job("b", {.pods = 2});
  world.run_for(Span::of_seconds(5));
  EXPECT_TRUE(is_admitted(world, "a"));
  EXPECT_FALSE(is_admitted(world, "b"));
  EXPECT_EQ(message_of(world.workload_of("b")),
            "waiting for all admitted workloads to be in PodsReady condition");
  configure(world, R"(waitForPodsReady: {timeout: 1h})");
  world.run_for(Span::of_seconds(5));
  EXPECT_TRUE(is_admitted(world, "b"));
}

TEST(LiveConfiguration, a_shorter_timeout_evicts_who_is_not_ready_and_the_backoff_is_its_own) {
  ControlWorld world;
  world.kubelets_work = false;
  world.add_node("n1", 16);
  world.add_queue(16);
  world.add_job("a", {.pods = 1});
  world.run_for(minute);
  EXPECT_TRUE(is_admitted(world, "a"));
  configure(world,
            R"(waitForPodsReady: {timeout: 30s, requeuingStrategy: {backoffBaseSeconds: 600}})");
  world.run_for(Span::of_seconds(5));
  const Value workload = world.workload_of("a");
  EXPECT_EQ(objects::condition(workload, "Evicted")["reason"].string_or(""), "PodsReadyTimeout");
  EXPECT_EQ(workload["status"]["requeueState"]["count"].integer_or(0), 1);
  world.run_for(minute);
  EXPECT_FALSE(objects::is_true(objects::condition(world.workload_of("a"), "Requeued")));
}

void set_status(ControlWorld& world, const Value& pod, const std::string& status) {
  const Value next = objects::with(pod, {"status"}, objects::parse_json(status).must()).must();
  world.base.try_update(resources::pods, next, "status").must();
}

TEST(LiveConfiguration, a_recovery_timeout_counts_from_the_pod_that_was_lost) {
  ControlWorld world;
  world.kubelets_work = false;
  world.add_node("n1", 16);
  world.add_queue(16);
  world.add_job("a", {.pods = 1});
  ASSERT_TRUE(world.run_until([&] { return world.pods_of("a").size() == 1; }, minute));
  world.run_for(Span::of_seconds(2));
  set_status(world, world.pods_of("a")[0],
             R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
  world.run_for(Span::of_seconds(5));
  EXPECT_TRUE(objects::is_true(objects::condition(world.workload_of("a"), "PodsReady")));
  set_status(world, world.pods_of("a")[0], R"({"phase":"Failed"})");
  world.run_for(minute);
  EXPECT_EQ(objects::condition(world.workload_of("a"), "PodsReady")["reason"].string_or(""),
            "WaitForRecovery");
  EXPECT_TRUE(is_admitted(world, "a"));
  configure(world, R"(waitForPodsReady: {timeout: 1h, recoveryTimeout: 30s})");
  world.run_for(Span::of_seconds(5));
  EXPECT_EQ(objects::condition(world.workload_of("a"), "Evicted")["reason"].string_or(""),
            "PodsReadyTimeout");
}

TEST(LiveConfiguration, fair_admission_keeps_the_usage_of_local_queues_once_it_is_configured) {
  ControlWorld world;
  world.add_node("n1", 4);
  world.add_queue(4);
  world.base.create(resources::cluster_queues, "",
                    R"({"metadata":{"name":"fair"},"spec":{"namespaceSelector":{},
      "admissionScope":{"admissionMode":"UsageBasedAdmissionFairSharing"},
      "resourceGroups":[{"coveredResources":["cpu"],"flavors":[
      {"name":"default","resources":[{"name":"cpu","nominalQuota":"4"}]}]}]}})");
  world.base.create(resources::local_queues, "team-a",
                    R"({"metadata":{"name":"fair"},"spec":{"clusterQueue":"fair"}})");
  world.add_job("before", {.pods = 1, .queue = "fair"});
  world.run_for(minute);
  const auto sampled = [&] {
    const Value queue = world.find(resources::local_queues, "team-a", "fair");
    return queue["status"]["fairSharing"]["admissionFairSharingStatus"].is_object();
  };
  EXPECT_FALSE(sampled());
  configure(world, R"(admissionFairSharing: {usageHalfLifeTime: 1m, usageSamplingInterval: 5s})");
  world.add_job("after", {.pods = 1, .queue = "fair"});
  world.run_for(minute);
  EXPECT_TRUE(sampled());
}

TEST(LiveConfiguration, fair_sharing_shows_shares_once_it_is_configured) {
  ControlWorld world;
  world.add_queue(4);
  world.base.create(resources::cluster_queues, "",
                    R"({"metadata":{"name":"other"},"spec":{"cohortName":"all",
      "namespaceSelector":{},"resourceGroups":[{"coveredResources":["cpu"],"flavors":[
      {"name":"default","resources":[{"name":"cpu","nominalQuota":"4"}]}]}]}})");
  world.run_for(Span::of_seconds(5));
  EXPECT_FALSE(world.find(resources::cluster_queues, "", "other")["status"]["fairSharing"]);
  configure(world, R"(fairSharing: {preemptionStrategies: [LessThanInitialShare]})");
  world.run_for(Span::of_seconds(5));
  EXPECT_TRUE(world.find(resources::cluster_queues, "", "other")["status"]["fairSharing"]);
}

// An answer to a binding shows no pod, and its event may be late: a state that is made anew
// meanwhile gave the same address once more (short seeds 315 and 1,897).
TEST(LiveConfiguration, addresses_that_were_given_by_the_old_rules_stay_given) {
  ControlWorld world;
  world.kubelets_work = false;
  world.add_node("n1", 64);
  world.add_queue(64);
  world.run_for(Span::of_seconds(5));
  world.faulty->set_faults({.delay_max = Span::of_seconds(2)});
  for (int i = 0; i < 60; ++i) {
    world.add_job(fmt::format("job-{}", i), {.pods = 1});
    if (i % 4 == 0) {
      configure(world, i % 8 == 0 ? "fairSharing: {preemptionStrategies: [LessThanInitialShare]}"
                                  : "resources: {excludeResourcePrefixes: [example.com]}");
    }
    world.run_for(Span::of_milliseconds(250));
  }
  world.faulty->set_faults({});
  world.run_for(minute);
  std::set<std::string> addresses;
  for (const Value& pod : world.all(resources::pods)) {
    addresses.emplace(objects::annotations_of(pod)[core::words::pod_ip].string_or(""));
  }
  addresses.erase("");
  EXPECT_EQ(addresses.size(), 60U);
}

TEST(LiveConfiguration, one_that_cannot_be_read_changes_nothing_and_says_why) {
  ControlWorld world;
  world.add_queue(4);
  configure(world, R"(resources: {excludeResourcePrefixes: [example.com]})");
  world.run_for(Span::of_seconds(5));
  configure(world, R"(fairSharing: {preemptionStrategies: [Fastest]})");
  world.run_for(Span::of_seconds(5));
  add_job_that_asks_for(world, "train", "example.com/x");
  world.run_for(Span::of_seconds(5));
  bool is_said = false;
  for (const Value& event : world.all(resources::events)) {
    if (event["reason"].string_or("") != "InvalidConfiguration") continue;
    const std::string_view message = event["message"].string_or("");
    is_said = is_said || message.find("preemptionStrategies[0]") != std::string_view::npos;
  }
  EXPECT_TRUE(is_said);
  EXPECT_EQ(message_of(world.workload_of("train")).find("unavailable"), std::string::npos);
}

}  // namespace
}  // namespace muster::control
