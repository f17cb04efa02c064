// Jobs against the walls that are not their queue's: ResourceQuotas of their namespace, and what a
// wait must not cost while nothing changes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "objects/edit.h"
#include "objects/metadata.h"
#include "tests/control/control_world.h"

namespace muster::control {
namespace {

using objects::Value;
namespace resources = objects::resources;

constexpr objects::Resource resource_quotas{"", "v1", "resourcequotas", "ResourceQuota"};
constexpr Span minute = Span::of_seconds(60);

std::string message_of(const Value& workload) {
  return std::string(objects::condition(workload, "QuotaReserved")["message"].string_or(""));
}

bool has_event(ControlWorld& world, std::string_view reason) {
  for (const Value& event : world.all(resources::events)) {
    if (event["reason"].string_or("") == reason) return true;
  }
  return false;
}

TEST(Wall, gangs_take_their_turns_at_a_resource_quota_and_none_is_refused_a_pod) {
  ControlWorld world;
  world.add_node("n1", 16);
  world.add_queue(100);
  world.base.create(resource_quotas, "team-a",
                    R"({"metadata":{"name":"compute"},"spec":{"hard":{"pods":"3"}}})");
  for (const char* name : {"a", "b", "c"}) world.add_job(name, {.pods = 2});
  ASSERT_TRUE(world.run_until([&] { return world.starts.size() == 2; }, minute));
  int waiting = 0;
  for (const char* name : {"a", "b", "c"}) {
    const Value workload = world.workload_of(name);
    if (objects::is_true(objects::condition(workload, "QuotaReserved"))) continue;
    ++waiting;
    EXPECT_EQ(message_of(workload),
              "ResourceQuota compute would reject its pods: exceeded quota: compute, requested: "
              "pods=2, used: pods=2, limited: pods=3");
    EXPECT_EQ(objects::condition(workload, "QuotaReserved")["reason"].string_or(""), "Pending");
  }
  EXPECT_EQ(waiting, 2);
  world.run_for(Span::of_seconds(120));
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(world.has_condition(resources::jobs, name, "Complete")) << name;
  }
  EXPECT_FALSE(has_event(world, "FailedCreate"));
}

TEST(Wall, a_quota_that_is_raised_lets_the_gang_in) {
  ControlWorld world;
  world.add_node("n1", 16);
  world.add_queue(100);
  world.base.create(resource_quotas, "team-a",
                    R"({"metadata":{"name":"compute"},"spec":{"hard":{"requests.cpu":"1"}}})");
  world.add_job("train", {.pods = 2});
  world.run_for(minute);
  EXPECT_TRUE(world.pods_of("train").empty());
  EXPECT_TRUE(world.controllers->is_idle());
  const std::uint64_t settled = world.controllers->statistics().writes;
  world.run_for(minute);
  EXPECT_EQ(world.controllers->statistics().writes, settled);
  world.remove(resource_quotas, "team-a", "compute");
  ASSERT_TRUE(world.run_until([&] { return world.pods_of("train").size() == 2; }, minute));
}

// It stands in no queue, so that no later cycle would come by and say it.
TEST(Wall, a_reason_that_somebody_wrote_over_is_said_again) {
  ControlWorld world;
  world.base.create(resources::workloads, "team-a",
                    R"({"metadata":{"name":"lost"},"spec":{"queueName":"nowhere","podSets":[
      {"name":"main","count":1,"template":{"spec":{"restartPolicy":"Never","containers":[
        {"name":"c","image":"i"}]}}}]}})");
  const auto says_why = [&] {
    return message_of(world.find(resources::workloads, "team-a", "lost")) ==
           "LocalQueue nowhere doesn't exist";
  };
  ASSERT_TRUE(world.run_until(says_why, minute));
  world.run_for(minute);
  const Value lost = world.find(resources::workloads, "team-a", "lost");
  world.base
      .try_update(resources::workloads,
                  objects::with(lost, {"status", "conditions"}, objects::Value::array({})).must(),
                  "status")
      .must();
  EXPECT_FALSE(says_why());
  EXPECT_TRUE(world.run_until(says_why, minute));
  world.run_for(minute);
  const std::uint64_t settled = world.controllers->statistics().writes;
  world.run_for(minute);
  EXPECT_EQ(world.controllers->statistics().writes, settled);
}

