// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/plan/plan_text.h"
#include "objects/json.h"
#include "objects/yaml.h"
#include "tests/plan/mutation.h"
#include "tests/plan/strange_world.h"

namespace muster::cli {
namespace {

using objects::Value;

const PlanEngine& engine() {
  static const PlanEngine made(objects::KindRegistry::built_in().must());
  return made;
}

std::string queue_and(std::string_view more) {
  return std::string(R"({apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: a}, spec: {
 namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: default,
   resources: [{name: cpu, nominalQuota: 4}]}]}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: main, namespace: a},
 spec: {clusterQueue: a}}
---
)") + std::string(more);
}

std::string workload(std::string_view name, int count) {
  return "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: " +
         std::string(name) + ", namespace: a, uid: " + std::string(name) +
         "}, spec: {queueName: main, podSets: [{name: main, count: " + std::to_string(count) +
         ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: "
         "1}}}]}}}]}}\n---\n";
}

Value answer(const std::string& text, PlanInput input = {.sources = {}}) {
  input.sources = read_plan_text(text, "test.yaml").must();
  return engine().answer(input).must();
}

TEST(plan_engine, without_objects_there_is_one_empty_cycle) {
  const Value document = answer("");
  EXPECT_EQ(objects::to_json(document),
            R"({"apiVersion":"muster.dev/v1alpha1","kind":"Plan","now":"2000-01-01T00:00:00Z",)"
            R"("cycles":[{"cycle":1,"decisions":[]}],"queues":[],"evicted":[],"finished":[],)"
            R"("quota":[],"shares":[],"ignored":[]})");
}

TEST(plan_engine, the_same_input_in_any_order_gives_the_same_bytes) {
  PlanInput input{.sources = read_plan_text(tests::strange_world(), "world").must(), .cycles = 3};
  const std::string first = objects::to_json(engine().answer(input).must());
  EXPECT_EQ(first, objects::to_json(engine().answer(input).must()));
  std::ranges::reverse(input.sources);
  EXPECT_EQ(first, objects::to_json(engine().answer(input).must()));
}

TEST(plan_engine, until_idle_ends_when_nobody_is_left) {
  const Value document =
      answer(queue_and(workload("w1", 2) + workload("w2", 2) + workload("w3", 2)),
             {.sources = {}, .until_idle = true});
  EXPECT_EQ(document["cycles"].size(), 4U);
  EXPECT_FALSE(document["bound"]);
  EXPECT_EQ(objects::to_json(document["queues"]),
            R"([{"clusterQueue":"a","active":[],"inadmissible":["a/w3"]}])");
}

TEST(plan_engine, a_step_frees_what_it_deletes_and_wakes_who_waited) {
  PlanInput input{.sources = {}, .cycles = 2};
  input.steps =
      read_steps(
          objects::parse_json(R"([{"delete":[{"kind":"Workload","namespace":"a","name":"w1"}]}])")
              .must(),
          "steps")
          .must();
  const Value document = answer(queue_and(workload("w1", 4) + workload("w2", 2)), input);
  ASSERT_EQ(document["cycles"].size(), 3U);
  const auto last = document["cycles"][2]["decisions"][0];
  EXPECT_EQ(last["workload"].string_or(""), "a/w2");
  EXPECT_EQ(last["action"].string_or(""), "Admit");
}

TEST(plan_engine, a_step_that_deletes_what_is_not_there_is_bad_input) {
  PlanInput input{.sources = {}};
  input.steps =
      read_steps(objects::parse_json(R"([{"delete":[{"kind":"Node","name":"n"}]}])").must(), "s")
          .must();
  const auto refused = engine().answer(input);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().to_string(), "step 1: there is no Node n");
}

TEST(plan_engine, a_job_becomes_the_workload_of_its_controller) {
  const Value document = answer(queue_and(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: a, uid: u, labels: {kueue.x-k8s.io/queue-name: main}}
spec: {parallelism: 3, completions: 3, template: {spec: {restartPolicy: Never,
  containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}
)"));
  const auto decision = document["cycles"][0]["decisions"][0];
  EXPECT_TRUE(decision["workload"].string_or("").starts_with("a/job-j-"));
  EXPECT_EQ(decision["podSets"][0]["count"].integer_or(0), 3);
}

TEST(plan_engine, a_configuration_that_is_wrong_is_refused_with_its_field) {
  PlanInput input{.sources = {}};
  input.configuration = objects::parse_json(R"({"apiVersion":"config.kueue.x-k8s.io/v1beta2",
      "kind":"Configuration","featureGates":{"Nope":true}})")
                            .must();
  EXPECT_EQ(engine().answer(input).error().to_string(),
            "configuration: featureGates: unrecognized feature gate: Nope");
}

TEST(plan_engine, survives_strange_objects) {
  const auto world = read_plan_text(tests::strange_world(), "world").must();
  std::uint64_t random = 812;
  int planned = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint8_t> bytes(64);
    for (std::uint8_t& byte : bytes) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<std::uint8_t>(random >> 56);
    }
    tests::Mutation mutation(bytes);
    PlanInput input{.sources = {}, .cycles = 2};
    for (PlanSource source : world) {
      if (mutation.next(24) == 1) source.object = mutation.of(source.object);
      input.sources.push_back(std::move(source));
    }
    const auto document = engine().answer(input);
    if (document) ++planned;
  }
  EXPECT_GT(planned, 5);
}

TEST(plan_text, has_a_table_and_a_sentence_for_each_wait) {
  const Value document =
      answer(queue_and(workload("w1", 3) + workload("w2", 2)), {.sources = {}, .cycles = 2});
  EXPECT_EQ(plan_text(document), R"(Cycle 1
ACTION  WORKLOAD  CLUSTERQUEUE  REQUEUE  DETAIL
Admit   a/w1      a                      main ×3: cpu default

Cycle 2
ACTION  WORKLOAD  CLUSTERQUEUE  REQUEUE       DETAIL
Wait    a/w2      a             Inadmissible  Pending

a/w2 waits for a change: couldn't assign flavors to pod set main: )"
                                 "insufficient unused quota for cpu in flavor default, 1 more "
                                 "needed.\n");
}

}  // namespace
}  // namespace muster::cli
