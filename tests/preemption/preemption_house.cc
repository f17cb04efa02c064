// SPDX-License-Identifier: Apache-2.0
#include "tests/preemption/preemption_house.h"

#include "tests/preemption/random_world.h"

namespace muster::core::slow {
namespace {

Configuration configuration_of(const Rules& rules) {
  Configuration configuration;
  configuration.fair_sharing.enabled = rules.fair_sharing;
  configuration.fair_sharing.preemption_strategies.clear();
  for (const Strategy each : rules.strategies) {
    configuration.fair_sharing.preemption_strategies.push_back(
        each == Strategy::final_share ? FairSharingStrategy::less_than_or_equal_to_final_share
                                      : FairSharingStrategy::less_than_initial_share);
  }
  configuration.gates.set(Gate::fair_sharing_preempt_within_nominal, rules.within_nominal);
  return configuration;
}

}  // namespace

House::House(const SlowWorld& given, const Preemptor& who, const Rules& rules)
    : world(given), preemptor(who), state(configuration_of(rules)) {
  policy.kueue = configuration_of(rules);
  for (const made::Made& object : objects_of(world, preemptor)) {
    state.apply(made::upsert(object));
  }
}

FlavorResourceId House::pair(const std::string& text) {
  const std::size_t slash = text.find('/');
  return tables().flavor_resources.find(tables().flavors.find(text.substr(0, slash)),
                                        tables().names.find(text.substr(slash + 1)));
}

Usage House::usage() {
  Usage list;
  for (const auto& [text, amount] : preemptor.usage) list.push_back({pair(text), amount});
  return list;
}

Targets House::find(std::span<const TopologyPodSet> places) {
  Trial trial(tables().undo);
  const Usage asked = usage();
  core::Preemptor who{.workload = incoming(),
                      .queue = queue(),
                      .usage = &asked,
                      .contested = {},
                      .topology = places};
  for (const std::string& each : preemptor.contested) who.contested.push_back(pair(each));
  Targets found;
  for (const Target& target : find_targets(tables(), trial, policy, who)) {
    found.emplace_back(tables().workloads.key(target.workload).substr(2),
                       reason_name(target.reason));
  }
  return found;
}

}  // namespace muster::core::slow
