// How a head is nominated: flavors, borrow levels, pod counts, and what is told when nothing works.
// The answers were compared with Kueue v0.19.2's.
// SPDX-License-Identifier: Apache-2.0
#include "core/admission/find_assignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/admission/partial_admission.h"
#include "core/model/cluster_state.h"
#include "core/model/tables.h"
#include "core/plan/policy.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::core {
namespace {

// A cluster of a namespace `a` and the LocalQueue `main` of the ClusterQueue `q`.
class FindAssignmentTest : public ::testing::Test {
 protected:
  FindAssignmentTest() {
    add("{apiVersion: v1, kind: Namespace, metadata: {name: a}}");
    kueue("LocalQueue, metadata: {name: main, namespace: a}, spec: {clusterQueue: q}");
    for (const char* flavor : {"one", "two", "three"}) {
      kueue(fmt::format("ResourceFlavor, metadata: {{name: {}}}", flavor));
    }
  }

  void add(std::string_view yaml) {
    const objects::Value object = objects::parse_yaml_document(yaml).must();
    const std::string_view version = object["apiVersion"].string_or("");
    const std::size_t slash = version.find('/');
    const auto* resource =
        objects::find_resource(slash == std::string_view::npos ? "" : version.substr(0, slash),
                               object["kind"].string_or(""));
    state_.apply({.resource = *resource, .object = object});
  }

  void kueue(std::string_view rest) {
    add(fmt::format("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: {}}}", rest));
  }

  // One resource group of cpu, with so many of it in each flavor.
  void queue(std::string_view name, const std::vector<std::pair<std::string, std::string>>& flavors,
             std::string_view more = "") {
    std::vector<std::string> quotas;
    for (const auto& [flavor, quota] : flavors) {
      quotas.push_back(fmt::format("{{name: {}, resources: [{{name: cpu, {}}}]}}", flavor, quota));
    }
    kueue(
        fmt::format("ClusterQueue, metadata: {{name: {}}}, spec: {{namespaceSelector: {{}}, "
                    "resourceGroups: [{{coveredResources: [cpu], flavors: [{}]}}]{}}}",
                    name, fmt::join(quotas, ", "), more));
  }

  void workload(std::string_view name, std::string_view pod_sets, std::string_view status = "",
                std::string_view metadata = "") {
    kueue(
        fmt::format("Workload, metadata: {{name: {}, namespace: a, uid: {}{}}}, spec: "
                    "{{queueName: main, podSets: [{}]}}{}",
                    name, name, metadata, pod_sets, status));
  }

  static std::string pod_set(std::string_view name, int count, std::string_view requests,
                             std::string_view more = "", std::string_view spec = "") {
    return fmt::format(
        "{{name: {}, count: {}{}, template: {{spec: {{containers: [{{name: c, "
        "resources: {{requests: {{{}}}}}}}]{}}}}}}}",
        name, count, more, requests, spec);
  }

  // Holds so much cpu of a flavor in a queue.
  void running(std::string_view name, std::string_view in, std::string_view flavor, int cpus) {
    constexpr std::string_view yes =
        "{{type: {}, status: 'True', reason: {}, message: '', lastTransitionTime: "
        "'2025-01-01T00:00:00Z'}}";
    workload(name, pod_set("main", 1, fmt::format("cpu: {}", cpus)),
             fmt::format(", status: {{conditions: [{}, {}], admission: {{clusterQueue: {}, "
                         "podSetAssignments: [{{name: main, count: 1, flavors: {{cpu: {}}}, "
                         "resourceUsage: {{cpu: {}}}}}]}}}}",
                         fmt::format(yes, "QuotaReserved", "QuotaReserved"),
                         fmt::format(yes, "Admitted", "Admitted"), in, flavor, cpus));
  }

