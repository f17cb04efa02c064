// Stories of the policies of a Job, and what kube-controller-manager 1.36.3 made of the same ones:
// the statuses are its answers, with the times taken out (tools: real-kubernetes up --full; pods
// that no node takes, whose phases were patched by hand).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/draft.h"
#include "core/lifecycle/job_failure_policy.h"
#include "core/lifecycle/job_success_policy.h"
#include "core/lifecycle/run_job.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/lifecycle/job_world.h"

namespace muster::core {
namespace {

using objects::Value;
using objects::View;

Value parsed(std::string_view text) {
  return objects::parse_json(text).must();
}

void expect_status(const JobWorld& world, std::string_view peer) {
  Draft status(world.job().part(world.job()["status"]));
  for (const std::string_view time : {"startTime", "completionTime"}) {
    if (status.value()[time]) status.set({time}, Value::string("T"));
  }
  for (std::size_t i = 0; i < status.value()["conditions"].size(); ++i) {
    status.drop({"conditions", i, "lastProbeTime"}).drop({"conditions", i, "lastTransitionTime"});
  }
  EXPECT_TRUE(status.value().view() == parsed(peer).view()) << objects::to_json(status.value());
  EXPECT_TRUE(world.violations().empty());
}

void come_to_rest(JobWorld& world) {
  for (int look = 0; look < 6; ++look) {
    world.step({});
    world.confirm_deletions();
  }
}

// The active pod of an index.
std::size_t pod_of(const JobWorld& world, std::string_view index) {
  const std::vector<Value> pods = world.pods();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const bool is_live = pods[i]["status"]["phase"].string_or("") == "Pending";
    const View label = objects::annotations_of(pods[i])[words::completion_index];
    if (is_live && label.string_or("") == index) return i;
  }
  ADD_FAILURE() << "no pod of index " << index;
  return 0;
}

TEST(JobPolicies, agree_with_their_peer_on_a_limit_per_index) {
  JobWorld world({.completions = 3,
                  .parallelism = 3,
                  .backoff_limit = INT32_MAX,
                  .backoff_limit_per_index = 1});
  come_to_rest(world);
  expect_status(world, R"({"active": 3, "failedIndexes": "", "ready": 0, "startTime": "T",
                           "terminating": 0, "uncountedTerminatedPods": {}})");
  world.end_pod(pod_of(world, "0"), false);
  come_to_rest(world);
  expect_status(world, R"({"active": 2, "failedIndexes": "", "ready": 0, "startTime": "T",
                           "terminating": 0, "uncountedTerminatedPods": {}})");
  world.end_pod(pod_of(world, "1"), true);
  world.advance(Span::of_seconds(11));
  come_to_rest(world);
  expect_status(world, R"({"active": 2, "completedIndexes": "1", "failed": 1, "failedIndexes": "",
    "ready": 0, "startTime": "T", "succeeded": 1, "terminating": 0,
    "uncountedTerminatedPods": {}})");
  const Value second = world.pods()[pod_of(world, "0")];
  EXPECT_EQ(objects::annotations_of(second)[words::index_failures].string_or(""), "1");
  EXPECT_FALSE(objects::annotations_of(second)[words::index_ignored_failures]);
  world.end_pod(pod_of(world, "0"), false);
  come_to_rest(world);
  expect_status(world, R"({"active": 1, "completedIndexes": "1", "failed": 2, "failedIndexes": "0",
    "ready": 0, "startTime": "T", "succeeded": 1, "terminating": 0,
    "uncountedTerminatedPods": {}})");
  world.end_pod(pod_of(world, "2"), true);
  come_to_rest(world);
  expect_status(world, R"({"completedIndexes": "1,2", "conditions": [
    {"message": "Job has failed indexes", "reason": "FailedIndexes", "status": "True",
     "type": "FailureTarget"},
    {"message": "Job has failed indexes", "reason": "FailedIndexes", "status": "True",
     "type": "Failed"}],
    "failed": 2, "failedIndexes": "0", "ready": 0, "startTime": "T", "succeeded": 2,
    "terminating": 0, "uncountedTerminatedPods": {}})");
}

