// The walk of a gang through the house, without processes: what the platform promises, looked at
// from the API alone.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "control/replay.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/virtual_disk.h"
#include "tests/control/control_world.h"

namespace muster::control {
namespace {

using objects::Value;
namespace resources = objects::resources;

constexpr Span minute = Span::of_seconds(60);

std::string message_of(const Value& object, std::string_view type) {
  return std::string(objects::condition(object, type)["message"].string_or(""));
}

TEST(Walk, a_gang_goes_all_the_way_and_gives_its_quota_back) {
  ControlWorld world;
  world.add_node("n1", 4);
  world.add_node("n2", 4);
  world.add_queue(8);
  world.add_job("train", {.pods = 2, .cpu = 4});
  ASSERT_TRUE(world.run_until([&] { return world.starts.size() == 2; }, minute));
  const Value workload = world.workload_of("train");
  EXPECT_TRUE(objects::is_true(objects::condition(workload, "Admitted")));
  for (const Value& pod : world.pods_of("train")) {
    EXPECT_FALSE(pod["spec"]["nodeName"].string_or("").empty());
    EXPECT_FALSE(objects::annotations_of(pod)[core::words::pod_ip].string_or("").empty());
  }
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "train", "Complete"));
  EXPECT_TRUE(objects::is_true(objects::condition(world.workload_of("train"), "Finished")));
  const Value queue = world.find(resources::cluster_queues, "", "cq");
  EXPECT_EQ(queue["status"]["admittedWorkloads"].integer_or(-1), 0);
  EXPECT_EQ(queue["status"]["flavorsUsage"][0U]["resources"][0U]["total"].string_or(""), "0");
  EXPECT_TRUE(world.controllers->is_idle());
}

TEST(Walk, a_pod_that_names_its_node_is_received_or_refused_there) {
  ControlWorld world;
  world.add_node("n1", 4);
  const auto create = [&world](std::string_view name, int cpu) {
    world.base.create(resources::pods, "team-a",
                      fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeName":"n1",
                          "containers":[{{"name":"c","image":"i","resources":{{"requests":
                          {{"cpu":"{}"}}}}}}]}}}})",
                                  name, cpu));
  };
  world.kubelets_work = false;
  create("fits", 3);
  create("large", 2);
  world.run_for(Span::of_seconds(5));
  const Value fits = world.find(resources::pods, "team-a", "fits");
  EXPECT_EQ(objects::annotations_of(fits)[core::words::pod_ip].string_or(""), "10.0.1.2");
  EXPECT_TRUE(objects::is_true(objects::condition(fits, "PodScheduled")));
  const Value large = world.find(resources::pods, "team-a", "large");
  EXPECT_EQ(large["status"]["phase"].string_or(""), "Failed");
  EXPECT_EQ(large["status"]["reason"].string_or(""), "OutOfcpu");
  EXPECT_EQ(large["status"]["message"].string_or(""),
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, "
            "capacity: 4000");
  EXPECT_TRUE(world.controllers->is_idle());
}

// Where there is another scheduler, pods of no queue are no work, however long they wait.
TEST(Walk, a_cluster_with_a_scheduler_has_its_own_pods) {
  ControlOptions options;
  options.role = Role::kubernetes;
  options.policy.places_unmanaged_pods = false;
  ControlWorld world(std::move(options));
  for (const std::string_view node : {"", R"("nodeName":"n1",)"}) {
    world.base.create(resources::pods, "team-a",
                      fmt::format(R"({{"metadata":{{"generateName":"p-"}},"spec":{{{}
                          "containers":[{{"name":"c","image":"i"}}]}}}})",
                                  node));
  }
  world.add_node("n1", 4);
  world.run_for(Span::of_seconds(5));
  EXPECT_TRUE(world.controllers->is_idle());
  for (const Value& pod : world.all(resources::pods)) {
    EXPECT_FALSE(objects::annotations_of(pod)[core::words::pod_ip]);
  }
}

TEST(Walk, a_job_is_suspended_until_its_workload_is_admitted) {
  ControlWorld world;
  world.add_job("train");  // its queue does not exist yet
  world.run_for(minute);
  EXPECT_TRUE(world.find(resources::jobs, "team-a", "train")["spec"]["suspend"].boolean_or(false));
  EXPECT_TRUE(world.workload_of("train"));
  EXPECT_TRUE(world.pods_of("train").empty());
  EXPECT_FALSE(message_of(world.workload_of("train"), "QuotaReserved").empty());
  world.add_node("n1", 4);
  world.add_queue(4);
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "train", "Complete"));
}

