// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "simulator/house/run_seed.h"

namespace muster::simulator {
namespace {

constexpr std::uint64_t seeds_max = 20;

// A simulator that finds nothing may be blind: every planted bug is found, and not all by one.
TEST(Mutants, every_planted_bug_is_found_within_few_seeds) {
  std::set<std::string> invariants;
  for (const Mutant& mutant : all_mutants()) {
    const Seams seams = mutant.make();
    Outcome outcome;
    std::uint64_t seed = 0;
    while (outcome.is_well() && seed < seeds_max) outcome = run_seed(++seed, seams);
    EXPECT_FALSE(outcome.is_well()) << mutant.name << " was not found: " << mutant.what;
    fmt::print("{:20} seed {:3}  {:18} {}\n", mutant.name, seed, outcome.invariant,
               outcome.message.substr(0, 100));
    invariants.insert(outcome.invariant);
  }
  EXPECT_GE(all_mutants().size(), 8U);
  EXPECT_GE(invariants.size(), 6U);
}

}  // namespace
}  // namespace muster::simulator
