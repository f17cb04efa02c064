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

TEST(StartGates, news_of_a_start_comes_with_the_last) {
  StartGates gates;
  gates.arrive("a/train", "u1", 2);
  gates.arrive("a/train", "u2", 2);
  EXPECT_THAT(gates.started("u2"), IsEmpty());
  EXPECT_THAT(gates.started("u2"), IsEmpty());
  EXPECT_THAT(gates.started("u1"), ElementsAre("u2", "u1"));
  EXPECT_THAT(gates.started("u1"), ElementsAre("u1"));
}

TEST(StartGates, news_of_one_on_its_own_comes_at_once) {
  StartGates gates;
  EXPECT_THAT(gates.started("u1"), ElementsAre("u1"));
}

TEST(StartGates, who_left_is_no_news_and_not_waited_for) {
  StartGates gates;
  for (const char* uid : {"u1", "u2", "u3"}) gates.arrive("a/train", uid, 3);
  gates.started("u1");
  gates.started("u2");
  EXPECT_THAT(gates.leave("u1"), IsEmpty());
  EXPECT_THAT(gates.leave("u3"), ElementsAre("u2"));
  EXPECT_THAT(gates.leave("u2"), IsEmpty());
}

TEST(StartGates, patience_with_the_news_ends) {
  StartGates gates;
  for (const char* uid : {"u1", "u2"}) gates.arrive("a/train", uid, 2);
  gates.started("u1");
  EXPECT_THAT(gates.give_up("a/train"), ElementsAre("u1"));
  EXPECT_THAT(gates.give_up("a/train"), IsEmpty());
  EXPECT_THAT(gates.started("u2"), ElementsAre("u2"));
}

TEST(StartGates, gangs_do_not_meet) {
  StartGates gates;
  EXPECT_THAT(gates.arrive("a/train", "u1", 2), IsEmpty());
  EXPECT_THAT(gates.arrive("b/train", "u2", 2), IsEmpty());
}

}  // namespace
}  // namespace muster::agent
