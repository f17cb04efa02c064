// SPDX-License-Identifier: Apache-2.0
#include "control/kueue_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "control/feed.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::control {
namespace {

using objects::Value;
using testing::HasSubstr;
using testing::Not;
namespace resources = objects::resources;

Value json(const std::string& text) {
  return objects::parse_json(text).must();
}

class KueueMetricsTest : public testing::Test {
 protected:
  KueueMetricsTest() {
    api.create(resources::resource_flavors, json(R"({"metadata":{"name":"default"},"spec":{}})"));
    api.create(resources::cluster_queues, json(R"({"metadata":{"name":"cq"},"spec":{
        "cohortName":"all","namespaceSelector":{},"resourceGroups":[{"coveredResources":["cpu"],
        "flavors":[{"name":"default","resources":[{"name":"cpu","nominalQuota":"4",
        "borrowingLimit":"1"}]}]}]}})"));
    api.create(resources::local_queues, json(R"({"metadata":{"namespace":"a","name":"lq"},
        "spec":{"clusterQueue":"cq"}})"));
    api.create(resources::workloads, json(R"({"metadata":{"namespace":"a","name":"w"},
        "spec":{"queueName":"lq","priorityClassRef":{"name":"high"},"podSets":[{"name":"main",
        "count":1,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":
        {"cpu":"1500m"}}}]}}}]}})"));
    cache.when_synced([this] {
      loop.start();
      metrics.start();
    });
    cache.start();
    run();
  }

  void run() { time.run_for(Span::of_seconds(5)); }

  void set_status(const std::string& text) {
    const Value workload = api.find(resources::workloads, {"a", "w"});
    api.replace_status(resources::workloads,
                       objects::with(workload, {"status"}, json(text)).must());
    run();
  }

  void admit() {
    set_status(R"({"conditions":[)" + condition("QuotaReserved", "True", "QuotaReserved") + "," +
               condition("Admitted", "True", "Admitted") + R"(],"admission":)" + admission + "}");
  }

  static std::string condition(const std::string& type, const std::string& status,
                               const std::string& reason, const std::string& message = "") {
    return R"({"type":")" + type + R"(","status":")" + status + R"(","reason":")" + reason +
           R"(","message":")" + message + R"(","lastTransitionTime":"1970-01-01T00:00:00Z"})";
  }

  std::string text() const { return registry.to_text(); }

  const std::string admission = R"({"clusterQueue":"cq","podSetAssignments":[{"name":"main",
      "count":1,"flavors":{"cpu":"default"},"resourceUsage":{"cpu":"1500m"}}]})";

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
                             {resources::cohorts},
                             {resources::workloads}}};
  core::ClusterState state;
  Feed feed{cache, clock, [this](const core::Event& event) { state.apply(event); }};
  EventRecorder events{api, house};
  MetricRegistry registry;
  Writer writer{api, cache, events, registry};
  QueueStatusLoop loop{house, cache, writer, state};
  KueueMetrics metrics{house, cache, registry, state, loop};
};

TEST_F(KueueMetricsTest, a_queue_is_shown_with_quota_limits_and_who_waits) {
  const std::string quota =
      R"({cluster_queue="cq",cohort="all",flavor="default",replica_role="standalone",)"
      R"(resource="cpu"})";
  EXPECT_THAT(text(), HasSubstr("kueue_cluster_queue_nominal_quota" + quota + " 4\n"));
  EXPECT_THAT(text(), HasSubstr("kueue_cluster_queue_borrowing_limit" + quota + " 1\n"));
  EXPECT_THAT(text(), HasSubstr("kueue_cluster_queue_lending_limit" + quota + " +Inf\n"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_pending_workloads{cluster_queue="cq",)"
                                R"(replica_role="standalone",status="active"} 1)"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_cluster_queue_resource_pending{cluster_queue="cq",)"
                                R"(replica_role="standalone",resource="cpu"} 1.5)"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_cohort_subtree_quota{cohort="all",flavor="default",)"
                                R"(replica_role="standalone",resource="cpu"} 4)"));
  EXPECT_THAT(text(),
              HasSubstr(R"(kueue_unadmitted_workloads{cluster_queue="cq",reason="NoReservation",)"
                        R"(replica_role="standalone",underlying_cause="PendingEvaluation"} 1)"));
}

