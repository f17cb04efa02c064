// PollLoop: an Executor that also watches descriptors, run by a thread that somebody else made. It
// is the loop of what talks to the kernel all day: sockets, pipes, processes that may end.
//
//   PollLoop loop;
//   const WatchId watch = loop.watch(socket.number(), Interest::readable, [&] { take(); });
//   std::jthread thread([&] { loop.run(); });        // in main/ or in a test
//   loop.unwatch(watch);                             // before the descriptor is closed
//
// Assumes: post, post_at, cancel and stop from any thread; watch and unwatch only on the thread
// that runs the loop, or while nobody runs it. A watch is level-triggered: the callback is called
// again until it has taken what there is. It may unwatch itself and others.
//
//            post, timer, descriptor       stop()
//   asleep ───────────────────────► round ───────► run() returns
//      ▲                              │
//      └────── nothing is left ───────┘
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/executor.h"
#include "base/os/descriptor.h"
#include "base/os/system_clock.h"
#include "base/timer_queue.h"

namespace muster {

// Names one watch. Never reused; zero names none.
struct WatchId {
  std::uint64_t value = 0;
  friend constexpr bool operator==(WatchId, WatchId) = default;
};

// A closed other end wakes all of them, also the last.
enum class Interest : std::uint8_t { readable, writable, both, neither };

class PollLoop final : public Executor {
 public:
  PollLoop();
  PollLoop(const PollLoop&) = delete;
  PollLoop& operator=(const PollLoop&) = delete;

  // Not while run() runs. What did not start is dropped.
  ~PollLoop() override;

  void post(Task task) override;
  TimerId post_at(MonotonicInstant due, Task task) override;
  void cancel(TimerId timer) override;

  // One watch a descriptor: a second one for the same is a bug.
  WatchId watch(int descriptor, Interest interest, Task ready);
  void rewatch(WatchId watch, Interest interest);
  void unwatch(WatchId watch);

  // Runs callbacks on the calling thread until stop(). May be called again afterwards.
  void run();
  void stop();

 private:
  struct Watch {
    int descriptor;
    Task ready;
  };

  void run_posted();
  void run_due_timers();
  void wait_and_dispatch();
  void wake();

  SystemClock clock_;
  Descriptor epoll_;
  Descriptor event_;  // written to end a sleep
  std::mutex mutex_;
  std::vector<Task> posted_;         // under mutex_
  TimerQueue timers_;                // under mutex_
  std::uint64_t timer_id_next_ = 1;  // under mutex_
  bool asleep_ = false;              // under mutex_: a post must wake the loop
  std::atomic<bool> stop_{false};

  // Only the running thread touches these. Shared, because a callback may unwatch itself.
  std::map<std::uint64_t, std::shared_ptr<Watch>> watches_;
  std::uint64_t watch_id_next_ = 1;
};

}  // namespace muster
