// SPDX-License-Identifier: Apache-2.0
#include "base/os/event_loop.h"

#include <chrono>
#include <utility>

namespace muster {

namespace {

// libstdc++ counts steady_clock from the origin of CLOCK_MONOTONIC and waits on that clock.
std::chrono::steady_clock::time_point steady(MonotonicInstant instant) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(instant.nanoseconds));
}

}  // namespace

// A dropped task may own something whose destructor posts again; drop until nothing comes.
EventLoop::~EventLoop() {
  batch_.clear();
  while (true) {
    std::vector<Task> posted;
    TimerQueue timers;
    {
      const std::lock_guard lock(mutex_);
      posted.swap(posted_);
      std::swap(timers, timers_);
    }
    if (posted.empty() && timers.empty()) return;
  }
}

// The notifications stay under the lock: a callback may lead to the end of this loop while the
// thread that posted it is still inside, and then there would be nothing left to notify.
void EventLoop::post(Task task) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(task));
  if (std::exchange(asleep_, false)) wake_.notify_one();
}

TimerId EventLoop::post_at(MonotonicInstant due, Task task) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = timer_id_next_++;
  timers_.add(due, id, std::move(task));
  const bool first = timers_.head().id == id;
  if (first && std::exchange(asleep_, false)) wake_.notify_one();
  return {id};
}

void EventLoop::cancel(TimerId timer) {
  Task dropped;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  dropped = timers_.cancel(timer.value);
}

void EventLoop::stop() {
  const std::lock_guard lock(mutex_);
  stop_.store(true, std::memory_order_relaxed);
  if (std::exchange(asleep_, false)) wake_.notify_one();
}

void EventLoop::run() {
  do {
    run_batch();
    run_due_timers();
  } while (wait_for_round());
}

void EventLoop::run_batch() {
  while (batch_next_ < batch_.size() && !stop_.load(std::memory_order_relaxed)) {
    // Moved out first, so that what the task owns is gone before the next one runs.
    Task task = std::move(batch_[batch_next_++]);
    task();
  }
}

// One by one and each under the lock, because a callback may cancel those that follow it.
void EventLoop::run_due_timers() {
  while (!stop_.load(std::memory_order_relaxed)) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (timers_.empty()) return;
      const auto& head = timers_.head();
      if (head.due > round_now_ || head.id >= round_timer_id_end_) return;
      task = timers_.take_head();
    }
    task();
  }
}

// False when it is time to return from run().
bool EventLoop::wait_for_round() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (stop_.load(std::memory_order_relaxed)) {
      stop_.store(false, std::memory_order_relaxed);
      return false;
    }
    // The clock is read only when somebody waits for it.
    const bool timers = !timers_.empty();
    if (timers) round_now_ = clock_.monotonic();
    if (!posted_.empty() || (timers && timers_.head().due <= round_now_)) {
      batch_.clear();
      batch_next_ = 0;
      batch_.swap(posted_);
      round_timer_id_end_ = timer_id_next_;
      return true;
    }
    asleep_ = true;
    if (timers) {
      wake_.wait_until(lock, steady(timers_.head().due));
    } else {
      wake_.wait(lock);
    }
    asleep_ = false;
  }
}

}  // namespace muster
