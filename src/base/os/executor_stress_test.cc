// Real threads on the event loop and on the lanes of the disk, for ThreadSanitizer: what the loop
// touches is plain memory, so a missing lock shows as a race and not only as a rare wrong sum.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/event_loop.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"

namespace muster {
namespace {

constexpr int posters = 4;
constexpr int jobs = 2'000;

template <class Body>
std::vector<std::thread> start(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([body, i] { body(i); });
  return threads;
}

void join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}

TEST(ExecutorStress, posts_of_each_thread_arrive_in_its_order) {
  constexpr int each = 100'000;
  EventLoop loop;
  std::array<int, posters> next{};
  int arrived = 0;
  bool in_order = true;
  auto threads = start(posters, [&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    for (int n = 0; n < each; ++n) {
      loop.post([&, index, n] {
        in_order &= next[index]++ == n;
        if (++arrived == posters * each) loop.stop();
      });
      if (n % 1000 == 0) std::this_thread::yield();  // lets the loop fall asleep now and then
    }
  });
  loop.run();
  join(threads);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(arrived, posters * each);
}

TEST(ExecutorStress, a_timer_runs_once_or_was_cancelled) {
  constexpr int each = 20'000;
  EventLoop loop;
  SystemClock clock;
  std::array<std::vector<int>, posters> ran;  // touched by the loop alone
  std::atomic<int> done = 0;
  for (auto& slots : ran) slots.resize(each);
  auto threads = start(posters, [&](int thread) {
    auto& slots = ran[static_cast<std::size_t>(thread)];
    for (int n = 0; n < each; ++n) {
      const auto index = static_cast<std::size_t>(n);
      const Span delay = Span::of_microseconds(n * 7 % 500);
      const TimerId timer =
          loop.post_at(clock.monotonic() + delay, [&slots, index] { ++slots[index]; });
      if (n % 2 == 1) {
        loop.cancel(timer);
        loop.post([] {});
      }
    }
    if (++done == posters) {
      loop.post_at(clock.monotonic() + Span::of_milliseconds(5), [&] { loop.stop(); });
    }
  });
  loop.run();
  join(threads);
  for (const auto& slots : ran) {
    for (std::size_t n = 0; n < slots.size(); ++n) {
      ASSERT_LE(slots[n], 1) << n;
      ASSERT_TRUE(slots[n] == 1 || n % 2 == 1) << n << " was not cancelled and did not run";
    }
  }
}

TEST(ExecutorStress, a_cancelled_timer_never_runs_when_the_loop_itself_cancels) {
  EventLoop loop;
  SystemClock clock;
  int wrong = 0;
  int rounds = 0;
  auto threads = start(posters, [&](int) {
    for (int n = 0; n < 2'000; ++n) {
      loop.post([&] {
        const auto cancelled = std::make_shared<bool>(false);
        const TimerId timer =
            loop.post_at(clock.monotonic(), [&wrong, cancelled] { wrong += *cancelled ? 1 : 0; });
        loop.post([&, timer, cancelled] {
          loop.cancel(timer);
          *cancelled = true;
          if (++rounds == posters * 2'000) loop.stop();
        });
      });
    }
  });
  loop.run();
  join(threads);
  EXPECT_EQ(wrong, 0);
}

TEST(ExecutorStress, stop_always_ends_a_run_and_loses_nothing) {
  EventLoop loop;
  int ran = 0;
  int posted = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::thread runner([&] { loop.run(); });
    for (int n = 0; n < 10; ++n, ++posted) loop.post([&] { ++ran; });
    loop.stop();
    runner.join();
  }
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(ran, posted);
}

TEST(ExecutorStress, two_loops_hand_work_back_and_forth) {
  EventLoop left;
  EventLoop right;
  int volleys = 0;  // handed over with the ball, so never touched by both at once
  UniqueFunction<void()> to_left;
  UniqueFunction<void()> to_right;
  to_left = [&] {
    if (++volleys < 20'000) return left.post([&] { to_right(); });
    left.stop();
    right.stop();
  };
  to_right = [&] {
    ++volleys;
    right.post([&] { to_left(); });
  };
  left.post([&] { to_right(); });
  auto threads = start(2, [&](int side) { (side == 0 ? left : right).run(); });
  join(threads);
  EXPECT_GE(volleys, 20'000);
}

// Some post, some run it themselves, and callbacks post on: one at a time, in order, none lost.
TEST(ExecutorStress, a_loop_that_is_lent_runs_one_callback_at_a_time) {
  constexpr int each = 20'000;
  EventLoop loop;
  SystemClock clock;
  std::array<int, posters> next{};
  int arrived = 0;
  int timers = 0;
  bool in_order = true;
  std::thread runner([&] { loop.run(); });
  auto threads = start(posters, [&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    for (int n = 0; n < each; ++n) {
      auto arrive = [&, index, n] {
        in_order &= next[index]++ == n;
        loop.post([&] { ++arrived; });
        if (n % 100 == 0) loop.post_at(clock.monotonic(), [&] { ++timers; });
      };
      if (thread % 2 == 0) {
        loop.post(std::move(arrive));
      } else {
        loop.post_or_run(std::move(arrive), [n] { return n % 3 == 0; });
      }
      if (n % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  });
  join(threads);
  loop.post(
      [&] { loop.post_at(clock.monotonic() + Span::of_milliseconds(5), [&] { loop.stop(); }); });
  runner.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(arrived, posters * each);
  EXPECT_EQ(timers, posters * each / 100);
}

class DiskStress : public ::testing::Test {
 protected:
  DiskStress() {
    folder_ = ::testing::TempDir() + "muster_disk_stress_XXXXXX";
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~DiskStress() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

// Two houses submit to both lanes, one of them lent; each job appends to its house's own file of
// that lane.
TEST_F(DiskStress, lanes_serve_several_houses_in_order) {
  constexpr std::array lanes = {DiskLane::commit, DiskLane::background};
  struct House {
    EventLoop loop;
    std::array<std::unique_ptr<File>, 2> files;
    std::array<std::uint64_t, 2> written{};
    int completed = 0;
  };
  SystemDisk disk;
  std::array<House, 2> houses;
  for (std::size_t h = 0; h < houses.size(); ++h) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::string path = folder_ + "/" + std::to_string(h) + std::to_string(lane);
      houses[h].files[lane] = disk.open(path, OpenMode::create_new).must();
    }
  }
  disk.set_lender(&houses[0].loop);
  auto lane_threads = start(2, [&](int lane) { disk.lane(static_cast<DiskLane>(lane)).run(); });
  auto house_threads = start(2, [&](int h) {
    House& house = houses[static_cast<std::size_t>(h)];
    for (int n = 0; n < jobs; ++n) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const auto work = [&house, lane, n] {
          std::array<std::byte, sizeof(int)> record{};
          std::memcpy(record.data(), &n, sizeof n);
          house.files[lane]->write_at(house.written[lane], record).must();
          house.written[lane] += record.size();
        };
        disk.submit(lanes[lane], work, house.loop, [&house] {
          if (++house.completed == 2 * jobs) house.loop.stop();
        });
      }
    }
    house.loop.run();
  });
  join(house_threads);
  for (const DiskLane lane : lanes) disk.lane(lane).stop();
  join(lane_threads);
  for (House& house : houses) {
    for (auto& file : house.files) {
      std::vector<int> records(jobs);
      ASSERT_EQ(file->read_at(0, std::as_writable_bytes(std::span(records))).value(),
                jobs * sizeof(int));
      for (int n = 0; n < jobs; ++n) ASSERT_EQ(records[static_cast<std::size_t>(n)], n);
    }
  }
}

}  // namespace
}  // namespace muster
