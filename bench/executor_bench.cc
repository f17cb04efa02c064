// How much an EventLoop adds to the work that it runs.
// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/event_loop.h"
#include "bench/measure.h"

namespace muster::bench {
namespace {

constexpr std::uint64_t posts = 1'000'000;
constexpr std::uint64_t timers = 200'000;
constexpr std::uint64_t round_trips = 20'000;

// A task of ours carries two or three pointers.
void post_counting(Executor& executor, std::uint64_t& sum, std::uint64_t n, std::uint64_t* last) {
  executor.post([&sum, n, last] {
    sum += n;
    *last = n;
  });
}

// In bursts, as a busy house sees them: a round of callbacks posts the next round.
constexpr std::uint64_t burst = 1'000;

void one_thread() {
  EventLoop loop;
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  for (std::uint64_t begin = 0; begin < posts; begin += burst) {
    for (std::uint64_t n = 0; n < burst; ++n) post_counting(loop, sum, begin + n, &last);
    loop.post([&] { loop.stop(); });
    loop.run();
  }
}

void bare_vector() {
  std::vector<Task> tasks;
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  for (std::uint64_t begin = 0; begin < posts; begin += burst) {
    for (std::uint64_t n = begin; n < begin + burst; ++n) {
      tasks.emplace_back([&sum, n, to = &last] {
        sum += n;
        *to = n;
      });
    }
    for (Task& task : tasks) std::exchange(task, nullptr)();
    tasks.clear();
  }
}

void two_threads() {
  EventLoop loop;
  std::uint64_t sum = 0;
  std::uint64_t last = 0;
  std::thread poster([&] {
    for (std::uint64_t n = 0; n < posts; ++n) post_counting(loop, sum, n, &last);
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  poster.join();
}

// Numbers instead of tasks, through the plainest queue there is.
void bare_queue() {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::uint64_t> queue;
  std::thread poster([&] {
    for (std::uint64_t n = 1; n <= posts; ++n) {
      const std::lock_guard lock(mutex);
      queue.push_back(n);
      if (queue.size() == 1) wake.notify_one();
    }
  });
  std::uint64_t last = 0;
  std::vector<std::uint64_t> batch;
  while (last != posts) {
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return !queue.empty(); });
      batch.clear();
      batch.swap(queue);
    }
    for (const std::uint64_t n : batch) last = n;
  }
  poster.join();
}

void ping_pong() {
  EventLoop here;
  EventLoop there;
  std::uint64_t trips = 0;
  UniqueFunction<void()> back;
  UniqueFunction<void()> forth = [&] { there.post([&] { back(); }); };
  back = [&] {
    if (++trips < round_trips) return here.post([&] { forth(); });
    here.stop();
    there.stop();
  };
  std::thread other([&] { there.run(); });
  forth();
  here.run();
  other.join();
}

void bare_ping_pong() {
  std::mutex mutex;
  std::condition_variable wake_here;
  std::condition_variable wake_there;
  bool ball_here = true;
  std::thread other([&] {
    for (std::uint64_t n = 0; n < round_trips; ++n) {
      std::unique_lock lock(mutex);
      wake_there.wait(lock, [&] { return !ball_here; });
      ball_here = true;
      wake_here.notify_one();
    }
  });
  for (std::uint64_t n = 0; n < round_trips; ++n) {
    std::unique_lock lock(mutex);
    wake_here.wait(lock, [&] { return ball_here; });
    ball_here = false;
    wake_there.notify_one();
  }
  other.join();
}

// Most timers are limits that never strike: made, kept among many, cancelled.
constexpr std::uint64_t timers_alive = 10'000;

MonotonicInstant due_of(std::uint64_t n) {
  return {static_cast<std::int64_t>((n * 7919 % 100'000) + (std::uint64_t{1} << 62))};
}

void timers_cancelled() {
  EventLoop loop;
  std::vector<TimerId> alive(timers_alive);
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < timers; ++n) {
    TimerId& slot = alive[n % timers_alive];
    loop.cancel(slot);
    slot = loop.post_at(due_of(n), [&sum, n] { sum += n; });
  }
}

void bare_map() {
  std::map<std::pair<MonotonicInstant, std::uint64_t>, Task> map;
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < timers; ++n) {
    if (n >= timers_alive) map.erase({due_of(n - timers_alive), n - timers_alive});
    map.emplace(std::pair(due_of(n), n), [&sum, n] { sum += n; });
  }
}

}  // namespace
}  // namespace muster::bench

int main() {
  using namespace muster::bench;
  compare("post and run on one thread", posts, one_thread, "vector of tasks, no lock", bare_vector);
  compare("post from another thread", posts, two_threads, "numbers through a locked vector",
          bare_queue);
  compare("round trip between two loops", round_trips, ping_pong, "two condition variables",
          bare_ping_pong);
  compare("post_at and cancel among 10,000 timers", timers, timers_cancelled, "std::map, no lock",
          bare_map);
}
