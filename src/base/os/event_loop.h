// EventLoop: an Executor on real time, run by a thread that somebody else made. It takes all that
// was posted under one lock and runs it without; between rounds it runs the timers that are due;
// with nothing to do it sleeps until the next timer or post, and nobody wakes it in vain. While it
// sleeps, another thread may run what that thread posts (LendingExecutor).
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
//    │  ▲                        │
//    │  └──── nothing is left ───┘
//    │ post_or_run()              is enough, and something is left
//    └────────────► lent: rounds ──────────────────────────────────► round
//                    └──── nothing is left ──► asleep, not having woken
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/lending_executor.h"
#include "base/os/system_clock.h"
#include "base/timer_queue.h"

namespace muster {

// A core that sleeps for this long has cost more than it saved: it wakes slowly and has forgotten
// what it knew.
inline constexpr Span linger_max = Span::of_microseconds(500);

class EventLoop final : public LendingExecutor {
 public:
  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Not while run() runs. What did not start is dropped.
  ~EventLoop() override;

  void post(Task task) override;
  TimerId post_at(MonotonicInstant due, Task task) override;
  void cancel(TimerId timer) override;
  bool post_or_run(Task task, const std::function<bool()>& is_enough) override;

  // The next two on the thread of run() alone. Whether something was posted that has not begun.
  bool has_posted();

  // More is about to be posted, as far as the callback that runs now can tell: if it came soon the
  // last time, the loop looks for it, for linger_max at most, before it sleeps.
  void linger() { lingers_ = true; }

  // Before run(): after a round it looks for the next one no sooner than this. What comes often and
  // is in no hurry is done together, and nobody spends time on waking it.
  void set_rest(Span rest) { rest_ = rest; }

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
  bool is_due();
  void take_round();
  bool rouse();
  void sleep(std::unique_lock<std::mutex>& lock);
  void rest();
  void wait_awake(std::uint32_t seen, MonotonicInstant until) const;
  void run_lent(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_enough);

  SystemClock clock_;
  Span rest_;
  std::mutex mutex_;
  std::atomic<std::uint32_t> rings_{0};           // written under mutex_; its thread sleeps on it
  std::vector<Task> posted_;                      // under mutex_
  TimerQueue timers_;                             // under mutex_
  std::uint64_t timer_id_next_ = 1;               // under mutex_
  bool asleep_ = false;                           // under mutex_: its thread sleeps, or is about to
  bool is_resting_ = false;                       // under mutex_: only stop() wakes its thread
  bool is_lent_ = false;                          // under mutex_: another thread runs the callbacks
  std::optional<MonotonicInstant> sleeps_until_;  // under mutex_; none: for a ring alone
  std::atomic<bool> stop_{false};  // written under mutex_, read without between callbacks

  // Only the running thread touches these, its own or the one it is lent to: the round at hand.
  std::vector<Task> batch_;
  std::size_t batch_next_ = 0;
  MonotonicInstant round_now_;
  bool lingers_ = false;                  // before the next sleep
  bool slept_shortly_ = false;            // when it last could have lingered
  std::uint64_t round_timer_id_end_ = 0;  // timers made during the round wait for the next one
};

}  // namespace muster
