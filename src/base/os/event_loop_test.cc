// What EventLoop adds to an Executor: another thread may run it while it sleeps. The rest is in
// tests/suites/executor_suite.h.
// SPDX-License-Identifier: Apache-2.0
#include "base/os/event_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/os/system_disk.h"

namespace muster {
namespace {

bool never() {
  return false;
}

class LentLoopTest : public ::testing::Test {
 protected:
  ~LentLoopTest() override {
    loop_.stop();
    thread_.join();
  }

  // Its thread may be on its way to sleep: asks until it sleeps.
  void run_here(const std::function<void()>& body, const std::function<bool()>& is_enough) {
    bool ran = false;
    while (!ran) {
      loop_.post_or_run(
          [&] {
            if (std::this_thread::get_id() != here_) return;
            ran = true;
            body();
          },
          is_enough);
      if (!ran) settle();
    }
  }

  // Until all that was posted has run.
  void settle() {
    std::promise<void> done;
    loop_.post([&] { done.set_value(); });
    done.get_future().wait();
  }

  const std::thread::id here_ = std::this_thread::get_id();
  SystemClock clock_;
  EventLoop loop_;
  std::thread thread_{[this] { loop_.run(); }};
};

TEST_F(LentLoopTest, runs_what_is_posted_and_what_follows_from_it_on_the_calling_thread) {
  std::string order;
  run_here(
      [&] {
        loop_.post([&] {
          EXPECT_EQ(std::this_thread::get_id(), here_);
          order += "b";
        });
        order += "a";
      },
      never);
  EXPECT_EQ(order, "ab");
}

TEST_F(LentLoopTest, its_own_thread_does_what_is_left) {
  std::promise<std::thread::id> left;
  run_here([&] { loop_.post([&] { left.set_value(std::this_thread::get_id()); }); },
           [] { return true; });
  EXPECT_EQ(left.get_future().get(), thread_.get_id());
}

TEST_F(LentLoopTest, waits_its_turn_while_something_runs) {
  std::promise<void> go_on;
  std::promise<void> begun;
  std::string order;
  loop_.post([&] {
    begun.set_value();
    go_on.get_future().wait();
    order += "a";
  });
  begun.get_future().wait();
  EXPECT_FALSE(loop_.post_or_run([&] { order += "b"; }, never));
  go_on.set_value();
  settle();
  EXPECT_EQ(order, "ab");
}

TEST_F(LentLoopTest, timers_made_meanwhile_come_in_time) {
  std::promise<void> due;
  run_here(
      [&] {
        loop_.post_at(clock_.monotonic() + Span::of_milliseconds(1), [&] { due.set_value(); });
      },
      never);
  EXPECT_EQ(due.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_F(LentLoopTest, a_timer_that_is_due_meanwhile_waits_for_the_callback) {
  std::string order;
  std::promise<void> due;
  loop_.post_at(clock_.monotonic() + Span::of_milliseconds(20), [&] {
    order += "b";
    due.set_value();
  });
  run_here(
      [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        order += "a";
      },
      never);
  ASSERT_EQ(due.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(order, "ab");
}

TEST_F(LentLoopTest, stop_from_a_lent_callback_ends_the_run) {
  run_here([&] { loop_.stop(); }, never);
  thread_.join();
  thread_ = std::thread([this] { loop_.run(); });
}

TEST(RestingLoopTest, what_comes_meanwhile_is_done_together) {
  EventLoop loop;
  loop.set_rest(Span::of_milliseconds(20));
  SystemClock clock;
  std::promise<void> done;
  std::vector<MonotonicInstant> ran;
  std::thread thread([&] { loop.run(); });
  std::promise<void> first;
  loop.post([&] { first.set_value(); });
  first.get_future().wait();
  for (int i = 0; i < 3; ++i) {
    loop.post([&, i] {
      ran.push_back(clock.monotonic());
      if (i == 2) done.set_value();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  const MonotonicInstant before = clock.monotonic();
  loop.stop();
  thread.join();
  EXPECT_LT(clock.monotonic() - before, Span::of_seconds(10));
  EXPECT_EQ(ran.size(), 3U);
}

TEST_F(LentLoopTest, a_completion_runs_on_the_lane_while_the_house_sleeps) {
  SystemDisk disk;
  disk.set_lender(&loop_);
  std::thread lane([&] { disk.lane(DiskLane::commit).run(); });
  const std::thread::id lane_id = lane.get_id();
  bool was_there = false;
  for (int i = 0; i < 1'000 && !was_there; ++i) {
    std::promise<std::thread::id> done;
    disk.submit(
        DiskLane::commit, [] {}, loop_, [&] { done.set_value(std::this_thread::get_id()); });
    was_there = done.get_future().get() == lane_id;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(was_there);
  disk.lane(DiskLane::commit).stop();
  lane.join();
}

}  // namespace
}  // namespace muster
