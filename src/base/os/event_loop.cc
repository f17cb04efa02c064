// SPDX-License-Identifier: Apache-2.0
#include "base/os/event_loop.h"

#include <sched.h>

#include <utility>

#include "base/os/futex.h"

namespace muster {

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

// Under the lock; true: wake_sleeper() is due once it is released. That call touches nothing of
// this loop, which may have ended meanwhile: a callback may lead to its end while the thread that
// posted it is still here. Whoever it is lent to looks by itself for what came.
bool EventLoop::rouse() {
  if (is_lent_ || !std::exchange(asleep_, false)) return false;
  rings_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void EventLoop::post(Task task) {
  const std::atomic<std::uint32_t>* const bell = &rings_;
  bool must_wake = false;
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
    must_wake = rouse();
  }
  if (must_wake) wake_sleeper(bell);
}

TimerId EventLoop::post_at(MonotonicInstant due, Task task) {
  const std::atomic<std::uint32_t>* const bell = &rings_;
  bool must_wake = false;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = timer_id_next_++;
    timers_.add(due, id, std::move(task));
    must_wake = timers_.head().id == id && rouse();
  }
  if (must_wake) wake_sleeper(bell);
  return {id};
}

void EventLoop::cancel(TimerId timer) {
  Task dropped;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  dropped = timers_.cancel(timer.value);
}

void EventLoop::stop() {
  const std::atomic<std::uint32_t>* const bell = &rings_;
  bool must_wake = false;
  {
    const std::lock_guard lock(mutex_);
    stop_.store(true, std::memory_order_relaxed);
    must_wake = rouse() || is_resting_;
    if (is_resting_) rings_.fetch_add(1, std::memory_order_relaxed);
  }
  if (must_wake) wake_sleeper(bell);
}

bool EventLoop::post_or_run(Task task, const std::function<bool()>& is_enough) {
  const std::atomic<std::uint32_t>* const bell = &rings_;
  bool must_wake = false;
  bool runs = false;
  {
    std::unique_lock lock(mutex_);
    runs = asleep_ && !is_lent_ && posted_.empty() && !stop_.load(std::memory_order_relaxed);
    posted_.push_back(std::move(task));
    if (runs) run_lent(lock, is_enough);
    const bool sleeps_too_long =
        !timers_.empty() && (!sleeps_until_ || timers_.head().due < *sleeps_until_);
    const bool is_something_left =
        !posted_.empty() || sleeps_too_long || stop_.load(std::memory_order_relaxed);
    must_wake = is_something_left && rouse();
  }
  if (must_wake) wake_sleeper(bell);
  return runs;
}

// Its own thread sleeps on, whatever is posted, until the caller looks what is left.
void EventLoop::run_lent(std::unique_lock<std::mutex>& lock,
                         const std::function<bool()>& is_enough) {
  is_lent_ = true;
  do {
    take_round();
    lock.unlock();
    run_batch();
    const bool enough = is_enough();
    lock.lock();
    if (enough) break;
  } while (!posted_.empty() && !stop_.load(std::memory_order_relaxed));
  is_lent_ = false;
}

bool EventLoop::has_posted() {
  const std::lock_guard lock(mutex_);
  return !posted_.empty() || batch_next_ < batch_.size();
}

void EventLoop::run() {
  do {
    run_batch();
    run_due_timers();
    if (rest_ > Span()) rest();
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

// Under the lock, as the next two. The clock is read only when somebody waits for it.
bool EventLoop::is_due() {
  if (!timers_.empty()) round_now_ = clock_.monotonic();
  return !posted_.empty() || (!timers_.empty() && timers_.head().due <= round_now_);
}

void EventLoop::take_round() {
  batch_.clear();
  batch_next_ = 0;
  batch_.swap(posted_);
  round_timer_id_end_ = timer_id_next_;
}

void EventLoop::sleep(std::unique_lock<std::mutex>& lock) {
  asleep_ = true;
  sleeps_until_.reset();
  if (!is_lent_ && !timers_.empty()) sleeps_until_ = timers_.head().due;
  const std::optional<MonotonicInstant> until = sleeps_until_;
  const std::uint32_t seen = rings_.load(std::memory_order_relaxed);
  lock.unlock();
  if (std::exchange(lingers_, false)) {
    const MonotonicInstant began = clock_.monotonic();
    if (slept_shortly_) wait_awake(seen, began + linger_max);
    sleep_while(rings_, seen, until);
    slept_shortly_ = clock_.monotonic() - began < linger_max;
  } else {
    sleep_while(rings_, seen, until);
  }
  lock.lock();
  asleep_ = false;
}

void EventLoop::rest() {
  std::unique_lock lock(mutex_);
  if (stop_.load(std::memory_order_relaxed)) return;
  is_resting_ = true;
  const std::uint32_t seen = rings_.load(std::memory_order_relaxed);
  lock.unlock();
  sleep_while(rings_, seen, clock_.monotonic() + rest_);
  lock.lock();
  is_resting_ = false;
}

// Whoever else wants the core gets it.
void EventLoop::wait_awake(std::uint32_t seen, MonotonicInstant until) const {
  while (rings_.load(std::memory_order_relaxed) == seen && clock_.monotonic() < until) {
    ::sched_yield();
  }
}

// False when it is time to return from run().
bool EventLoop::wait_for_round() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!is_lent_) {
      if (stop_.load(std::memory_order_relaxed)) {
        stop_.store(false, std::memory_order_relaxed);
        return false;
      }
      if (is_due()) {
        take_round();
        return true;
      }
    }
    sleep(lock);
  }
}

}  // namespace muster
