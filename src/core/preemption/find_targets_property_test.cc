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
#include "tests/preemption/preemption_house.h"
#include "tests/preemption/random_world.h"

namespace muster::core {
namespace {

using slow::House;
using slow::SlowWorld;

Dice throw_dice() {
  return Dice(*rc::gen::container<std::vector<std::uint32_t>>(
      300, rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, 9240))));
}

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
