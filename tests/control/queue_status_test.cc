// SPDX-License-Identifier: Apache-2.0
#include "control/queue_status.h"

#include <gtest/gtest.h>

#include <string>

#include "control/feed.h"
#include "control/queue_status_loop.h"
#include "core/model/cluster_state.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::control {
namespace {

using objects::Value;
namespace resources = objects::resources;

Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

Value cluster_queue(const std::string& more = "") {
  return json(R"({"metadata":{"name":"cq"},"spec":{)" + more + R"(
    "resourceGroups":[{"coveredResources":["cpu","memory"],"flavors":[{"name":"default",
    "resources":[{"name":"memory","nominalQuota":"8Gi"},{"name":"cpu","nominalQuota":4}]}]}]}})");
}

Value local_queue() {
  return json(R"({"metadata":{"namespace":"a","name":"lq"},"spec":{"clusterQueue":"cq"}})");
}

Value flavor() {
  return json(R"({"metadata":{"name":"default"},"spec":{}})");
}

Value workload(const std::string& name, bool reserved) {
  Value made =
      json(R"({"metadata":{"namespace":"a","name":")" + name + R"("},"spec":{"queueName":"lq"}})");
  if (!reserved) return made;
  return objects::with(made, {"status"}, json(R"({
      "conditions":[{"type":"QuotaReserved","status":"True"},{"type":"Admitted","status":"True"}],
      "admission":{"clusterQueue":"cq","podSetAssignments":[{"name":"main","count":2,
        "flavors":{"cpu":"default","memory":"default"},
        "resourceUsage":{"cpu":"1500m","memory":"2Gi"}}]}})"))
      .must();
}

TEST(QueueStatus, a_local_queue_says_what_is_wrong_with_its_cluster_queue) {
  const Activity good{.active = true};
  const Activity bad{.active = false};
  EXPECT_EQ(activity_of(local_queue(), nullptr).reason, "ClusterQueueDoesNotExist");
  EXPECT_EQ(activity_of(local_queue(), &bad).reason, "ClusterQueueIsInactive");
  EXPECT_EQ(activity_of(local_queue(), &good).message, "Can submit new workloads to localQueue");
}

TEST(QueueStatus, usage_is_listed_by_flavor_with_amounts_as_kueue_writes_them) {
  QueueTally tally;
  tally.replace({}, workload("w", true));
  const Value next =
      with_cluster_queue_status(cluster_queue(R"("cohortName":"all",)"),
                                {.activity = {}, .numbers = tally.of_cluster_queue("cq")}, {});
  EXPECT_EQ(objects::to_json(next["status"]["flavorsUsage"]),
            R"([{"name":"default","resources":[{"borrowed":"0","name":"cpu","total":"1500m"},)"
            R"({"borrowed":"0","name":"memory","total":"2Gi"}]}])");
  tally.replace({}, workload("w2", true));
  tally.replace({}, workload("w3", true));
  const Value more =
      with_cluster_queue_status(cluster_queue(R"("cohortName":"all",)"),
                                {.activity = {}, .numbers = tally.of_cluster_queue("cq")}, {});
  EXPECT_EQ(more["status"]["flavorsReservation"][0U]["resources"][0U]["borrowed"].string_or(""),
            "500m");
  EXPECT_EQ(more["status"]["reservingWorkloads"].integer_or(0), 3);
}

TEST(QueueTally, counts_each_workload_where_it_stands_and_forgets_nothing) {
  QueueTally tally;
  const Value waiting = workload("w", false);
  const Value admitted = workload("w", true);
  tally.replace({}, waiting);
  EXPECT_EQ(tally.of_local_queue({"a", "lq"}).pending, 1);
  tally.replace(waiting, admitted);
  EXPECT_EQ(tally.of_local_queue({"a", "lq"}).pending, 0);
  EXPECT_EQ(tally.of_local_queue({"a", "lq"}).admitted, 1);
  EXPECT_EQ(tally.of_cluster_queue("cq").reserving, 1);
  const Value finished = objects::with(admitted, {"status", "conditions", std::size_t{2}},
                                       json(R"({"type":"Finished","status":"True"})"))
                             .must();
  tally.replace(admitted, finished);
  EXPECT_EQ(tally.of_local_queue({"a", "lq"}).finished, 1);
  EXPECT_TRUE(tally.of_cluster_queue("cq").empty());
  EXPECT_TRUE(tally.of_cluster_queue("cq").used.empty());
}

TEST(QueueTally, pods_that_ended_for_good_give_their_part_back) {
  Value admitted = workload("w", true);
  admitted =
      objects::with(admitted, {"spec", "podSets"}, json(R"([{"name":"main","count":2}])")).must();
  const Value half =
      objects::with(admitted, {"status", "reclaimablePods"}, json(R"([{"name":"main","count":1}])"))
          .must();
  QueueTally tally;
  EXPECT_TRUE(tally.replace({}, admitted));
  EXPECT_TRUE(tally.replace(admitted, half));
  EXPECT_FALSE(tally.replace(half, half));
  const QueueNumbers& numbers = tally.of_cluster_queue("cq");
  EXPECT_EQ(numbers.used.at({"default", "cpu"}), Quantity::of_milli(750));
  EXPECT_EQ(numbers.used.at({"default", "memory"}), Quantity::of(std::int64_t{1} << 30));
}

