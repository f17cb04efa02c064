// Stories of jobs, and what kube-controller-manager 1.36.3 made of the same ones: the statuses are
// its answers, with the times taken out (tools: real-kubernetes up --full; pods that no node takes,
// whose phases were patched by hand).
// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_job.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/draft.h"
#include "core/lifecycle/limits.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/lifecycle/job_world.h"

namespace muster::core {
namespace {

using objects::Value;
using objects::View;

Value without_times(const Value& job) {
  Draft status(job.part(job["status"]));
  for (const std::string_view time : {"startTime", "completionTime"}) {
    if (status.value()[time]) status.set({time}, Value::string("T"));
  }
  for (std::size_t i = 0; i < job["status"]["conditions"].size(); ++i) {
    status.drop({"conditions", i, "lastProbeTime"}).drop({"conditions", i, "lastTransitionTime"});
  }
  return status.value();
}

void expect_status(const JobWorld& world, std::string_view peer) {
  const Value expected = objects::parse_json(peer).must();
  EXPECT_TRUE(without_times(world.job()).view() == expected.view())
      << objects::to_json(without_times(world.job())) << "\n"
      << peer;
  EXPECT_TRUE(world.violations().empty());
}

void come_to_rest(JobWorld& world) {
  for (int look = 0; look < 6; ++look) {
    world.step({});
    world.confirm_deletions();
  }
}

TEST(RunJob, agrees_with_its_peer_on_a_job_that_fails) {
  JobWorld world({.indexed = false, .completions = 2, .parallelism = 2, .backoff_limit = 0});
  world.step({});
  expect_status(world, R"({"active": 2, "ready": 0, "startTime": "T", "terminating": 0,
                           "uncountedTerminatedPods": {}})");
  world.end_pod(0, false);
  come_to_rest(world);
  expect_status(world, R"({"conditions": [
    {"message": "Job has reached the specified backoff limit", "reason": "BackoffLimitExceeded",
     "status": "True", "type": "FailureTarget"},
    {"message": "Job has reached the specified backoff limit", "reason": "BackoffLimitExceeded",
     "status": "True", "type": "Failed"}],
    "failed": 2, "ready": 0, "startTime": "T", "terminating": 0, "uncountedTerminatedPods": {}})");
}

TEST(RunJob, agrees_with_its_peer_on_a_job_that_is_suspended_and_resumed) {
  JobWorld world({.indexed = false, .completions = 3, .parallelism = 2});
  world.step({});
  world.set_suspended(true);
  come_to_rest(world);
  expect_status(world, R"({"conditions": [
    {"message": "Job suspended", "reason": "JobSuspended", "status": "True", "type": "Suspended"}],
    "ready": 0, "terminating": 0, "uncountedTerminatedPods": {}})");
  world.set_suspended(false);
  come_to_rest(world);
  expect_status(world, R"({"active": 2, "conditions": [
    {"message": "Job resumed", "reason": "JobResumed", "status": "False", "type": "Suspended"}],
    "ready": 0, "startTime": "T", "terminating": 0, "uncountedTerminatedPods": {}})");
}

TEST(RunJob, agrees_with_its_peer_on_pods_that_fail_or_are_deleted) {
  JobWorld world({.indexed = false, .completions = {}, .parallelism = 2, .backoff_limit = 5});
  world.step({});
  world.end_pod(0, false);
  come_to_rest(world);
  expect_status(world, R"({"active": 1, "failed": 1, "ready": 0, "startTime": "T",
                           "terminating": 0, "uncountedTerminatedPods": {}})");
  world.delete_pod(1);
  come_to_rest(world);
  expect_status(world, R"({"failed": 2, "ready": 0, "startTime": "T", "terminating": 0,
                           "uncountedTerminatedPods": {}})");
}

TEST(RunJob, does_not_wait_for_a_clock_that_was_set_back) {
  JobWorld world({.indexed = false, .completions = 1, .parallelism = 1});
  world.step({});
  world.end_pod(0, false);
  come_to_rest(world);
  EXPECT_EQ(world.active_pods(), 0) << "it has to wait ten seconds";
  world.advance(Span::of_seconds(-5));
  come_to_rest(world);
  EXPECT_EQ(world.active_pods(), 0);
  world.advance(Span::of_seconds(-3'600));
  come_to_rest(world);
  EXPECT_EQ(world.active_pods(), 1);
  EXPECT_TRUE(world.violations().empty());
}

TEST(RunJob, agrees_with_its_peer_on_a_deadline) {
  JobWorld world({.indexed = false, .completions = 1, .parallelism = 1});
  world.set_deadline(2);
  come_to_rest(world);
  world.advance(Span::of_seconds(2));
  come_to_rest(world);
  expect_status(world, R"({"conditions": [
    {"message": "Job was active longer than specified deadline", "reason": "DeadlineExceeded",
     "status": "True", "type": "FailureTarget"},
    {"message": "Job was active longer than specified deadline", "reason": "DeadlineExceeded",
     "status": "True", "type": "Failed"}],
    "failed": 1, "ready": 0, "startTime": "T", "terminating": 0, "uncountedTerminatedPods": {}})");
}