// A Job that no queue manages asks for its pods and is refused: its status counts those that are
// there, and it asks again.
TEST(Wall, a_job_counts_the_pods_that_it_has_and_not_those_it_was_refused) {
  ControlWorld world;
  world.add_node("n1", 16);
  world.base.create(resource_quotas, "team-a",
                    R"({"metadata":{"name":"compute"},"spec":{"hard":{"pods":"1"}}})");
  world.base.create(resources::jobs, "team-a",
                    R"({"metadata":{"name":"train"},"spec":{"completions":3,"parallelism":3,
      "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"trainer"}]}}
    }})");
  const auto active = [&] {
    return world.find(resources::jobs, "team-a", "train")["status"]["active"].integer_or(0);
  };
  const auto is_refused = [&] { return has_event(world, "FailedCreate") && active() == 1; };
  ASSERT_TRUE(world.run_until(is_refused, minute));
  EXPECT_EQ(world.pods_of("train").size(), 1U);
  world.remove(resource_quotas, "team-a", "compute");
  ASSERT_TRUE(world.run_until([&] { return world.pods_of("train").size() == 3; }, minute));
}

TEST(Wall, a_quota_that_counts_what_the_pods_do_not_say_is_named) {
  ControlWorld world;
  world.add_queue(100);
  world.base.create(resource_quotas, "team-a",
                    R"({"metadata":{"name":"compute"},"spec":{"hard":{"limits.cpu":"10"}}})");
  world.add_job("train", {.pods = 2});
  world.run_for(Span::of_seconds(5));
  EXPECT_EQ(message_of(world.workload_of("train")),
            "ResourceQuota compute would reject the pods of pod set main: failed quota: compute: "
            "must specify limits.cpu for: main");
}

// Two flavors that are both short: whichever is tried last, the condition says the same, and says
// it once.
TEST(Wall, two_short_flavors_are_one_reason) {
  ControlWorld world;
  world.add_queue(0);
  world.base.create(resources::resource_flavors, "", R"({"metadata":{"name":"f1"},"spec":{}})");
  world.base.create(resources::resource_flavors, "", R"({"metadata":{"name":"f2"},"spec":{}})");
  world.base.create(resources::cluster_queues, "",
                    R"({"metadata":{"name":"two"},"spec":{"namespaceSelector":{},
      "preemption":{"withinClusterQueue":"LowerPriority"},
      "flavorFungibility":{"whenCanPreempt":"MayStopSearch"},
      "resourceGroups":[{"coveredResources":["cpu"],"flavors":[
        {"name":"f1","resources":[{"name":"cpu","nominalQuota":"2"}]},
        {"name":"f2","resources":[{"name":"cpu","nominalQuota":"2"}]}]}]}})");
  world.base.create(resources::local_queues, "team-a",
                    R"({"metadata":{"name":"two"},"spec":{"clusterQueue":"two"}})");
  const auto add = [&](const std::string& name, int cpu) {
    world.base.create(resources::workloads, "team-a",
                      R"({"metadata":{"name":")" + name +
                          R"("},"spec":{"queueName":"two","podSets":[{"name":"main","count":1,
                          "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",
                          "image":"i","resources":{"requests":{"cpu":")" +
                          std::to_string(cpu) + R"("}}}]}}}]}})");
  };
  add("first", 1);
  add("second", 2);
  world.base.time.run_for(minute);
  add("waits", 2);
  world.base.time.run_for(minute);
  const Value before = world.find(resources::workloads, "team-a", "waits");
  ASSERT_FALSE(message_of(before).empty());
  for (int i = 0; i < 5; ++i) {
    const std::string name = "passing-" + std::to_string(i);
    add(name, 1);
    world.base.time.run_for(minute);
    world.remove(resources::workloads, "team-a", name);
    world.base.time.run_for(minute);
  }
  const Value after = world.find(resources::workloads, "team-a", "waits");
  EXPECT_EQ(message_of(after), message_of(before));
  EXPECT_EQ(after["metadata"]["resourceVersion"].string_or("1"),
            before["metadata"]["resourceVersion"].string_or("2"));
}

}  // namespace
}  // namespace muster::control