  Nomination find(std::string_view name, const LastTried* last = nullptr,
                  SearchMoment moment = {}) {
    Tables& tables = state_.tables();
    Trial trial(tables.undo);
    return find_assignment(tables, trial, policy_,
                           {.workload = tables.workloads.find(fmt::format("a/{}", name)),
                            .queue = tables.cluster_queues.find("q"),
                            .last = last,
                            .moment = moment});
  }

  // main=2 cpu:one+1 memory:two
  std::string flavors(const Nomination& nomination) {
    std::string text;
    for (const PodSetFlavors& set : nomination.assignment->pod_sets) {
      if (!text.empty()) text += " | ";
      text += fmt::format("{}={}", set.pod_set, set.count);
      for (const FlavorAssignment& each : set.flavors) {
        text += fmt::format(" {}:{}", state_.tables().names.name(each.resource),
                            state_.tables().flavors.key(each.flavor));
        if (each.borrow > 0) text += fmt::format("+{}", each.borrow);
      }
    }
    return text;
  }

  std::string message(const Nomination& nomination) {
    return Because{.reasons = reasons_of(state_.tables(), *nomination.assignment)}.message();
  }

  ClusterState state_;
  Policy policy_;
};

TEST_F(FindAssignmentTest, the_first_flavor_that_fits_is_taken) {
  queue("q",
        {{"one", "nominalQuota: 1"}, {"two", "nominalQuota: 4"}, {"three", "nominalQuota: 4"}});
  workload("w", pod_set("main", 2, "cpu: 1"));
  const Nomination found = find("w");
  EXPECT_EQ(found.assignment->mode, AssignmentMode::fit);
  EXPECT_EQ(flavors(found), "main=2 cpu:two");
  EXPECT_EQ(message(found), "");
  ASSERT_EQ(found.assignment->usage.size(), 1U);
  EXPECT_EQ(found.assignment->usage[0].amount, 2000);
}

TEST_F(FindAssignmentTest, a_later_pod_set_counts_what_earlier_ones_take) {
  queue("q", {{"one", "nominalQuota: 3"}, {"two", "nominalQuota: 2"}});
  workload("w", pod_set("a", 2, "cpu: 1") + ", " + pod_set("b", 2, "cpu: 1"));
  EXPECT_EQ(flavors(find("w")), "a=2 cpu:one | b=2 cpu:two");
}

TEST_F(FindAssignmentTest, what_exceeds_every_flavor_is_told_of_each_in_order) {
  queue("q", {{"two", "nominalQuota: 1"}, {"one", "nominalQuota: 1"}});
  workload("w", pod_set("a", 1, "cpu: 1") + ", " + pod_set("b", 2, "cpu: 1"));
  const Nomination found = find("w");
  EXPECT_EQ(found.assignment->mode, AssignmentMode::no_fit);
  EXPECT_EQ(found.assignment->cause, NoFitCause::exceeds_max_quota);
  EXPECT_EQ(message(found),
            "couldn't assign flavors to pod set b: insufficient quota for cpu in flavor one, "
            "previously considered podsets requests (0) + current podset request (2) > maximum "
            "capacity (1), insufficient quota for cpu in flavor two, previously considered podsets "
            "requests (1) + current podset request (2) > maximum capacity (1)");
}

TEST_F(FindAssignmentTest, quota_in_use_waits_and_says_how_much_is_missing) {
  queue("q", {{"one", "nominalQuota: 4"}});
  running("r", "q", "one", 3);
  workload("w", pod_set("main", 1, "cpu: 2500m"));
  const Nomination found = find("w");
  EXPECT_EQ(found.assignment->mode, AssignmentMode::preempt);
  EXPECT_TRUE(found.targets.empty());
  EXPECT_EQ(message(found),
            "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
            "one, 1500m more needed");
}

TEST_F(FindAssignmentTest, a_resource_that_no_group_covers_is_told_alone) {
  queue("q", {{"one", "nominalQuota: 4"}});
  workload("w", pod_set("main", 1, "cpu: 1, memory: 1Gi"));
  workload("zero", pod_set("main", 1, "cpu: 1, memory: 0"));
  EXPECT_EQ(message(find("w")),
            "couldn't assign flavors to pod set main: resource memory unavailable in ClusterQueue");
  EXPECT_EQ(flavors(find("zero")), "main=1 cpu:one");
  policy_.kueue.resources.quota_check = QuotaCheckStrategy::ignore_undeclared;
  EXPECT_EQ(flavors(find("w")), "main=1 cpu:one");
}

TEST_F(FindAssignmentTest, the_borrow_level_is_the_height_of_the_lender) {
  kueue("Cohort, metadata: {name: low}, spec: {parentName: high}");
  kueue("Cohort, metadata: {name: high}");
  queue("q", {{"one", "nominalQuota: 1"}}, ", cohortName: low");
  queue("near", {{"one", "nominalQuota: 2"}}, ", cohortName: low");
  queue("far", {{"one", "nominalQuota: 4"}}, ", cohortName: high");
  workload("own", pod_set("main", 1, "cpu: 1"));
  workload("near", pod_set("main", 3, "cpu: 1"));
  workload("far", pod_set("main", 5, "cpu: 1"));
  EXPECT_EQ(flavors(find("own")), "main=1 cpu:one");
  EXPECT_EQ(flavors(find("near")), "main=3 cpu:one+1");
  EXPECT_EQ(flavors(find("far")), "main=5 cpu:one+2");
  EXPECT_EQ(find("far").assignment->borrow, 2);
}

TEST_F(FindAssignmentTest, who_may_not_borrow_looks_at_the_next_flavor) {
  for (const char* policy : {"MayStopSearch", "TryNextFlavor"}) {
    queue("q", {{"one", "nominalQuota: 1"}, {"two", "nominalQuota: 4"}},
          fmt::format(", cohortName: all, flavorFungibility: {{whenCanBorrow: {}}}", policy));
    queue("other", {{"one", "nominalQuota: 4"}}, ", cohortName: all");
    workload("w", pod_set("main", 2, "cpu: 1"));
    const bool stops = std::string_view(policy) == "MayStopSearch";
    const Nomination found = find("w");
    EXPECT_EQ(flavors(found), stops ? "main=2 cpu:one+1" : "main=2 cpu:two");
    EXPECT_EQ(found.assignment->tried.has_pending_flavors(), stops);
  }
}

TEST_F(FindAssignmentTest, the_next_attempt_goes_on_behind_the_last_flavor) {
  queue("q", {{"one", "nominalQuota: 1"}, {"two", "nominalQuota: 4"}}, ", cohortName: all");
  queue("other", {{"one", "nominalQuota: 4"}}, ", cohortName: all");
  workload("w", pod_set("main", 2, "cpu: 1"));
  const Nomination first = find("w", nullptr, {.cycle = 1, .generation = 1, .shape = 7});
  EXPECT_EQ(flavors(first), "main=2 cpu:one+1");
  const LastTried& last = first.assignment->tried;
  const Nomination second = find("w", &last, {.cycle = 2, .generation = 5, .shape = 7});
  EXPECT_EQ(flavors(second), "main=2 cpu:two");
  EXPECT_FALSE(second.assignment->tried.has_pending_flavors());
  // Too long ago, or for another shape: from the beginning.
  EXPECT_EQ(flavors(find("w", &last, {.cycle = 3, .generation = 5, .shape = 7})), flavors(first));
  EXPECT_EQ(flavors(find("w", &last, {.cycle = 3, .generation = 1, .shape = 7})), flavors(second));
  EXPECT_EQ(flavors(find("w", &last, {.cycle = 2, .generation = 1, .shape = 8})), flavors(first));
}

TEST_F(FindAssignmentTest, a_record_behind_the_last_flavor_is_worth_nothing) {
  queue("q", {{"one", "nominalQuota: 1"}});
  workload("w", pod_set("main", 2, "cpu: 1"));
  const ResourceId cpu = state_.tables().names.find("cpu");
  const LastTried last{.entries = {{.pod_set = 0, .resource = cpu, .index = 3}}, .moment = {}};
  EXPECT_EQ(find("w", &last).assignment->mode, AssignmentMode::no_fit);
}

TEST_F(FindAssignmentTest, a_flavor_keeps_pods_away_by_taints_and_labels) {
  kueue(
      "ResourceFlavor, metadata: {name: one}, spec: {nodeTaints: [{key: spot, value: 'yes', "
      "effect: "
      "NoSchedule}]}");
  kueue("ResourceFlavor, metadata: {name: two}, spec: {nodeLabels: {zone: east}}");
  queue("q", {{"one", "nominalQuota: 4"}, {"two", "nominalQuota: 4"}});
  workload("west", pod_set("main", 1, "cpu: 1", "", ", nodeSelector: {zone: west}"));
  workload("other", pod_set("main", 1, "cpu: 1", "", ", nodeSelector: {disk: fast}"));
  workload("tolerant",
           pod_set("main", 1, "cpu: 1", "", ", tolerations: [{key: spot, operator: Exists}]"));
  const Nomination west = find("west");
  EXPECT_EQ(west.assignment->cause, NoFitCause::no_matching_flavor);
  EXPECT_EQ(message(west),
            "couldn't assign flavors to pod set main: flavor two doesn't match node affinity, "
            "untolerated taint {spot yes NoSchedule <nil>} in flavor one");
  EXPECT_EQ(flavors(find("other")), "main=1 cpu:two");
  EXPECT_EQ(flavors(find("tolerant")), "main=1 cpu:one");
}

TEST_F(FindAssignmentTest, an_affinity_that_cannot_be_read_is_told_where_it_matters) {
  kueue("ResourceFlavor, metadata: {name: one}, spec: {nodeLabels: {zone: east}}");
  queue("q", {{"one", "nominalQuota: 4"}});
  const auto affinity = [](std::string_view terms) {
    return fmt::format(
        ", affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
        "{{nodeSelectorTerms: [{}]}}}}}}",
        terms);
  };
  const std::string broken =
      "{matchExpressions: [{key: disk, operator: What}, {key: zone, "
      "operator: Gt}]}";
  workload("broken", pod_set("main", 1, "cpu: 1", "", affinity(broken)));
  workload("saved", pod_set("main", 1, "cpu: 1", "",
                            affinity(broken + ", {matchExpressions: [{key: zone, operator: In, "
                                              "values: [east]}]}")));
  workload("other", pod_set("main", 1, "cpu: 1", "",
                            affinity("{matchExpressions: [{key: disk, operator: What}]}")));
  EXPECT_EQ(message(find("broken")),
            "failed to assign flavors to pod set main: nodeSelectorTerms[0].matchExpressions[0]."
            "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required");
  EXPECT_EQ(find("broken").assignment->cause, NoFitCause::no_matching_flavor);
  EXPECT_EQ(flavors(find("saved")), "main=1 cpu:one");
  EXPECT_EQ(flavors(find("other")), "main=1 cpu:one");
}

TEST_F(FindAssignmentTest, a_workload_that_may_shrink_starts_with_as_many_pods_as_fit) {
  queue("q", {{"one", "nominalQuota: 5"}});
  workload("w", pod_set("main", 10, "cpu: 1", ", minCount: 2"));
  workload("big", pod_set("main", 10, "cpu: 1", ", minCount: 6"));
  const Nomination found = find("w");
  EXPECT_EQ(found.assignment->mode, AssignmentMode::fit);
  EXPECT_EQ(flavors(found), "main=5 cpu:one");
  EXPECT_EQ(find("big").assignment->pod_sets[0].count, 10);
  policy_.kueue.gates.set("PartialAdmission", false).must();
  EXPECT_EQ(find("w").assignment->mode, AssignmentMode::no_fit);
}

TEST_F(FindAssignmentTest, several_pod_sets_shrink_in_proportion) {
  Workload spec;
  GangPodSets::List sets(2);
  sets[0].count = 8;
  sets[0].min_count = 2;
  sets[1].count = 6;
  sets[1].min_count = 3;
  spec.pod_sets = GangPodSets(std::move(sets));
  ReducedCounts reduced(spec);
  EXPECT_EQ(reduced.steps(), 9);
  EXPECT_THAT(reduced.at(0), ::testing::ElementsAre(8, 6));
  EXPECT_THAT(reduced.at(4), ::testing::ElementsAre(6, 5));
  EXPECT_THAT(reduced.at(9), ::testing::ElementsAre(2, 3));
}

TEST_F(FindAssignmentTest, pods_count_where_the_queue_counts_them) {
  kueue(
      "ClusterQueue, metadata: {name: q}, spec: {namespaceSelector: {}, resourceGroups: "
      "[{coveredResources: [cpu, pods], flavors: [{name: one, resources: [{name: cpu, "
      "nominalQuota: "
      "9}, {name: pods, nominalQuota: 2}]}]}]}");
  workload("w", pod_set("main", 3, "cpu: 1"));
  workload("none", pod_set("main", 2, ""));
  EXPECT_EQ(message(find("w")),
            "couldn't assign flavors to pod set main: insufficient quota for pods in flavor one, "
            "previously considered podsets requests (0) + current podset request (3) > maximum "
            "capacity (2)");
  EXPECT_EQ(flavors(find("none")), "main=2 pods:one");
}

TEST_F(FindAssignmentTest, pod_sets_of_one_group_get_one_flavor) {
  queue("q", {{"one", "nominalQuota: 3"}, {"two", "nominalQuota: 4"}});
  constexpr std::string_view group = ", topologyRequest: {podSetGroupName: g}";
  workload("w", pod_set("a", 1, "cpu: 1", group) + ", " + pod_set("b", 1, "cpu: 1") + ", " +
                    pod_set("c", 3, "cpu: 1", group));
  EXPECT_EQ(flavors(find("w")), "a=1 cpu:two | c=3 cpu:two | b=1 cpu:one");
}

TEST_F(FindAssignmentTest, a_slice_pays_for_what_it_has_more_and_keeps_its_flavor) {
  queue("q", {{"one", "nominalQuota: 9"}, {"two", "nominalQuota: 4"}});
  running("old", "q", "two", 3);
  constexpr std::string_view replaces =
      ", annotations: {kueue.x-k8s.io/workload-slice-replacement-for: a/old}";
  workload("new", pod_set("main", 1, "cpu: 4"), "", replaces);
  workload("big", pod_set("main", 1, "cpu: 8"), "", replaces);
  const Nomination found = find("new");
  EXPECT_EQ(flavors(found), "main=1 cpu:two");
  EXPECT_EQ(found.assignment->usage[0].amount, 1000);
  ASSERT_EQ(found.targets.size(), 1U);
  EXPECT_EQ(found.targets[0].reason, PreemptionReason::none);
  EXPECT_EQ(message(find("big")),
            "couldn't assign flavors to pod set main: could not assign one flavor since the "
            "original workload is assigned: two, insufficient quota for cpu in flavor two, "
            "previously considered podsets requests (0) + current podset request (5) > maximum "
            "capacity (4)");
}

TEST_F(FindAssignmentTest, a_workload_without_requests_fits_without_flavors) {
  queue("q", {{"one", "nominalQuota: 1"}});
  workload("w", pod_set("main", 3, ""));
  const Nomination found = find("w");
  EXPECT_EQ(found.assignment->mode, AssignmentMode::fit);
  EXPECT_EQ(flavors(found), "main=3");
}

}  // namespace
}  // namespace muster::core
