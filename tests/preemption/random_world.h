// Worlds by chance for the search of targets: cohorts three deep, queues with every policy and
// limit, workloads that hold quota, perhaps more than there is; and the same world as objects.
//
//   const SlowWorld world = random_world(dice);
//   for (const made::Made& object : objects_of(world)) state.apply(made::upsert(object));
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/plan/dice.h"
#include "tests/plan/made_objects.h"
#include "tests/preemption/slow_targets.h"
#include "tests/preemption/slow_world.h"

namespace muster::core::slow {

inline constexpr std::string_view preemptor_name = "incoming";

SlowWorld random_world(Dice& dice);

// Asks for something that is not there, where the world has such a thing.
Preemptor random_preemptor(Dice& dice, const SlowWorld& world);

Rules random_rules(Dice& dice);

// The objects of the world and the preemptor as a pending workload of the namespace "a".
std::vector<made::Made> objects_of(const SlowWorld& world, const Preemptor& preemptor);

}  // namespace muster::core::slow