TEST(JobPolicies, agree_with_their_peer_on_too_many_failed_indexes) {
  JobWorld world({.completions = 3, .parallelism = 3, .backoff_limit_per_index = 0});
  world.edit_spec([](Draft& job) { job.set({"spec", "maxFailedIndexes"}, Value::integer(0)); });
  come_to_rest(world);
  world.end_pod(pod_of(world, "0"), false);
  come_to_rest(world);
  expect_status(world, R"({"conditions": [
    {"message": "Job has exceeded the specified maximal number of failed indexes",
     "reason": "MaxFailedIndexesExceeded", "status": "True", "type": "FailureTarget"},
    {"message": "Job has exceeded the specified maximal number of failed indexes",
     "reason": "MaxFailedIndexesExceeded", "status": "True", "type": "Failed"}],
    "failed": 3, "failedIndexes": "0", "ready": 0, "startTime": "T", "terminating": 0,
    "uncountedTerminatedPods": {}})");
}

TEST(JobPolicies, agree_with_their_peer_on_a_pod_failure_policy) {
  JobWorld world({.completions = 3,
                  .parallelism = 3,
                  .backoff_limit = INT32_MAX,
                  .replaces_only_failed = true,
                  .backoff_limit_per_index = 1});
  world.edit_spec([](Draft& job) {
    job.set({"spec", "podFailurePolicy"}, parsed(R"({"rules": [
      {"action": "FailJob",
       "onExitCodes": {"containerName": "main", "operator": "In", "values": [42]}},
      {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3]}},
      {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [7]}},
      {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [9]}}]})"));
  });
  come_to_rest(world);
  world.end_pod_with(pod_of(world, "0"), 3);
  world.end_pod_with(pod_of(world, "1"), 7);
  come_to_rest(world);
  expect_status(world, R"({"active": 1, "failed": 1, "failedIndexes": "1", "ready": 0,
    "startTime": "T", "terminating": 0, "uncountedTerminatedPods": {}})");
  world.advance(Span::of_seconds(11));
  come_to_rest(world);
  const Value second = world.pods()[pod_of(world, "0")];
  EXPECT_EQ(objects::annotations_of(second)[words::index_failures].string_or(""), "0");
  EXPECT_EQ(objects::annotations_of(second)[words::index_ignored_failures].string_or(""), "1");
  world.end_pod_with(pod_of(world, "0"), 42);
  come_to_rest(world);
  EXPECT_EQ(world.job()["status"]["failed"].integer_or(0), 3);
  const View failed = objects::condition(world.job(), "Failed");
  EXPECT_EQ(failed["reason"].string_or(""), "PodFailurePolicy");
  EXPECT_EQ(failed["message"].string_or(""),
            "Container main for pod a/" + std::string(objects::name_of(second)) +
                " failed with exit code 42 matching FailJob rule at index 0");
}

TEST(JobPolicies, agree_with_their_peer_on_a_success_policy) {
  JobWorld world({.completions = 4, .parallelism = 4});
  world.edit_spec([](Draft& job) {
    job.set({"spec", "successPolicy"}, parsed(R"({"rules": [
      {"succeededIndexes": "2-3"}, {"succeededIndexes": "0,1", "succeededCount": 1}]})"));
  });
  come_to_rest(world);
  world.end_pod(pod_of(world, "1"), true);
  come_to_rest(world);
  expect_status(world, R"({"completedIndexes": "1", "completionTime": "T", "conditions": [
    {"message": "Matched rules at index 1", "reason": "SuccessPolicy", "status": "True",
     "type": "SuccessCriteriaMet"},
    {"message": "Matched rules at index 1", "reason": "SuccessPolicy", "status": "True",
     "type": "Complete"}],
    "ready": 0, "startTime": "T", "succeeded": 1, "terminating": 0,
    "uncountedTerminatedPods": {}})");
}