TEST(QueueTally, who_may_not_enter_a_queue_does_not_wait_in_it) {
  QueueTally tally;
  const Value waiting = workload("w", false);
  const auto with = [&](const std::string& field, const std::string& text) {
    return objects::with(waiting, {field}, json(text)).must();
  };
  tally.replace({}, with("spec", R"({"queueName":"lq","active":false})"));
  tally.replace({}, with("metadata", R"({"namespace":"a","name":"w2",
      "annotations":{"kueue.x-k8s.io/admission-gated-by":"example.com/gate"}})"));
  tally.replace({}, with("status", R"({"conditions":[
      {"type":"QuotaReserved","status":"False","reason":"OnHold"}]})"));
  tally.replace({}, with("status", R"({"conditions":[
      {"type":"WaitingForReplacementPods","status":"True"}]})"));
  EXPECT_TRUE(tally.of_local_queue({"a", "lq"}).empty());
}

class QueueStatusLoopTest : public testing::Test {
 protected:
  void start() {
    cache.when_synced([this] { loop.start(); });
    cache.start();
    run();
  }
  void run() { time.run_for(Span::of_seconds(5)); }
  Value queue() const { return api.find(resources::cluster_queues, {"", "cq"}); }

  simulator::VirtualTime time;
  simulator::VirtualExecutor executor{time};
  simulator::VirtualClock clock{time};
  simulator::SeededRandom random{1};
  client::House house{executor, clock, random};
  client::FakeApi api{executor, clock};
  client::ObjectCache cache{api,
                            house,
                            {{resources::cluster_queues},
                             {resources::local_queues},
                             {resources::resource_flavors},
                             {resources::admission_checks},
                             {resources::topologies},
                             {resources::cohorts},
                             {resources::workloads}}};
  core::ClusterState state;
  Feed feed{cache, clock, [this](const core::Event& event) { state.apply(event); }};
  EventRecorder events{api, house};
  MetricRegistry metrics;
  Writer writer{api, cache, events, metrics};
  QueueStatusLoop loop{house, cache, writer, state};
};

TEST_F(QueueStatusLoopTest, queues_become_active_when_their_flavor_comes) {
  start();
  api.create(resources::cluster_queues, cluster_queue());
  api.create(resources::local_queues, local_queue());
  run();
  EXPECT_TRUE(objects::is_false(objects::condition(queue(), "Active")));
  api.create(resources::resource_flavors, flavor());
  run();
  EXPECT_TRUE(objects::is_true(objects::condition(queue(), "Active")));
  const Value local = api.find(resources::local_queues, {"a", "lq"});
  EXPECT_TRUE(objects::is_true(objects::condition(local, "Active")));
  EXPECT_TRUE(loop.is_idle());
}

