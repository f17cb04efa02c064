// Whatever the queues, cohorts, policies and shares: the search agrees with the slow one that
// recounts everything, takes nobody whom it does not need, and leaves the state as it was.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "core/model/audit.h"
#include "core/model/cluster_state.h"
#include "core/model/tables.h"
#include "core/plan/policy.h"
#include "core/preemption/find_targets.h"
#include "core/preemption/possibility.h"
#include "objects/json.h"
#include "tests/preemption/random_world.h"

namespace muster::core {
namespace {

using slow::SlowWorld;

Dice throw_dice() {
  return Dice(*rc::gen::container<std::vector<std::uint32_t>>(
      300, rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 9240))));
}

Configuration configuration_of(const slow::Rules& rules) {
  Configuration configuration;
  configuration.fair_sharing.enabled = rules.fair_sharing;
  configuration.fair_sharing.preemption_strategies.clear();
  for (const slow::Strategy each : rules.strategies) {
    configuration.fair_sharing.preemption_strategies.push_back(
        each == slow::Strategy::final_share ? FairSharingStrategy::less_than_or_equal_to_final_share
                                            : FairSharingStrategy::less_than_initial_share);
  }
  configuration.gates.set(Gate::fair_sharing_preempt_within_nominal, rules.within_nominal);
  return configuration;
}

// The world in the product's state.
struct House {
  House(const SlowWorld& given, const slow::Preemptor& who, const slow::Rules& rules)
      : world(given), preemptor(who), state(configuration_of(rules)) {
    for (const made::Made& object : slow::objects_of(world, preemptor)) {
      state.apply(made::upsert(object));
    }
  }

  Tables& tables() { return state.tables(); }

  FlavorResourceId pair(const std::string& text) {
    const std::size_t slash = text.find('/');
    return tables().flavor_resources.find(tables().flavors.find(text.substr(0, slash)),
                                          tables().names.find(text.substr(slash + 1)));
  }

  Usage usage() {
    Usage list;
    for (const auto& [text, amount] : preemptor.usage) list.push_back({pair(text), amount});
    return list;
  }

  WorkloadId incoming() { return tables().workloads.find("a/incoming"); }
  ClusterQueueId queue() { return tables().cluster_queues.find(preemptor.queue); }

  slow::Targets find() {
    Trial trial(tables().undo);
    const Usage asked = usage();
    core::Preemptor who{.workload = incoming(), .queue = queue(), .usage = &asked, .contested = {}};
    for (const std::string& each : preemptor.contested) who.contested.push_back(pair(each));
    slow::Targets found;
    for (const Target& target : find_targets(tables(), trial, policy, who)) {
      found.emplace_back(tables().workloads.key(target.workload).substr(2),
                         reason_name(target.reason));
    }
    return found;
  }

  const SlowWorld& world;
  const slow::Preemptor& preemptor;
  ClusterState state;
  Policy policy{.placement = Placement::none};
};

RC_GTEST_PROP(find_targets, agrees_with_the_slow_search, ()) {
  Dice dice = throw_dice();
  const slow::Rules rules = slow::random_rules(dice);
  const SlowWorld world = slow::random_world(dice);
  const slow::Preemptor preemptor = slow::random_preemptor(dice, world);
  RC_PRE(!preemptor.contested.empty());
  House house(world, preemptor, rules);
  const slow::Targets slow = slow::find_targets(world, preemptor, rules);
  const slow::Targets fast = house.find();
  RC_CLASSIFY(!slow.empty());
  RC_CLASSIFY(slow.size() > 1);
  if (fast != slow) {
    std::string objects;
    for (const made::Made& object : slow::objects_of(world, preemptor)) {
      objects += objects::to_json(object.object) + "\n";
    }
    RC_LOG(objects);
    RC_LOG(fmt::format("contested {}, fair {}, fast {}, slow {}", preemptor.contested,
                       rules.fair_sharing, fast, slow));
  }
  RC_ASSERT(fast == slow);
  RC_ASSERT(audit(house.state).empty());
}

// With the targets gone it fits; with any one of them back it does not, unless it is the last of
// the search, which the peer never tries to put back.
RC_GTEST_PROP(find_targets, takes_nobody_whom_it_does_not_need, ()) {
  Dice dice = throw_dice();
  const slow::Rules rules = slow::random_rules(dice);
  const SlowWorld world = slow::random_world(dice);
  const slow::Preemptor preemptor = slow::random_preemptor(dice, world);
  RC_PRE(!preemptor.contested.empty());
  House house(world, preemptor, rules);
  const slow::Targets targets = house.find();
  if (targets.empty()) return;
  SlowWorld without = world;
  for (const auto& [name, reason] : targets) without.workloads.erase(name);
  RC_ASSERT(slow::fits(without, preemptor, true));
  std::size_t unneeded = 0;
  const bool may_borrow = std::ranges::any_of(preemptor.usage, [&](const auto& each) {
    return without.usage(preemptor.queue, each.first) + each.second >
           without.nominal(preemptor.queue, each.first);
  });
  for (const auto& [name, reason] : targets) {
    SlowWorld with = without;
    with.workloads[name] = world.workloads.at(name);
    if (slow::fits(with, preemptor, may_borrow)) ++unneeded;
  }
  RC_ASSERT(unneeded <= 1u);
}

RC_GTEST_PROP(preemption_possibility, agrees_with_the_slow_search, ()) {
  Dice dice = throw_dice();
  const slow::Rules rules = slow::random_rules(dice);
  const SlowWorld world = slow::random_world(dice);
  const slow::Preemptor preemptor = slow::random_preemptor(dice, world);
  RC_PRE(!preemptor.contested.empty());
  House house(world, preemptor, rules);
  slow::Preemptor question = preemptor;
  const slow::Pair pair = preemptor.contested.front();
  question.usage = {{pair, preemptor.usage.at(pair)}};
  question.contested = {pair};
  const slow::Targets targets = slow::find_targets(world, question, rules);
  auto expected = targets.empty() ? Possibility::Type::no_candidates : Possibility::Type::reclaim;
  SlowWorld without = world;
  for (const auto& [name, reason] : targets) {
    if (world.workloads.at(name).queue == preemptor.queue) expected = Possibility::Type::preempt;
    without.workloads.erase(name);
  }
  Trial trial(house.tables().undo);
  const Possibility found =
      preemption_possibility(house.tables(), trial, house.policy, house.incoming(), house.queue(),
                             house.pair(pair), preemptor.usage.at(pair));
  RC_ASSERT(found.type == expected);
  RC_ASSERT(found.borrow ==
            slow::borrow_height(without, preemptor.queue, pair, preemptor.usage.at(pair)));
}

}  // namespace
}  // namespace muster::core