TEST(JobPolicies, a_terminating_pod_is_replaced_at_once_or_when_it_has_failed) {
  for (const bool waits : {false, true}) {
    JobWorld world(
        {.indexed = false, .completions = 2, .parallelism = 2, .replaces_only_failed = waits});
    world.step({});
    world.run_pod(0);
    world.delete_pod(0);
    world.advance(Span::of_seconds(60));
    for (int look = 0; look < 4; ++look) world.step({});
    const View status = world.job()["status"];
    EXPECT_EQ(status["active"].integer_or(0), waits ? 1 : 2);
    EXPECT_EQ(status["terminating"].integer_or(0), 1);
    EXPECT_EQ(status["failed"].integer_or(0), waits ? 0 : 1);
    world.confirm_deletions();
    world.advance(Span::of_seconds(60));
    come_to_rest(world);
    EXPECT_EQ(world.job()["status"]["active"].integer_or(0), 2);
    EXPECT_EQ(world.job()["status"]["terminating"].integer_or(0), 0);
    EXPECT_EQ(world.job()["status"]["failed"].integer_or(0), 1);
  }
}

TEST(JobPolicies, a_pod_that_never_had_a_node_is_gone_when_it_is_deleted) {
  JobWorld world({.indexed = false,
                  .completions = 1,
                  .parallelism = 1,
                  .backoff_limit = 0,
                  .replaces_only_failed = true});
  world.step({});
  world.delete_pod(0);
  come_to_rest(world);
  EXPECT_TRUE(objects::is_true(objects::condition(world.job(), "Failed")));
}

TEST(JobPolicies, an_elastic_job_shrinks_and_grows) {
  JobWorld world({.completions = 3, .parallelism = 3});
  come_to_rest(world);
  world.end_pod(pod_of(world, "2"), true);
  come_to_rest(world);
  world.set_size(2);
  world.step({});
  EXPECT_EQ(world.job()["status"]["succeeded"].integer_or(0), 0);
  EXPECT_FALSE(world.job()["status"]["completedIndexes"]);
  world.set_size(4);
  for (int look = 0; look < 3; ++look) world.step({});
  EXPECT_EQ(world.job()["status"]["active"].integer_or(0), 4);
}

TEST(JobPolicies, a_rule_of_a_failure_policy_speaks_of_containers_that_ended_badly) {
  const Value pod = parsed(R"({"metadata": {"name": "p", "namespace": "a"}, "status": {
    "conditions": [{"type": "DisruptionTarget", "status": "True"},
                   {"type": "X", "status": "False"}],
    "containerStatuses": [{"name": "ok", "state": {"terminated": {"exitCode": 0}}},
                          {"name": "runs", "state": {"running": {}}}],
    "initContainerStatuses": [{"name": "init", "state": {"terminated": {"exitCode": 3}}}]}})");
  const auto action = [&](std::string_view rule) {
    const Value policy = parsed(R"({"rules": [)" + std::string(rule) + "]}");
    return match_failure_policy(policy, pod);
  };
  EXPECT_EQ(action(R"({"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [5]}})")
                .message,
            "Container init for pod a/p failed with exit code 3 matching FailJob rule at index 0");
  EXPECT_TRUE(action(R"({"action": "Ignore",
    "onExitCodes": {"containerName": "ok", "operator": "NotIn", "values": [5]}})")
                  .counts());
  EXPECT_FALSE(action(R"({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget",
    "status": "True"}]})")
                   .counts());
  EXPECT_EQ(action(R"({"action": "FailJob", "onPodConditions": [{"type": "X",
    "status": "False"}]})")
                .message,
            "Pod a/p has condition X matching FailJob rule at index 0");
}

TEST(JobPolicies, a_rule_of_a_success_policy_wants_indexes_or_a_count) {
  const auto met = [](std::string_view rule, std::string_view succeeded) {
    const Value policy = parsed(R"({"rules": [)" + std::string(rule) + "]}");
    return met_success_rule(policy, 10, IndexSet::parse(succeeded, 10)).has_value();
  };
  EXPECT_TRUE(met(R"({"succeededCount": 2})", "1,7"));
  EXPECT_FALSE(met(R"({"succeededCount": 3})", "1,7"));
  EXPECT_TRUE(met(R"({"succeededIndexes": "1-3,5"})", "0-5"));
  EXPECT_FALSE(met(R"({"succeededIndexes": "1-3,6"})", "0-5"));
  EXPECT_TRUE(met(R"({"succeededIndexes": "1-3,6", "succeededCount": 3})", "0-5"));
  EXPECT_FALSE(met(R"({"succeededIndexes": ""})", "0-5"));
}

}  // namespace
}  // namespace muster::core
