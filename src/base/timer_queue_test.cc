// SPDX-License-Identifier: Apache-2.0
#include "base/timer_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace muster {
namespace {

MonotonicInstant at(std::int64_t nanoseconds) {
  return {nanoseconds};
}

TEST(TimerQueue, yields_by_due_then_by_id) {
  TimerQueue timers;
  std::vector<int> ran;
  timers.add(at(20), 1, [&] { ran.push_back(1); });
  timers.add(at(10), 2, [&] { ran.push_back(2); });
  timers.add(at(20), 3, [&] { ran.push_back(3); });
  timers.add(at(10), 4, [&] { ran.push_back(4); });
  EXPECT_EQ(timers.head().due, at(10));
  while (!timers.empty()) timers.take_head()();
  EXPECT_EQ(ran, (std::vector<int>{2, 4, 1, 3}));
}

TEST(TimerQueue, hands_back_what_it_cancels_and_forgets_it) {
  TimerQueue timers;
  const auto witness = std::make_shared<int>(0);
  timers.add(at(1), 1, [witness] {});
  timers.add(at(2), 2, [] {});
  EXPECT_EQ(witness.use_count(), 2);
  EXPECT_TRUE(timers.cancel(1));
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_FALSE(timers.cancel(1)) << "a second cancel finds nothing";
  EXPECT_EQ(timers.size(), 1U);
  EXPECT_EQ(timers.head().id, 2U);
}

TEST(TimerQueue, ignores_the_id_of_a_task_already_taken) {
  TimerQueue timers;
  timers.add(at(1), 1, [] {});
  EXPECT_TRUE(timers.take_head());
  EXPECT_FALSE(timers.cancel(1));
  EXPECT_TRUE(timers.empty());
}

}  // namespace
}  // namespace muster
