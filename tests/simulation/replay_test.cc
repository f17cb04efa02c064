// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/house/mutants.h"
#include "simulator/house/run_seed.h"

namespace muster::simulator {
namespace {

class Replay : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Replay, the_same_seed_takes_the_same_steps_to_the_same_state) {
  const Outcome first = run_seed(GetParam());
  const Outcome second = run_seed(GetParam());
  EXPECT_EQ(first, second);
  EXPECT_GT(first.writes, 1'000U);
  EXPECT_GT(first.lives, 1U) << "nothing crashed";
  EXPECT_GE(first.simulated, Span::of_seconds(1'200));
}
// 4 keeps a record of its decisions.
INSTANTIATE_TEST_SUITE_P(Seeds, Replay, testing::Values(1, 4, 812));

TEST(Shrinking, a_failure_becomes_a_short_list_that_fails_the_same_way_when_it_is_read_again) {
  const Seams seams = find_mutant("double-quota")->make();
  const Script script = make_script(1);
  const Outcome outcome = run_script(script, seams);
  ASSERT_FALSE(outcome.is_well());
  const Script small = shrink(script, seams, outcome, 40);
  EXPECT_LT(small.lines.size(), script.lines.size() / 3);
  const Script again = Script::parse(small.to_text()).must();
  EXPECT_EQ(run_script(again, seams).invariant, outcome.invariant);
}

}  // namespace
}  // namespace muster::simulator
