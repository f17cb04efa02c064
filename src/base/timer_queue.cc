// SPDX-License-Identifier: Apache-2.0
#include "base/timer_queue.h"

#include <utility>

#include "base/check.h"

namespace muster {

void TimerQueue::add(MonotonicInstant due, std::uint64_t id, Task task) {
  const bool fresh = due_.emplace(id, due).second;
  CHECK(fresh, "a timer id is used once");
  tasks_.emplace(Key{due, id}, std::move(task));
}

Task TimerQueue::cancel(std::uint64_t id) {
  const auto known = due_.find(id);
  if (known == due_.end()) return nullptr;
  auto node = tasks_.extract(Key{known->second, id});
  due_.erase(known);
  return std::move(node.mapped());
}

const TimerQueue::Key& TimerQueue::head() const {
  CHECK(!tasks_.empty());
  return tasks_.begin()->first;
}

Task TimerQueue::take_head() {
  CHECK(!tasks_.empty());
  auto node = tasks_.extract(tasks_.begin());
  due_.erase(node.key().id);
  return std::move(node.mapped());
}

}  // namespace muster
