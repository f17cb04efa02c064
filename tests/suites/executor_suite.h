// What every Executor promises. A test program instantiates it with worlds: an executor, its
// clock, and a way to run it on the test's own thread until a callback says stop.
//
//   INSTANTIATE_TEST_SUITE_P(real, ExecutorSuite, ::testing::Values(&make_real_executor_world));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"

namespace muster::suites {

class ExecutorWorld {
 public:
  virtual ~ExecutorWorld() = default;
  virtual Executor& executor() = 0;
  virtual const Clock& clock() = 0;

  // Runs callbacks until one of them calls stop().
  virtual void run() = 0;
  virtual void stop() = 0;
};

using ExecutorWorldFactory = std::unique_ptr<ExecutorWorld> (*)();

class ExecutorSuite : public ::testing::TestWithParam<ExecutorWorldFactory> {
 protected:
  Executor& executor() { return world_->executor(); }
  MonotonicInstant now() { return world_->clock().monotonic(); }
  MonotonicInstant in_milliseconds(std::int64_t n) { return now() + Span::of_milliseconds(n); }
  void run() { world_->run(); }
  void stop() { world_->stop(); }

  // Runs all that is due up to here.
  void settle() {
    executor().post([this] { stop(); });
    run();
  }

 private:
  std::unique_ptr<ExecutorWorld> world_ = GetParam()();
};

TEST_P(ExecutorSuite, runs_what_is_posted_in_that_order) {
  std::vector<int> ran;
  for (int i = 0; i < 1000; ++i) executor().post([&ran, i] { ran.push_back(i); });
  settle();
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ran, expected);
}

TEST_P(ExecutorSuite, never_runs_a_task_inside_post) {
  bool ran = false;
  executor().post([&] {
    executor().post([&] { ran = true; });
    EXPECT_FALSE(ran);
  });
  executor().post([&] { EXPECT_FALSE(ran) << "the inner task was posted later"; });
  settle();
  settle();
  EXPECT_TRUE(ran);
}

TEST_P(ExecutorSuite, runs_timers_by_due_instant_and_equal_ones_as_posted) {
  std::vector<int> ran;
  const MonotonicInstant soon = in_milliseconds(4);
  const MonotonicInstant later = in_milliseconds(8);
  executor().post_at(later, [&] { ran.push_back(3); });
  executor().post_at(soon, [&] { ran.push_back(1); });
  executor().post_at(later, [&] { ran.push_back(4); });
  executor().post_at(soon, [&] { ran.push_back(2); });
  executor().post_at(later + Span::of_milliseconds(1), [&] { stop(); });
  run();
  EXPECT_EQ(ran, (std::vector<int>{1, 2, 3, 4}));
}

TEST_P(ExecutorSuite, never_runs_a_timer_early) {
  std::vector<std::int64_t> early;
  for (int i = 1; i <= 20; ++i) {
    const MonotonicInstant due = now() + Span::of_microseconds(i * 300);
    executor().post_at(due, [this, due, &early] {
      if (now() < due) early.push_back((due - now()).nanoseconds);
    });
  }
  executor().post_at(in_milliseconds(8), [&] { stop(); });
  run();
  EXPECT_TRUE(early.empty());
}

TEST_P(ExecutorSuite, runs_a_timer_of_the_past_at_once) {
  bool ran = false;
  executor().post_at({0}, [&] { ran = true; });
  executor().post_at(now(), [&] { stop(); });
  run();
  EXPECT_TRUE(ran);
}

TEST_P(ExecutorSuite, an_endless_chain_of_posts_starves_no_timer) {
  bool due = false;
  std::uint64_t links = 0;
  std::function<void()> chain = [&] {
    ++links;
    if (!due) executor().post([&] { chain(); });
  };
  executor().post_at(now(), [&] { due = true; });
  chain();
  executor().post_at(in_milliseconds(1), [&] { stop(); });
  run();
  EXPECT_TRUE(due);
}

TEST_P(ExecutorSuite, timers_due_at_once_starve_no_post) {
  bool posted = false;
  std::function<void()> chain = [&] {
    if (!posted) executor().post_at({0}, [&] { chain(); });
  };
  chain();
  executor().post_at({0}, [&] { executor().post([&] { posted = true, stop(); }); });
  run();
  EXPECT_TRUE(posted);
}

TEST_P(ExecutorSuite, cancel_forgets_a_timer_and_what_it_owns) {
  const auto owned = std::make_shared<int>(0);
  const TimerId timer = executor().post_at(in_milliseconds(2), [owned] { ++*owned; });
  EXPECT_EQ(owned.use_count(), 2);
  executor().cancel(timer);
  EXPECT_EQ(owned.use_count(), 1);
  executor().post_at(in_milliseconds(4), [&] { stop(); });
  run();
  EXPECT_EQ(*owned, 0);
}

TEST_P(ExecutorSuite, a_timer_may_cancel_its_neighbour_of_the_same_instant) {
  bool ran = false;
  TimerId second;
  const MonotonicInstant due = in_milliseconds(2);
  executor().post_at(due, [&] { executor().cancel(second); });
  second = executor().post_at(due, [&] { ran = true; });
  executor().post_at(in_milliseconds(4), [&] { stop(); });
  run();
  EXPECT_FALSE(ran);
}

TEST_P(ExecutorSuite, cancel_ignores_unknown_past_and_repeated_ids) {
  int ran = 0;
  const TimerId done = executor().post_at(now(), [&] { ++ran; });
  TimerId itself;
  itself = executor().post_at(now(), [&] {
    ++ran;
    executor().cancel(itself);
    stop();
  });
  run();
  executor().cancel(done);
  executor().cancel(done);
  executor().cancel(TimerId{});
  executor().cancel(TimerId{~std::uint64_t{0}});
  const TimerId fresh = executor().post_at(now(), [&] { ++ran, stop(); });
  EXPECT_NE(fresh, done) << "an id is never used again";
  run();
  EXPECT_EQ(ran, 3);
}

TEST_P(ExecutorSuite, what_a_task_owns_is_gone_before_the_next_task) {
  const auto owned = std::make_shared<int>(0);
  executor().post([owned] {});
  long holders = 0;
  executor().post([&] { holders = owned.use_count(); });
  settle();
  EXPECT_EQ(holders, 1);
}

TEST_P(ExecutorSuite, a_dropped_task_may_post_as_it_dies) {
  struct PostsOnDeath {
    Executor& executor;
    bool& posted;
    ~PostsOnDeath() {
      executor.post([&p = posted] { p = true; });
    }
  };
  bool posted = false;
  std::unique_ptr<PostsOnDeath> owner(new PostsOnDeath{executor(), posted});
  const TimerId timer = executor().post_at(in_milliseconds(60'000), [o = std::move(owner)] {});
  executor().cancel(timer);
  settle();
  EXPECT_TRUE(posted);
}

TEST_P(ExecutorSuite, nothing_starts_after_stop_until_it_runs_again) {
  int ran = 0;
  executor().post([&] { stop(); });
  executor().post([&] { ++ran; });
  run();
  EXPECT_EQ(ran, 0);
  settle();
  EXPECT_EQ(ran, 1);
}

}  // namespace muster::suites
