// SPDX-License-Identifier: Apache-2.0
#include "agent/start_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StartGates, the_last_member_opens_for_all) {
  StartGates gates;
  EXPECT_THAT(gates.arrive("a/train", "u1", 3), IsEmpty());
  EXPECT_THAT(gates.arrive("a/train", "u2", 3), IsEmpty());
  EXPECT_THAT(gates.arrive("a/train", "u3", 3), ElementsAre("u1", "u2", "u3"));
}

TEST(StartGates, who_comes_twice_is_one) {
  StartGates gates;
  EXPECT_THAT(gates.arrive("a/train", "u1", 2), IsEmpty());
  EXPECT_THAT(gates.arrive("a/train", "u1", 2), IsEmpty());
}

TEST(StartGates, who_left_is_not_counted) {
  StartGates gates;
  EXPECT_THAT(gates.arrive("a/train", "u1", 2), IsEmpty());
  gates.leave("u1");
  gates.leave("u1");
  EXPECT_THAT(gates.arrive("a/train", "u2", 2), IsEmpty());
  EXPECT_THAT(gates.arrive("a/train", "u3", 2), ElementsAre("u2", "u3"));
}

TEST(StartGates, gangs_do_not_meet) {
  StartGates gates;
  EXPECT_THAT(gates.arrive("a/train", "u1", 2), IsEmpty());
  EXPECT_THAT(gates.arrive("b/train", "u2", 2), IsEmpty());
}

}  // namespace
}  // namespace muster::agent
