// run_seed: one seed from beginning to end, and the shortest script that fails the same way.
//
//   Outcome outcome = run_seed(17);
//   if (!outcome.is_well()) Script small = shrink(make_script(17), {}, outcome);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simulator/house/script.h"
#include "simulator/house/seams.h"
#include "simulator/house/world.h"

namespace muster::simulator {

Outcome run_script(const Script& script, const Seams& seams = {});

inline Outcome run_seed(std::uint64_t seed, const Seams& seams = {}) {
  return run_script(make_script(seed), seams);
}

// Leaves out lines as long as the same invariant breaks (delta debugging, Zeller 1999), with at
// most `runs_max` runs: a smaller list, not always the smallest.
Script shrink(const Script& script, const Seams& seams, const Outcome& outcome, int runs_max = 200);

}  // namespace muster::simulator
