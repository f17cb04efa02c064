// Executor: runs callbacks one at a time, in the order they were posted, on one thread. Every
// component is a set of such callbacks; none sleeps, blocks or locks. Real executors are event
// loops whose run() main/ calls on a thread it made; the simulated one runs on virtual time.
//
//   executor.post([this] { flush(); });
//   auto timer = executor.post_at(clock.monotonic() + Span::of_seconds(5), [this] { expire(); });
//   executor.cancel(timer);
//
// Assumes: post, post_at and cancel may be called from any thread; callbacks due at the same
// instant run in the order of their post_at; a callback may post, cancel and stop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/instant.h"
#include "base/unique_function.h"

namespace muster {

using Task = UniqueFunction<void()>;

// Names one pending post_at. Never reused.
struct TimerId {
  std::uint64_t value = 0;
  friend constexpr bool operator==(TimerId, TimerId) = default;
};

class Executor {
 public:
  virtual ~Executor() = default;

  virtual void post(Task task) = 0;
  virtual TimerId post_at(MonotonicInstant due, Task task) = 0;

  // Forgets the callback if it has not started. Unknown and past ids are ignored.
  virtual void cancel(TimerId timer) = 0;
};

}  // namespace muster
