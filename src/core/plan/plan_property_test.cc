// plan() in a house where everything that may go wrong between deciding and writing does.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "core/model/audit.h"
#include "tests/plan/plan_house.h"

namespace muster::core {
namespace {

std::vector<std::uint32_t> thrown(std::size_t most) {
  const auto size = *rc::gen::inRange<std::size_t>(0, most);
  return *rc::gen::container<std::vector<std::uint32_t>>(
      size, rc::gen::inRange<std::uint32_t>(0, 1'000'000));
}

RC_GTEST_PROP(plan, quota_and_nodes_are_never_given_twice, ()) {
  Dice dice(thrown(1500));
  PlanHouse house;
  while (!dice.is_empty()) {
    house.step(dice);
    RC_ASSERT(house.problems() == "");
  }
  house.settle();
  RC_ASSERT(house.problems() == "");
}

RC_GTEST_PROP(plan, a_restart_from_the_objects_alone_is_the_same_state, ()) {
  Dice dice(thrown(800));
  PlanHouse house;
  while (!dice.is_empty()) house.step(dice);
  house.settle();
  RC_ASSERT(house.problems() == "");
  const ClusterState again = house.restarted();
  RC_ASSERT(describe(again) == describe(house.state()));
}

}  // namespace
}  // namespace muster::core