TEST_F(QueueStatusLoopTest, a_queue_says_everything_that_keeps_it_from_admitting) {
  const auto reason_and_message = [this] {
    const objects::View active = objects::condition(queue(), "Active");
    return std::string(active["reason"].string_or("")) + ": " +
           std::string(active["message"].string_or(""));
  };
  start();
  api.create(resources::resource_flavors,
             json(R"({"metadata":{"name":"default"},"spec":{"topologyName":"racks"}})"));
  api.create(resources::cluster_queues, cluster_queue(R"("stopPolicy":"Hold",
      "admissionChecksStrategy":{"admissionChecks":[{"name":"b"},{"name":"a"}]},)"));
  api.create(resources::admission_checks,
             json(R"({"metadata":{"name":"b"},"spec":{"controllerName":"example.com/c"}})"));
  run();
  EXPECT_EQ(reason_and_message(),
            "Stopped: Can't admit new workloads: is stopped, references missing "
            "AdmissionCheck(s): a, references inactive AdmissionCheck(s): b, there is no Topology "
            "\"racks\" for TAS flavor \"default\".");
  api.replace(resources::cluster_queues,
              objects::with(queue(), {"spec", "stopPolicy"}, Value::string("None")).must());
  api.create(resources::topologies, json(R"({"metadata":{"name":"racks"},
      "spec":{"levels":[{"nodeLabel":"kubernetes.io/hostname"}]}})"));
  run();
  EXPECT_EQ(reason_and_message(),
            "AdmissionCheckNotFound: Can't admit new workloads: references missing "
            "AdmissionCheck(s): a, references inactive AdmissionCheck(s): b.");
}

TEST_F(QueueStatusLoopTest, checks_and_topologies_stay_while_somebody_names_them) {
  start();
  api.create(resources::admission_checks,
             json(R"({"metadata":{"name":"c"},"spec":{"controllerName":"example.com/c"}})"));
  api.create(resources::topologies, json(R"({"metadata":{"name":"racks"},
      "spec":{"levels":[{"nodeLabel":"kubernetes.io/hostname"}]}})"));
  api.create(resources::resource_flavors,
             json(R"({"metadata":{"name":"default"},"spec":{"topologyName":"racks"}})"));
  api.create(resources::cluster_queues,
             cluster_queue(R"("admissionChecksStrategy":{"admissionChecks":[{"name":"c"}]},)"));
  run();
  api.remove(resources::admission_checks, {"", "c"});
  api.remove(resources::topologies, {"", "racks"});
  api.remove(resources::resource_flavors, {"", "default"});
  run();
  EXPECT_TRUE(api.find(resources::admission_checks, {"", "c"}));
  EXPECT_TRUE(api.find(resources::topologies, {"", "racks"}));
  api.remove(resources::cluster_queues, {"", "cq"});
  run();
  EXPECT_FALSE(api.find(resources::admission_checks, {"", "c"}));
  EXPECT_FALSE(api.find(resources::resource_flavors, {"", "default"}));
  EXPECT_FALSE(api.find(resources::topologies, {"", "racks"}));
}

TEST_F(QueueStatusLoopTest, nothing_is_written_while_many_wait_and_nothing_changes) {
  api.create(resources::resource_flavors, flavor());
  api.create(resources::cluster_queues, cluster_queue());
  api.create(resources::local_queues, local_queue());
  for (int i = 0; i < 1'000; ++i) {
    api.create(resources::workloads, workload("w" + std::to_string(i), false));
  }
  start();
  const std::uint64_t before = writer.counts().written;
  EXPECT_EQ(queue()["status"]["pendingWorkloads"].integer_or(0), 1'000);
  time.run_for(Span::of_seconds(3'600));
  EXPECT_EQ(writer.counts().written, before);
}

TEST_F(QueueStatusLoopTest, a_stopped_local_queue_has_nobody_waiting) {
  api.create(resources::resource_flavors, flavor());
  api.create(resources::cluster_queues, cluster_queue());
  api.create(resources::local_queues, local_queue());
  api.create(resources::workloads, workload("w", false));
  start();
  EXPECT_EQ(queue()["status"]["pendingWorkloads"].integer_or(-1), 1);
  const Value local = api.find(resources::local_queues, {"a", "lq"});
  api.replace(resources::local_queues,
              objects::with(local, {"spec", "stopPolicy"}, Value::string("HoldAndDrain")).must());
  run();
  const Value stopped = api.find(resources::local_queues, {"a", "lq"});
  EXPECT_EQ(objects::condition(stopped, "Active")["message"].string_or(""),
            "LocalQueue is stopped");
  EXPECT_EQ(stopped["status"]["pendingWorkloads"].integer_or(-1), 0);
  EXPECT_EQ(queue()["status"]["pendingWorkloads"].integer_or(-1), 0);
}

TEST_F(QueueStatusLoopTest, a_local_queue_forgets_the_usage_of_a_queue_that_is_gone) {
  api.create(resources::local_queues, local_queue());
  api.create(resources::resource_flavors, flavor());
  api.create(resources::cluster_queues, cluster_queue());
  start();
  const auto local = [this] { return api.find(resources::local_queues, {"a", "lq"}); };
  EXPECT_TRUE(local()["status"]["flavorsUsage"]);
  api.remove(resources::cluster_queues, {"", "cq"});
  run();
  EXPECT_EQ(objects::condition(local(), "Active")["reason"].string_or(""),
            "ClusterQueueDoesNotExist");
  EXPECT_FALSE(local()["status"]["flavorsUsage"]);
}

TEST_F(QueueStatusLoopTest, many_workloads_are_few_writes) {
  api.create(resources::resource_flavors, flavor());
  api.create(resources::cluster_queues, cluster_queue());
  api.create(resources::local_queues, local_queue());
  start();
  const std::uint64_t before = writer.counts().written;
  for (int i = 0; i < 1000; ++i) {
    api.create(resources::workloads, workload("w" + std::to_string(i), i % 2 == 0));
    time.run_for(Span::of_milliseconds(3));
  }
  run();
  EXPECT_EQ(queue()["status"]["pendingWorkloads"].integer_or(0), 500);
  EXPECT_EQ(queue()["status"]["admittedWorkloads"].integer_or(0), 500);
  EXPECT_LE(writer.counts().written - before, 12U);  // two queues, about five seconds
}

TEST_F(QueueStatusLoopTest, what_is_in_use_goes_when_nothing_uses_it_any_more) {
  api.create(resources::resource_flavors, flavor());
  api.create(resources::cluster_queues, cluster_queue());
  api.create(resources::local_queues, local_queue());
  api.create(resources::workloads, workload("w", true));
  start();
  api.remove(resources::resource_flavors, {"", "default"});
  api.remove(resources::cluster_queues, {"", "cq"});
  run();
  EXPECT_EQ(objects::condition(queue(), "Active")["reason"].string_or(""), "Terminating");
  EXPECT_TRUE(api.find(resources::resource_flavors, {"", "default"}));
  api.remove(resources::workloads, {"a", "w"});
  run();
  EXPECT_FALSE(queue());
  EXPECT_FALSE(api.find(resources::resource_flavors, {"", "default"}));
  EXPECT_TRUE(loop.is_idle());
}

}  // namespace
}  // namespace muster::control
