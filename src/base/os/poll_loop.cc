// SPDX-License-Identifier: Apache-2.0
#include "base/os/poll_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "base/check.h"

namespace muster {

namespace {

constexpr std::uint64_t event_watch = 0;  // the id of the descriptor that only wakes
constexpr std::size_t events_max = 64;    // of one round; the rest comes in the next

timespec until(MonotonicInstant due, MonotonicInstant now) {
  const std::int64_t rest = std::max<std::int64_t>(0, due.nanoseconds - now.nanoseconds);
  return {.tv_sec = rest / 1'000'000'000, .tv_nsec = rest % 1'000'000'000};
}

}  // namespace

PollLoop::PollLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(epoll_ && event_, "a process without two free descriptors cannot work");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = event_watch;
  CHECK(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, event_.number(), &event) == 0);
}

// A dropped task may own something whose destructor posts or unwatches; drop until nothing comes.
PollLoop::~PollLoop() {
  while (!watches_.empty()) {
    const auto dropped = std::move(watches_);
    watches_.clear();
  }
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

void PollLoop::post(Task task) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(task));
  if (std::exchange(asleep_, false)) wake();
}

TimerId PollLoop::post_at(MonotonicInstant due, Task task) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = timer_id_next_++;
  timers_.add(due, id, std::move(task));
  const bool first = timers_.head().id == id;
  if (first && std::exchange(asleep_, false)) wake();
  return {id};
}

void PollLoop::cancel(TimerId timer) {
  Task dropped;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  dropped = timers_.cancel(timer.value);
}

void PollLoop::stop() {
  const std::lock_guard lock(mutex_);
  stop_.store(true, std::memory_order_relaxed);
  if (std::exchange(asleep_, false)) wake();
}

// A full counter means that it is awake already.
void PollLoop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.number(), &one, sizeof one);
}

namespace {

std::uint32_t events_of(Interest interest) {
  switch (interest) {
    case Interest::readable:
      return EPOLLIN;
    case Interest::writable:
      return EPOLLOUT;
    case Interest::both:
      return EPOLLIN | EPOLLOUT;
    case Interest::neither:
      return 0;
  }
  return 0;
}

}  // namespace

WatchId PollLoop::watch(int descriptor, Interest interest, Task ready) {
  const std::uint64_t id = watch_id_next_++;
  epoll_event event{};
  event.events = events_of(interest);
  event.data.u64 = id;
  const int outcome = ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event);
  CHECK(outcome == 0, "watched twice, or nothing that can be watched");
  watches_.emplace(id, std::make_shared<Watch>(Watch{descriptor, std::move(ready)}));
  return {id};
}

void PollLoop::rewatch(WatchId watch, Interest interest) {
  const auto found = watches_.find(watch.value);
  if (found == watches_.end()) return;
  epoll_event event{};
  event.events = events_of(interest);
  event.data.u64 = watch.value;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, found->second->descriptor, &event);
}

void PollLoop::unwatch(WatchId watch) {
  const auto found = watches_.find(watch.value);
  if (found == watches_.end()) return;
  const auto dropped = std::move(found->second);  // outlives the entry: its end may unwatch others
  watches_.erase(found);
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, dropped->descriptor, nullptr);
}

void PollLoop::run() {
  while (!stop_.load(std::memory_order_relaxed)) {
    run_posted();
    run_due_timers();
    if (!stop_.load(std::memory_order_relaxed)) wait_and_dispatch();
  }
  stop_.store(false, std::memory_order_relaxed);
}

void PollLoop::run_posted() {
  std::vector<Task> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(posted_);
  }
  std::size_t next = 0;
  while (next < batch.size() && !stop_.load(std::memory_order_relaxed)) {
    Task task = std::move(batch[next++]);
    task();
  }
  if (next == batch.size()) return;
  // Stopped in between: what did not start goes first when the loop runs again.
  const std::lock_guard lock(mutex_);
  posted_.insert(posted_.begin(),
                 std::make_move_iterator(batch.begin() + static_cast<std::ptrdiff_t>(next)),
                 std::make_move_iterator(batch.end()));
}

// One by one and each under the lock, because a callback may cancel those that follow it. Timers
// made meanwhile wait for the next round, so that descriptors get their turn.
void PollLoop::run_due_timers() {
  const MonotonicInstant now = clock_.monotonic();
  std::uint64_t id_end = 0;
  {
    const std::lock_guard lock(mutex_);
    id_end = timer_id_next_;
  }
  while (!stop_.load(std::memory_order_relaxed)) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (timers_.empty()) return;
      const auto& head = timers_.head();
      if (head.due > now || head.id >= id_end) return;
      task = timers_.take_head();
    }
    task();
  }
}

void PollLoop::wait_and_dispatch() {
  timespec wait{};
  const timespec* timeout = &wait;
  {
    const std::lock_guard lock(mutex_);
    if (posted_.empty() && !stop_.load(std::memory_order_relaxed)) {
      asleep_ = true;
      if (timers_.empty()) {
        timeout = nullptr;
      } else {
        wait = until(timers_.head().due, clock_.monotonic());
      }
    }
  }
  std::array<epoll_event, events_max> events{};
  const int count = ::epoll_pwait2(epoll_.number(), events.data(), events_max, timeout, nullptr);
  CHECK(count >= 0 || errno == EINTR, "epoll waits or is interrupted");
  {
    const std::lock_guard lock(mutex_);
    asleep_ = false;
  }
  // After stop() none starts; what is ready stays so for the next run().
  for (int i = 0; i < count && !stop_.load(std::memory_order_relaxed); ++i) {
    const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
    if (id == event_watch) {
      std::uint64_t counter = 0;
      [[maybe_unused]] const auto got = ::read(event_.number(), &counter, sizeof counter);
      continue;
    }
    const auto found = watches_.find(id);  // gone when an earlier callback dropped it
    if (found == watches_.end()) continue;
    const std::shared_ptr<Watch> kept = found->second;
    kept->ready();
  }
}

}  // namespace muster
