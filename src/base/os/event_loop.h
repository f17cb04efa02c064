// EventLoop: an Executor on real time, run by a thread that somebody else made. It takes all that
// was posted under one lock and runs it without; between rounds it runs the timers that are due;
// with nothing to do it sleeps until the next timer or post, and nobody wakes it in vain.
//
//   EventLoop loop;
//   std::jthread thread([&] { loop.run(); });    // in main/ or in a test
//   loop.post([&] { loop.stop(); });
//
// Assumes: due instants are readings of SystemClock::monotonic(). The queue itself has no limit:
// what is posted is bounded by the limits of those who post.
//
//            post, due timer            stop()
//   asleep ──────────────────► round ────────────► run() returns
//      ▲                         │
//      └──── nothing is left ────┘
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/executor.h"
#include "base/os/system_clock.h"
#include "base/timer_queue.h"

namespace muster {

class EventLoop final : public Executor {
 public:
  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Not while run() runs. What did not start is dropped.
  ~EventLoop() override;

  void post(Task task) override;
  TimerId post_at(MonotonicInstant due, Task task) override;
  void cancel(TimerId timer) override;

  // Runs callbacks on the calling thread until stop(). May be called again afterwards, and then
  // goes on where it stopped.
  void run();

  // From any thread, callbacks included: the callback that runs now finishes, none starts after
  // it. Before run(), it makes run() return at once. To finish what was posted so far, post it.
  void stop();

 private:
  void run_batch();
  void run_due_timers();
  bool wait_for_round();

  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Task> posted_;         // under mutex_
  TimerQueue timers_;                // under mutex_
  std::uint64_t timer_id_next_ = 1;  // under mutex_
  bool asleep_ = false;              // under mutex_: a post must wake the loop
  std::atomic<bool> stop_{false};    // written under mutex_, read without between callbacks

  // Only the running thread touches these: the round at hand.
  std::vector<Task> batch_;
  std::size_t batch_next_ = 0;
  MonotonicInstant round_now_;
  std::uint64_t round_timer_id_end_ = 0;  // timers made during the round wait for the next one
};

}  // namespace muster