TEST(Walk, six_workers_where_four_fit_make_no_pod_and_say_what_is_short) {
  ControlWorld world;
  world.add_node("n1", 4);
  world.add_queue(4);
  world.add_job("six", {.pods = 6});
  world.run_for(minute);
  EXPECT_TRUE(world.pods_of("six").empty());
  const std::string message = message_of(world.workload_of("six"), "QuotaReserved");
  EXPECT_NE(message.find("cpu"), std::string::npos) << message;
  const Value queue = world.find(resources::local_queues, "team-a", "queue");
  EXPECT_EQ(queue["status"]["pendingWorkloads"].integer_or(0), 1);
  EXPECT_TRUE(world.controllers->is_idle());
}

TEST(Walk, ten_thousand_that_wait_cost_no_write) {
  ControlWorld world;
  world.silence_nodes();
  world.add_queue(0);
  for (int i = 0; i < 10'000; ++i) {
    world.base.create(resources::workloads, "team-a",
                      R"({"metadata":{"name":"w)" + std::to_string(i) +
                          R"("},"spec":{"queueName":"queue","podSets":[{"name":"main","count":1,
                          "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",
                          "image":"i","resources":{"requests":{"cpu":"1"}}}]}}}]}})");
  }
  world.base.time.run_for(minute);
  const Value queue = world.find(resources::cluster_queues, "", "cq");
  EXPECT_EQ(queue["status"]["pendingWorkloads"].integer_or(0), 10'000);
  EXPECT_TRUE(world.controllers->is_idle());
  const std::uint64_t settled = world.controllers->statistics().writes;
  world.base.time.run_for(Span::of_seconds(3'600));
  EXPECT_EQ(world.controllers->statistics().writes, settled);
}

TEST(Walk, quota_without_nodes_makes_no_pod_either) {
  ControlWorld world;
  world.add_node("n1", 2);
  world.add_queue(100);
  world.add_job("train", {.pods = 4});
  world.run_for(minute);
  EXPECT_TRUE(world.pods_of("train").empty());
  world.add_node("n2", 2);
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "train", "Complete"));
}

TEST(Walk, a_second_gang_waits_whole_and_starts_by_itself) {
  ControlWorld world;
  world.add_node("n1", 4);
  world.add_queue(4);
  world.add_job("first", {.pods = 4});
  world.run_for(Span::of_seconds(2));
  world.add_job("second", {.pods = 4});
  world.run_for(Span::of_seconds(3));
  EXPECT_EQ(world.pods_of("first").size(), 4U);
  EXPECT_TRUE(world.pods_of("second").empty());
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "first", "Complete"));
  EXPECT_TRUE(world.has_condition(resources::jobs, "second", "Complete"));
}

TEST(Walk, two_gangs_that_would_each_get_half_never_deadlock) {
  ControlWorld world;
  world.add_node("n1", 2);
  world.add_node("n2", 2);
  world.add_queue(4);
  world.add_job("a", {.pods = 3});
  world.add_job("b", {.pods = 3});
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "a", "Complete"));
  EXPECT_TRUE(world.has_condition(resources::jobs, "b", "Complete"));
}

TEST(Walk, a_node_that_dies_sends_its_gang_back_to_the_queue) {
  ControlWorld world;
  world.add_node("n1", 2);
  world.add_queue(2);
  world.run_span = Span::of_seconds(600);
  world.add_job("train", {.pods = 2});
  ASSERT_TRUE(world.run_until([&] { return world.starts.size() == 2; }, minute));
  world.kubelets_work = false;
  world.silence_nodes();
  world.run_for(Span::of_seconds(120));
  const Value node = world.find(resources::nodes, "", "n1");
  EXPECT_FALSE(objects::is_true(objects::condition(node, "Ready")));
  EXPECT_TRUE(world.pods_of("train").empty());
  EXPECT_FALSE(objects::is_true(objects::condition(world.workload_of("train"), "QuotaReserved")));
  world.kubelets_work = true;
  world.run_span = Span::of_seconds(10);
  world.add_node("n2", 2);
  world.run_for(minute);
  EXPECT_TRUE(world.has_condition(resources::jobs, "train", "Complete"));
}

