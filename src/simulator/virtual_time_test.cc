// SPDX-License-Identifier: Apache-2.0
#include "simulator/virtual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::simulator {
namespace {

TEST(VirtualTime, jumps_to_the_next_due_instant) {
  VirtualTime time;
  VirtualExecutor executor(time);
  const MonotonicInstant start = time.now();
  const MonotonicInstant due = start + Span::of_seconds(86'400);
  MonotonicInstant seen;
  executor.post_at(due, [&] { seen = time.now(); });
  EXPECT_TRUE(time.step());
  EXPECT_EQ(seen, due);
  EXPECT_FALSE(time.step());
  EXPECT_EQ(time.now(), due) << "idle time does not pass by itself";
}

TEST(VirtualTime, run_for_stops_between_timers_and_moves_to_its_end) {
  VirtualTime time;
  VirtualExecutor executor(time);
  std::vector<int> ran;
  const MonotonicInstant start = time.now();
  executor.post_at(start + Span::of_seconds(1), [&] { ran.push_back(1); });
  executor.post_at(start + Span::of_seconds(3), [&] { ran.push_back(3); });
  time.run_for(Span::of_seconds(2));
  EXPECT_EQ(ran, std::vector<int>{1});
  EXPECT_EQ(time.now(), start + Span::of_seconds(2));
  time.run_for(Span::of_seconds(1));
  EXPECT_EQ(ran, (std::vector<int>{1, 3})) << "the end belongs to the span";
}

TEST(VirtualTime, gives_up_on_a_run_that_never_ends) {
  VirtualTime time;
  VirtualExecutor executor(time);
  std::function<void()> again = [&] { executor.post([&] { again(); }); };
  again();
  EXPECT_FALSE(time.run_until_idle(1000));
  EXPECT_EQ(time.steps(), 1000U);
  executor.drop_all();
  EXPECT_TRUE(time.run_until_idle());
}

TEST(VirtualTime, run_until_says_when_the_condition_never_came) {
  VirtualTime time;
  VirtualExecutor executor(time);
  int n = 0;
  for (int i = 0; i < 5; ++i) executor.post([&] { ++n; });
  EXPECT_TRUE(time.run_until([&] { return n == 3; }));
  EXPECT_EQ(n, 3);
  EXPECT_FALSE(time.run_until([&] { return n == 9; }));
}

// Three executors post to each other at one instant; the string is the order of events.
std::string play(VirtualTime& time) {
  std::string order;
  VirtualExecutor a(time);
  VirtualExecutor b(time);
  VirtualExecutor c(time);
  for (int i = 0; i < 8; ++i) {
    a.post([&order, i] { order += static_cast<char>('0' + i); });
    b.post([&, i] {
      order += static_cast<char>('a' + i);
      if (i == 3) c.post([&] { order += '!'; });
    });
    c.post([&order, i] { order += static_cast<char>('A' + i); });
  }
  EXPECT_TRUE(time.run_until_idle());
  return order;
}

std::string only(const std::string& text, char first) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
               [&](char c) { return c >= first && c < first + 8; });
  return kept;
}

TEST(VirtualTime, without_a_seed_equal_instants_run_as_posted) {
  VirtualTime time;
  EXPECT_EQ(play(time), "0aA1bB2cC3dD4eE5fF6gG7hH!");
}

TEST(VirtualTime, a_seed_shuffles_executors_and_never_the_tasks_of_one) {
  std::vector<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    VirtualTime time(seed);
    VirtualTime again(seed);
    const std::string order = play(time);
    EXPECT_EQ(order, play(again)) << "the same seed gives the same run";
    EXPECT_EQ(only(order, '0'), "01234567");
    EXPECT_EQ(only(order, 'a'), "abcdefgh");
    EXPECT_EQ(only(order, 'A'), "ABCDEFGH");
    EXPECT_LT(order.find('d'), order.find('!'));
    EXPECT_EQ(order.size(), 25U);
    orders.push_back(order);
  }
  std::sort(orders.begin(), orders.end());
  EXPECT_EQ(std::unique(orders.begin(), orders.end()), orders.end());
}

TEST(VirtualExecutor, drops_what_waits_when_its_process_ends) {
  VirtualTime time;
  const auto owned = std::make_shared<int>(0);
  VirtualExecutor other(time);
  {
    VirtualExecutor executor(time);
    executor.post([owned] { ++*owned; });
    executor.post_at(time.now() + Span::of_seconds(9), [owned] { ++*owned; });
    EXPECT_EQ(executor.pending(), 2U);
  }
  other.post([] {});
  EXPECT_TRUE(time.run_until_idle());
  EXPECT_EQ(*owned, 0);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(VirtualClock, the_wall_jumps_and_timers_do_not_notice) {
  VirtualTime time;
  const VirtualClock steady(time);
  VirtualClock clock(time);
  EXPECT_EQ(clock.wall(), VirtualClock::wall_at_start);
  time.run_for(Span::of_seconds(5));
  const MonotonicInstant before = clock.monotonic();
  clock.jump_wall(Span::of_seconds(-3600));
  EXPECT_EQ(clock.wall(), VirtualClock::wall_at_start + Span::of_seconds(5 - 3600));
  EXPECT_EQ(clock.monotonic(), before);
  EXPECT_EQ(steady.wall(), VirtualClock::wall_at_start + Span::of_seconds(5));
}

}  // namespace
}  // namespace muster::simulator
