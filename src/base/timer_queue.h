// TimerQueue: tasks waiting for an instant, in the order (due, id). The ids come from the owner,
// rise with every add and so make the order total. A cancelled task is handed back, because its
// destructor may call anything: an owner with a lock drops it after the lock.
//
//   timers.add(due, id, std::move(task));
//   while (!timers.empty() && timers.head().due <= now) timers.take_head()();
//
// Assumes: one thread at a time. O(log n) for each call; nothing of a cancelled task remains.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "base/executor.h"

namespace muster {

class TimerQueue {
 public:
  struct Key {
    MonotonicInstant due;
    std::uint64_t id = 0;
    friend constexpr auto operator<=>(const Key&, const Key&) = default;
  };

  void add(MonotonicInstant due, std::uint64_t id, Task task);

  // The task that will not run; empty when the id is unknown or past.
  Task cancel(std::uint64_t id);

  bool empty() const { return tasks_.empty(); }
  std::size_t size() const { return tasks_.size(); }

  // Both need a queue that is not empty.
  const Key& head() const;
  Task take_head();

 private:
  std::map<Key, Task> tasks_;
  std::unordered_map<std::uint64_t, MonotonicInstant> due_;  // where to find an id in tasks_
};

}  // namespace muster