TEST(Walk, deleting_anything_at_any_moment_leaves_nothing_behind) {
  for (int moment = 0; moment < 8; ++moment) {
    ControlWorld world;
    world.add_node("n1", 4);
    world.add_queue(4);
    world.add_job("train", {.pods = 4});
    world.run_for(Span::of_milliseconds(moment < 5 ? moment : (moment - 4) * 4000));
    world.remove(resources::jobs, "team-a", "train");
    world.remove(resources::cluster_queues, "", "cq");
    world.remove(resources::local_queues, "team-a", "queue");
    world.remove(resources::resource_flavors, "", "default");
    world.run_for(minute);
    for (const auto& resource :
         {resources::jobs, resources::workloads, resources::pods, resources::cluster_queues,
          resources::local_queues, resources::resource_flavors}) {
      EXPECT_TRUE(world.all(resource).empty()) << resource.plural << " at " << moment;
    }
  }
}

TEST(Walk, controllers_that_start_anew_at_any_moment_go_on) {
  for (int moment = 0; moment < 16; ++moment) {
    ControlWorld world;
    world.add_node("n1", 4);
    world.add_queue(4);
    world.add_job("first", {.pods = 4});
    world.add_job("second", {.pods = 3});
    for (int step = 0; step < moment * 19; ++step) world.base.time.step();
    world.restart_controllers();
    world.run_for(minute);
    EXPECT_TRUE(world.has_condition(resources::jobs, "first", "Complete")) << moment;
    EXPECT_TRUE(world.has_condition(resources::jobs, "second", "Complete")) << moment;
    EXPECT_EQ(world.starts.size(), 7U) << moment;
  }
}

TEST(Walk, controllers_that_were_stopped_decide_and_write_nothing) {
  for (int moment = 0; moment < 60; ++moment) {
    ControlWorld world;
    world.add_node("n1", 4);
    world.add_queue(4);
    world.add_job("train");
    world.restart_controllers();
    for (int step = 0; step < moment; ++step) world.base.time.step();
    world.controllers->stop();
    const ControlStatistics before = world.controllers->statistics();
    world.base.time.run_for(Span::of_seconds(5));
    EXPECT_EQ(world.controllers->statistics().cycles, before.cycles) << moment;
    EXPECT_EQ(world.controllers->statistics().writes, before.writes) << moment;
  }
}

TEST(Walk, lost_late_and_repeated_messages_change_no_outcome) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ControlWorld world({}, seed);
    world.faulty->set_faults({.call_lost_in = 15,
                              .answer_lost_in = 15,
                              .conflict_in = 10,
                              .event_twice_in = 5,
                              .watch_closed_in = 30,
                              .delay_max = Span::of_milliseconds(200)});
    world.add_node("n1", 4);
    world.add_node("n2", 2);
    world.add_queue(6);
    for (const std::string name : {"a", "b", "c", "d"}) world.add_job(name, {.pods = 3});
    world.run_for(Span::of_seconds(200));
    world.faulty->set_faults({});
    world.run_for(minute);
    for (const std::string name : {"a", "b", "c", "d"}) {
      EXPECT_TRUE(world.has_condition(resources::jobs, name, "Complete")) << name << seed;
      EXPECT_TRUE(objects::is_true(objects::condition(world.workload_of(name), "Finished")))
          << name << seed;
    }
    EXPECT_EQ(world.starts.size(), 12U) << seed;
  }
}

TEST(Walk, the_record_replays_to_the_same_plans) {
  simulator::VirtualTime disk_time;
  simulator::VirtualDisk disk(disk_time, 1);
  ControlOptions options;
  options.record_folder = "data/record";
  options.disk = &disk;
  ControlWorld world(options);
  world.faulty->set_faults({.conflict_in = 10, .delay_max = Span::of_milliseconds(20)});
  world.add_node("n1", 4);
  world.add_queue(4);
  for (const std::string name : {"a", "b", "c"}) world.add_job(name, {.pods = 3});
  for (int i = 0; i < 1200; ++i) {
    world.run_for(Span::of_milliseconds(50));
    disk_time.run_until_idle();
  }
  const auto entries = read_record(disk, "data/record").must();
  const ReplayReport report = replay(entries);
  EXPECT_GT(report.cycles, 3U);
  EXPECT_EQ(report.cycles, world.controllers->statistics().cycles);
  EXPECT_EQ(report.skipped, 0U);
  EXPECT_TRUE(report.differing.empty());
}

}  // namespace
}  // namespace muster::control