TEST(RunJob, agrees_with_its_peer_on_an_indexed_job) {
  JobWorld world({.completions = 2, .parallelism = 2, .suspended = true});
  come_to_rest(world);
  world.set_suspended(false);
  come_to_rest(world);
  world.run_and_end_all();
  come_to_rest(world);
  expect_status(world, R"({"completedIndexes": "0,1", "completionTime": "T", "conditions": [
    {"message": "Job resumed", "reason": "JobResumed", "status": "False", "type": "Suspended"},
    {"message": "Reached expected number of succeeded pods", "reason": "CompletionsReached",
     "status": "True", "type": "SuccessCriteriaMet"},
    {"message": "Reached expected number of succeeded pods", "reason": "CompletionsReached",
     "status": "True", "type": "Complete"}],
    "ready": 0, "startTime": "T", "succeeded": 2, "terminating": 0,
    "uncountedTerminatedPods": {}})");
}

TEST(RunJob, agrees_with_its_peer_on_a_job_without_completions) {
  JobWorld world({.indexed = false, .completions = {}, .parallelism = 2});
  world.step({});
  world.end_pod(0, true);
  come_to_rest(world);
  expect_status(world, R"({"active": 1, "ready": 0, "startTime": "T", "succeeded": 1,
                           "terminating": 0, "uncountedTerminatedPods": {}})");
}

// A pod that a user made, or that lost its owner, and that the selector matches.
TEST(RunJob, adopts_a_pod_before_it_counts_it) {
  JobWorld world({.completions = 1, .parallelism = 1});
  const Value orphan = objects::parse_json(R"({"metadata": {"name": "train-0-own", "uid": "p",
    "annotations": {"batch.kubernetes.io/job-completion-index": "0"}}})")
                           .must();
  const std::vector<Value> pods = {orphan};
  const JobStep step = run_job({.job = world.job(), .pods = pods, .now = world.now()});
  ASSERT_EQ(step.edits.size(), 1U);
  const View metadata = step.edits[0].object["metadata"];
  EXPECT_EQ(metadata["ownerReferences"][0]["uid"].string_or(""), "u1");
  EXPECT_EQ(metadata["finalizers"][0].string_or(""), "batch.kubernetes.io/job-tracking");
}

TEST(RunJob, lets_the_pods_of_a_job_that_is_gone_go) {
  const Value pod = objects::parse_json(R"({"metadata": {"name": "p", "uid": "p",
    "finalizers": ["example.com/own", "batch.kubernetes.io/job-tracking"]}})")
                        .must();
  const std::vector<Value> pods = {pod};
  const JobStep step = run_job({.job = {}, .pods = pods, .now = {}});
  ASSERT_EQ(step.edits.size(), 1U);
  EXPECT_EQ(objects::to_json(step.edits[0].object["metadata"]["finalizers"]),
            R"(["example.com/own"])");
}

TEST(RunJob, makes_many_pods_in_steps_and_no_name_twice) {
  JobWorld world({.indexed = false, .completions = {}, .parallelism = job_pods_per_step_max + 100});
  std::vector<std::size_t> made;
  for (int look = 0; look < 3; ++look) {
    const std::int64_t before = world.active_pods();
    world.step({});
    made.push_back(static_cast<std::size_t>(world.active_pods() - before));
  }
  EXPECT_EQ(made, (std::vector<std::size_t>{500, 100, 0}));
  EXPECT_TRUE(world.violations().empty());
}

TEST(RunJob, leaves_a_job_of_another_controller_alone) {
  const Value job = objects::parse_json(R"({"metadata": {"name": "j", "uid": "u"},
    "spec": {"managedBy": "kueue.x-k8s.io/multikueue", "parallelism": 1}})")
                        .must();
  EXPECT_TRUE(run_job({.job = job, .pods = {}, .now = {}}).edits.empty());
}

}  // namespace
}  // namespace muster::core
