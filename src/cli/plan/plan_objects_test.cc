// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/metadata.h"

namespace muster::cli {
namespace {

Result<PlanObjects> read(std::string_view text) {
  static const objects::KindRegistry registry = objects::KindRegistry::built_in().must();
  static const core::FeatureGates gates;
  return PlanReader(registry, gates).read(read_plan_text(text, "q.yaml").must());
}

std::string error_of(std::string_view text) {
  const auto refused = read(text);
  return refused ? "" : refused.error().to_string();
}

TEST(plan_objects, name_file_line_field_and_cause) {
  EXPECT_EQ(error_of(R"(apiVersion: v1
kind: Namespace
metadata: {name: a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: a
spec:
  queueingStrategy: Random
)"),
            "q.yaml:10: ClusterQueue a: spec.queueingStrategy: Unsupported value: \"Random\": "
            "supported values: \"StrictFIFO\", \"BestEffortFIFO\"");
}

TEST(plan_objects, name_the_field_that_was_meant) {
  const std::string error = error_of(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources:
      - name: cpu
        nominalQuota: 4
        borrowingLimitPercent: 50
)");
  EXPECT_EQ(error,
            "q.yaml:13: ClusterQueue a: "
            "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimitPercent: Forbidden: no "
            "version of Kueue has this field; use borrowingLimit, a quantity of the resource");
}

TEST(plan_objects, list_every_mistake) {
  const std::string error = error_of(R"(
{kind: ClusterQueue, metadata: {name: a}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {namespace: a}}
---
{apiVersion: kueue.x-k8s.io/v1alpha9, kind: Cohort, metadata: {name: c}}
)");
  EXPECT_EQ(error,
            "q.yaml:2: ClusterQueue a: an object needs apiVersion and kind\n"
            "q.yaml:4: LocalQueue a/: metadata.name: Required value\n"
            "q.yaml:6: Cohort c: apiVersion: there is no version v1alpha9 of Cohort");
}

TEST(plan_objects, refuse_an_object_that_occurs_twice) {
  EXPECT_EQ(error_of("{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n"
                     "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n"),
            "q.yaml:3: Node n1: occurs twice");
}

TEST(plan_objects, take_lists_apart_and_keep_their_lines) {
  EXPECT_EQ(error_of(R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: a}}
- apiVersion: v1
  kind: Node
  metadata: {name: 5}
)"),
            "q.yaml:7: Node : metadata.name: Required value");
  EXPECT_EQ(read(R"({"kind":"List","items":[{"apiVersion":"v1","kind":"Namespace",
                   "metadata":{"name":"a"}}]})")
                .must()
                .objects.size(),
            1U);
}

TEST(plan_objects, ignore_unknown_kinds_and_say_so) {
  const PlanObjects given =
      read("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: x}}").must();
  ASSERT_EQ(given.ignored.size(), 1U);
  EXPECT_EQ(given.ignored[0].kind, "Deployment");
  EXPECT_EQ(given.ignored[0].file, "q.yaml");
}

TEST(plan_objects, ignore_unknown_fields_and_say_so) {
  const PlanObjects given = read(
                                "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: "
                                "{name: q, namespace: a}, spec: {clusterQueue: c, colour: red}}")
                                .must();
  ASSERT_EQ(given.ignored.size(), 1U);
  EXPECT_EQ(given.ignored[0].field, "spec.colour");
}

TEST(plan_objects, come_in_the_stored_version_with_defaults) {
  const PlanObjects given = read(R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: a}
spec: {cohort: team, namespaceSelector: {}}
)")
                                .must();
  ASSERT_EQ(given.objects.size(), 1U);
  const objects::Value& queue = given.objects[0].object;
  EXPECT_EQ(queue["apiVersion"].string_or(""), "kueue.x-k8s.io/v1beta2");
  EXPECT_EQ(queue["spec"]["cohortName"].string_or(""), "team");
  EXPECT_EQ(queue["spec"]["queueingStrategy"].string_or(""), "BestEffortFIFO");
  EXPECT_EQ(queue["spec"]["preemption"]["reclaimWithinCohort"].string_or(""), "Never");
}

TEST(plan_objects, take_what_a_webhook_would_refuse_and_say_so) {
  const PlanObjects given = read(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec: {cohortName: c, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [
  {name: cpu, nominalQuota: 4, lendingLimit: 5}]}]}]}
)")
                                .must();
  EXPECT_EQ(given.objects.size(), 1U);
  ASSERT_EQ(given.warnings.size(), 1U);
  EXPECT_EQ(given.warnings[0].field, "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit");
}

TEST(plan_objects, refuse_a_selector_that_nobody_can_take) {
  EXPECT_EQ(error_of(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec: {namespaceSelector: {matchExpressions: [{key: team, operator: Like, values: [red]}]}}
)"),
            "q.yaml:5: ClusterQueue a: spec.namespaceSelector.matchExpressions[0].operator: "
            "Invalid value: \"Like\": not a valid selector operator");
}

TEST(plan_objects, take_a_status_as_it_is) {
  EXPECT_EQ(error_of(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: w, namespace: a}
spec: {queueName: q, podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]}
status: {conditions: [{type: QuotaReserved, status: "True"}]}
)"),
            "");
}

}  // namespace
}  // namespace muster::cli
