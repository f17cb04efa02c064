// Who goes, told on small worlds: the order of candidates, what the cost of a preemption changes in
// it, what is explained and what is said.
// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/find_targets.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/model/workload_usage.h"
#include "core/plan/explanation.h"
#include "core/preemption/cost.h"
#include "core/preemption/message.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "tests/preemption/preemption_house.h"
#include "tests/preemption/random_world.h"

namespace muster::core {
namespace {

using slow::Allowed;
using slow::House;
using slow::SlowWorld;
using slow::Targets;

constexpr const char* pair_a = "f0/x.io/a";
constexpr Instant half_past = {1'735'689'600'000'000'000 + 1'800'000'000'000};  // 2025, 00:30

slow::Node queue(std::int64_t nominal, std::string cohort = {}) {
  return {.parent = std::move(cohort),
          .is_queue = true,
          .quotas = {{pair_a, {.nominal = nominal}}, {"f0/x.io/b", {.nominal = 100}}},
          .within_queue = Allowed::lower,
          .reclaim = Allowed::any};
}

slow::Held held(const std::string& in, std::int64_t amount, std::int64_t priority,
                const std::string& uid, std::int64_t reserved = 10) {
  return {.queue = in,
          .priority = priority,
          .reserved = reserved,
          .uid = uid,
          .usage = {{pair_a, amount}}};
}

slow::Preemptor wants(const std::string& in, std::int64_t amount) {
  return {.queue = in, .priority = 9, .usage = {{pair_a, amount}}, .contested = {pair_a}};
}

// Two that Kueue would take by UID alone: the first of them has more to lose.
SlowWorld equals() {
  SlowWorld world;
  world.nodes["q"] = queue(4);
  world.workloads["costly"] = held("q", 2, 1, "u1");
  world.workloads["cheap"] = held("q", 2, 1, "u2");
  return world;
}

void note_checkpoint(House& house, const std::string& name, std::string_view time) {
  objects::Value object =
      objects::with(
          house.tables().workloads[house.workload(name)].object, {"metadata", "annotations"},
          objects::parse_json("{\"muster.dev/last-checkpoint\":\"" + std::string(time) + "\"}")
              .must())
          .must();
  house.state.apply(made::upsert({objects::resources::workloads, object}, 2));
}

TEST(find_targets, ends_ties_by_uid_where_the_cost_does_not_count) {
  const SlowWorld world = equals();
  const slow::Preemptor preemptor = wants("q", 2);
  House house(world, preemptor, {});
  note_checkpoint(house, "cheap", "2025-01-01T00:29:00Z");
  house.tables().tick(half_past);
  EXPECT_EQ(house.find(), (Targets{{"costly", "InClusterQueue"}}));
  house.policy.preemption_cost = PreemptionCost::ties;
  EXPECT_EQ(house.find(), (Targets{{"cheap", "InClusterQueue"}}));
}

TEST(find_targets, counts_the_cost_before_priority_only_when_it_comes_first) {
  SlowWorld world = equals();
  world.workloads["cheap"].priority = 5;
  const slow::Preemptor preemptor = wants("q", 2);
  House house(world, preemptor, {});
  note_checkpoint(house, "cheap", "2025-01-01T00:29:00Z");
  house.tables().tick(half_past);
  house.policy.preemption_cost = PreemptionCost::ties;
  EXPECT_EQ(house.find(), (Targets{{"costly", "InClusterQueue"}}));
  house.policy.preemption_cost = PreemptionCost::first;
  EXPECT_EQ(house.find(), (Targets{{"cheap", "InClusterQueue"}}));
}

TEST(preemption_cost, is_the_time_since_the_checkpoint_times_devices) {
  const SlowWorld world = equals();
  const slow::Preemptor preemptor = wants("q", 2);
  House house(world, preemptor, {});
  house.tables().tick(half_past);
  EXPECT_EQ(preemption_cost(house.tables(), house.workload("cheap")), 20 * 60 * 2);
  note_checkpoint(house, "cheap", "2025-01-01T00:29:00Z");
  EXPECT_EQ(preemption_cost(house.tables(), house.workload("cheap")), 60 * 2);
}

TEST(preemption_cost, takes_no_checkpoint_of_the_future) {
  const SlowWorld world = equals();
  const slow::Preemptor preemptor = wants("q", 2);
  House house(world, preemptor, {});
  house.tables().tick(half_past);
  note_checkpoint(house, "cheap", "2025-01-01T00:31:00Z");
  EXPECT_EQ(preemption_cost(house.tables(), house.workload("cheap")), 20 * 60 * 2);
}

TEST(find_targets, does_not_find_what_a_trial_has_taken_out) {
  const SlowWorld world = equals();
  const slow::Preemptor preemptor = wants("q", 4);
  House house(world, preemptor, {});
  {
    Trial trial(house.tables().undo);
    release_usage(house.tables(), trial, house.workload("costly"));
    EXPECT_EQ(house.find(), (Targets{{"cheap", "InClusterQueue"}}));
  }
  EXPECT_EQ(house.find(), (Targets{{"costly", "InClusterQueue"}, {"cheap", "InClusterQueue"}}));
}

TEST(find_targets, takes_those_first_who_are_being_evicted) {
  SlowWorld world = equals();
  world.workloads["cheap"].priority = 5;
  const slow::Preemptor preemptor = wants("q", 2);
  House house(world, preemptor, {});
  house.tables().assume_evicted(house.workload("cheap"));
  EXPECT_EQ(house.find(), (Targets{{"cheap", "InClusterQueue"}}));
  house.tables().forget_workload("a/cheap", "");
  EXPECT_EQ(house.find(), (Targets{{"costly", "InClusterQueue"}}));
}

TEST(find_targets, puts_back_whom_it_does_not_need_and_says_so) {
  SlowWorld world;
  world.nodes["q"] = queue(4);
  world.workloads["small"] = held("q", 1, 1, "u1");
  world.workloads["large"] = held("q", 3, 2, "u2");
  world.workloads["equal"] = held("q", 0, 9, "u3");
  world.workloads["other"] = held("q", 1, 1, "u4");
  world.workloads["other"].usage = {{"f0/x.io/b", 1}};
  const slow::Preemptor preemptor = wants("q", 3);
  House house(world, preemptor, {});
  Explanation explanation;
  house.policy.explanation = &explanation;
  EXPECT_EQ(house.find(), (Targets{{"large", "InClusterQueue"}}));
  std::map<std::string, std::string_view> verdicts;
  for (const TriedCandidate& each : explanation.of(house.incoming()).candidates) {
    verdicts[house.tables().workloads.key(each.workload).substr(2)] = each.verdict;
  }
  EXPECT_EQ(verdicts, (std::map<std::string, std::string_view>{{"small", "PutBack"},
                                                               {"large", "Victim"},
                                                               {"equal", "NotAllowed"},
                                                               {"other", "OtherFlavors"}}));
}

TEST(preemption_message, names_both_and_their_paths) {
  SlowWorld world;
  world.nodes["all"] = {};
  world.nodes["q"] = queue(4, "all");
  world.nodes["r"] = queue(0, "all");
  world.workloads["w"] = held("r", 4, 1, "u1");
  const slow::Preemptor preemptor = wants("q", 4);
  House house(world, preemptor, {});
  EXPECT_EQ(house.find(), (Targets{{"w", "InCohortReclamation"}}));
  EXPECT_EQ(preemption_message(house.tables(), house.incoming(), house.queue(),
                               {house.workload("w"), PreemptionReason::in_cohort_reclamation}),
            "Preempted to accommodate a workload (UID: incoming, JobUID: UNKNOWN) due to "
            "reclamation within the cohort; preemptor path: /all/q; preemptee path: /all/r");
}

}  // namespace
}  // namespace muster::core
