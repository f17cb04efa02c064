// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_unserved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::core {
namespace {

using objects::Value;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant now = {Span::of_seconds(1'800'000'000).nanoseconds};

Value object(std::string_view text) {
  return objects::parse_json(text).must();
}

TEST(RunUnserved, a_network_policy_that_nobody_enforces_says_so) {
  const auto edits = run_unserved(network_policies, object(R"({"metadata":{"name":"a"}})"), now);
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_EQ(edits[0].verb, Edit::Verb::record);
  EXPECT_TRUE(edits[0].note->warning);
  EXPECT_EQ(edits[0].note->reason, "NotServed");
  EXPECT_THAT(edits[0].note->message, HasSubstr("does not enforce network policies"));
}

TEST(RunUnserved, an_ingress_says_what_to_do_instead) {
  const auto edits = run_unserved(ingresses, object(R"({"metadata":{"name":"a"}})"), now);
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_THAT(edits[0].note->message, HasSubstr("kubectl port-forward"));
}

TEST(RunUnserved, an_autoscaler_has_it_in_its_status_and_says_it_once) {
  const auto edits =
      run_unserved(horizontal_pod_autoscalers, object(R"({"metadata":{"name":"a"}})"), now);
  ASSERT_THAT(edits, SizeIs(2));
  EXPECT_EQ(edits[0].verb, Edit::Verb::update_status);
  const Value next = edits[0].object;
  EXPECT_EQ(next["status"]["conditions"][0]["type"].string_or(""), "AbleToScale");
  EXPECT_EQ(next["status"]["conditions"][0]["status"].string_or(""), "False");
  EXPECT_EQ(next["status"]["desiredReplicas"].integer_or(-1), 0);
  EXPECT_THAT(run_unserved(horizontal_pod_autoscalers, next, now + Span::of_seconds(5)), IsEmpty());
}

TEST(RunUnserved, a_job_of_an_operator_that_is_still_to_come_says_so) {
  const auto edits = run_unserved(job_sets, object(R"({"metadata":{"name":"a"}})"), now);
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_EQ(edits[0].note->message,
            "Muster has no operator for kind JobSet of jobset.x-k8s.io yet: nothing makes its "
            "pods, and it waits in no queue; a batch/v1 Job with completionMode: Indexed runs as a "
            "gang here");
}

TEST(RunUnserved, a_pod_that_names_a_scheduler_is_told_that_none_runs_here) {
  const Value pod = object(R"({"metadata":{"name":"a"},"spec":{"schedulerName":"volcano"},
                               "status":{"phase":"Pending"}})");
  const auto edits = run_unserved(objects::resources::pods, pod, now);
  ASSERT_THAT(edits, SizeIs(1));
  EXPECT_EQ(edits[0].verb, Edit::Verb::record);
  EXPECT_EQ(edits[0].note->reason, "NotServed");
  EXPECT_THAT(edits[0].note->message, HasSubstr("no scheduler named volcano runs in Muster"));
}

TEST(RunUnserved, a_pod_that_somebody_here_places_says_nothing) {
  for (const std::string_view text : {
           R"({"spec":{"schedulerName":"default-scheduler"}})",
           R"({"spec":{"schedulerName":"volcano","nodeName":"n"}})",
           R"({"spec":{"schedulerName":"volcano","schedulingGates":[{"name":"g"}]}})",
           R"({"metadata":{"labels":{"kueue.x-k8s.io/queue-name":"q"}},
               "spec":{"schedulerName":"volcano"}})",
           R"({"metadata":{"annotations":{"kueue.x-k8s.io/workload":"w"}},
               "spec":{"schedulerName":"volcano"}})",
       }) {
    EXPECT_THAT(run_unserved(objects::resources::pods, object(text), now), IsEmpty()) << text;
  }
}

TEST(RunUnserved, what_is_going_is_left_alone) {
  EXPECT_THAT(run_unserved(ingresses, object(R"({"metadata":{"name":"a",
                "deletionTimestamp":"2026-01-01T00:00:00Z"}})"),
                           now),
              IsEmpty());
}

}  // namespace
}  // namespace muster::core