TEST_F(KueueMetricsTest, an_admission_is_counted_with_its_wait_for_every_place_it_concerns) {
  admit();
  const std::string labels =
      R"({cluster_queue="cq",priority_class="high",replica_role="standalone"})";
  EXPECT_THAT(text(), HasSubstr("kueue_quota_reserved_workloads_total" + labels + " 1\n"));
  EXPECT_THAT(text(), HasSubstr("kueue_admitted_workloads_total" + labels + " 1\n"));
  EXPECT_THAT(text(), HasSubstr("kueue_admission_wait_time_seconds_count" + labels + " 1\n"));
  EXPECT_THAT(text(), Not(HasSubstr("kueue_admission_checks_wait_time_seconds_count" + labels)));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_local_queue_admitted_workloads_total{name="lq",)"
                                R"(namespace="a",priority_class="high",)"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_cohort_subtree_admitted_workloads_total{cohort="all",)"
                                R"(priority_class="high",replica_role="standalone"} 1)"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_admitted_active_workloads{cluster_queue="cq",)"
                                R"(replica_role="standalone"} 1)"));
}

TEST_F(KueueMetricsTest, an_eviction_names_reason_and_cause_and_a_preemption_the_queue) {
  admit();
  set_status(R"({"conditions":[)" + condition("QuotaReserved", "True", "QuotaReserved") + "," +
             condition("Evicted", "True", "DeactivatedDueToRequeuingLimitExceeded") + "," +
             condition("Preempted", "True", "InCohortReclamation",
                       "Preempted to accommodate a workload; preemptor path: /all/other; "
                       "preemptee path: /all/cq") +
             R"(],"admission":)" + admission +
             R"(,"schedulingStats":{"evictions":[{"reason":"Deactivated",)" +
             R"("underlyingCause":"RequeuingLimitExceeded","count":1}]}})");
  const std::string labels =
      R"({cluster_queue="cq",priority_class="high",reason="Deactivated",)"
      R"(replica_role="standalone",underlying_cause="RequeuingLimitExceeded"})";
  EXPECT_THAT(text(), HasSubstr("kueue_evicted_workloads_total" + labels + " 1\n"));
  EXPECT_THAT(text(), HasSubstr("kueue_evicted_workloads_once_total" + labels + " 1\n"));
  EXPECT_THAT(text(), HasSubstr(R"(kueue_preempted_workloads_total{preempting_cluster_queue=)"
                                R"("other",reason="InCohortReclamation",)"));
}

TEST_F(KueueMetricsTest, a_queue_that_is_gone_leaves_no_series_behind) {
  admit();
  api.remove(resources::workloads, {"a", "w"});
  api.remove(resources::cluster_queues, {"", "cq"});
  api.remove(resources::local_queues, {"a", "lq"});
  run();
  EXPECT_THAT(text(), Not(HasSubstr(R"(cluster_queue="cq")")));
  EXPECT_THAT(text(), Not(HasSubstr(R"(name="lq")")));
}

TEST_F(KueueMetricsTest, an_attempt_is_a_success_when_somebody_is_admitted) {
  core::Plan plan;
  metrics.on_cycle(plan, Span::of_milliseconds(1));
  plan.decisions.emplace_back();
  metrics.on_cycle(plan, Span::of_milliseconds(1));
  plan.decisions.emplace_back().type = core::Decision::Type::admit;
  metrics.on_cycle(plan, Span::of_milliseconds(20));
  for (const char* result : {"success", "inadmissible"}) {
    EXPECT_THAT(text(), HasSubstr(std::string("kueue_admission_attempts_total{replica_role="
                                              "\"standalone\",result=\"") +
                                  result + "\"} 1\n"));
  }
  EXPECT_THAT(text(), HasSubstr(R"(kueue_admission_attempt_duration_seconds_bucket{replica_role=)"
                                R"("standalone",result="success",le="0.025"} 1)"));
}

}  // namespace
}  // namespace muster::control
