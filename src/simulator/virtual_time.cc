// SPDX-License-Identifier: Apache-2.0
#include "simulator/virtual_time.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace muster::simulator {

// With a seed: any of the executors whose first task is due at the earliest instant.
std::set<VirtualTime::Head>::iterator VirtualTime::choose() {
  const auto first = heads_.begin();
  if (!shuffle_) return first;
  const auto later =
      std::find_if(first, heads_.end(), [&](const Head& head) { return head.due != first->due; });
  const auto together = static_cast<std::uint64_t>(std::distance(first, later));
  if (together == 1) return first;
  return std::next(first, static_cast<std::ptrdiff_t>(shuffle_->below(together)));
}

bool VirtualTime::step() {
  CHECK(!stepping_, "a task may not run the simulation that runs it");
  if (heads_.empty()) return false;
  const Head head = *choose();
  head.executor->withdraw();
  Task task = head.executor->tasks_.take_head();
  head.executor->announce();
  now_ = std::max(now_, head.due);
  ++steps_;
  stepping_ = true;
  task();
  task = nullptr;
  stepping_ = false;
  return true;
}

bool VirtualTime::run_until_idle(std::uint64_t limit) {
  for (std::uint64_t n = 0; n < limit; ++n) {
    if (!step()) return true;
  }
  return heads_.empty();
}

void VirtualTime::run_for(Span span) {
  const MonotonicInstant end = now_ + span;
  while (!heads_.empty() && heads_.begin()->due <= end) step();
  now_ = std::max(now_, end);
}

bool VirtualTime::run_until(UniqueFunction<bool()> condition) {
  while (!condition()) {
    if (!step()) return false;
  }
  return true;
}

void VirtualExecutor::post(Task task) {
  post_at(time_.now(), std::move(task));
}

TimerId VirtualExecutor::post_at(MonotonicInstant due, Task task) {
  const std::uint64_t id = time_.id_next_++;
  withdraw();
  tasks_.add(std::max(due, time_.now()), id, std::move(task));
  announce();
  return {id};
}

void VirtualExecutor::cancel(TimerId timer) {
  withdraw();
  const Task dropped = tasks_.cancel(timer.value);
  announce();
}

// What a dropped task owns may post again when it is destroyed.
void VirtualExecutor::drop_all() {
  while (!tasks_.empty()) {
    withdraw();
    TimerQueue dropped;
    std::swap(dropped, tasks_);
  }
}

void VirtualExecutor::withdraw() {
  if (!tasks_.empty()) time_.heads_.erase({tasks_.head().due, tasks_.head().id, this});
}

void VirtualExecutor::announce() {
  if (!tasks_.empty()) time_.heads_.insert({tasks_.head().due, tasks_.head().id, this});
}

}  // namespace muster::simulator
