// VirtualTime: the scheduler of a simulation. Several executors hang on one time line; a step runs
// the next task of all of them on the calling thread, and when nothing is due time jumps to the
// next due instant. So an hour takes as long as its callbacks, and a run repeats exactly.
//
//   VirtualTime time;
//   VirtualExecutor house(time), network(time);
//   VirtualClock clock(time);
//   house.post_at(clock.monotonic() + Span::of_seconds(3600), [&] { … });
//   time.run_until_idle();
//
// Assumes: one thread; tasks of one executor run in the order (due, posted), a due instant in the
// past counting as now. Tasks of different executors that are due together run in the order
// posted, or, given a seed, in an order drawn from it: real threads promise no more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/executor.h"
#include "base/timer_queue.h"
#include "simulator/seeded_random.h"

namespace muster::simulator {

class VirtualExecutor;

class VirtualTime {
 public:
  // Beyond this many steps run_until_idle gives up: two callbacks post each other for ever.
  static constexpr std::uint64_t steps_max = 100'000'000;

  VirtualTime() = default;
  explicit VirtualTime(std::uint64_t shuffle_seed) : shuffle_(shuffle_seed) {}
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  MonotonicInstant now() const { return now_; }

  // Runs one task, moving time to its due instant. False when no task is left.
  bool step();

  // Runs until no task is left, however far in the future the last one is due. False when
  // `limit` steps did not suffice.
  bool run_until_idle(std::uint64_t limit = steps_max);

  // Runs all that is due within the span, then moves time to its end.
  void run_for(Span span);

  // Runs step by step until the condition holds; false when no task is left before that.
  bool run_until(UniqueFunction<bool()> condition);

  // How many tasks ran so far: equal counts of two runs are a cheap sign that they are the same.
  std::uint64_t steps() const { return steps_; }

 private:
  friend class VirtualExecutor;

  struct Head {
    MonotonicInstant due;
    std::uint64_t id = 0;
    VirtualExecutor* executor = nullptr;
    friend bool operator<(const Head& a, const Head& b) {
      return a.due != b.due ? a.due < b.due : a.id < b.id;  // ids are unique on a time line
    }
  };

  std::set<Head>::iterator choose();

  // Not zero, so that code which takes an unset instant for a time in the past shows itself.
  MonotonicInstant now_ = {Span::of_seconds(1000).nanoseconds};
  std::uint64_t id_next_ = 1;
  std::uint64_t steps_ = 0;
  bool stepping_ = false;
  std::set<Head> heads_;  // the first task of each executor that has one
  std::optional<SeededRandom> shuffle_;
};

class VirtualExecutor final : public Executor {
 public:
  explicit VirtualExecutor(VirtualTime& time) : time_(time) {}
  VirtualExecutor(const VirtualExecutor&) = delete;
  VirtualExecutor& operator=(const VirtualExecutor&) = delete;
  ~VirtualExecutor() override { drop_all(); }

  void post(Task task) override;
  TimerId post_at(MonotonicInstant due, Task task) override;
  void cancel(TimerId timer) override;

  // Forgets everything that has not started, as the end of a process does.
  void drop_all();

  std::size_t pending() const { return tasks_.size(); }

 private:
  friend class VirtualTime;

  // Removes this executor's head from the time line, and puts the present one there.
  void withdraw();
  void announce();

  VirtualTime& time_;
  TimerQueue tasks_;
};

// The clock on the wall of a simulation. It may be set, as people and NTP do.
class VirtualClock final : public Clock {
 public:
  // 2026-01-01T00:00:00Z at the first instant of the time line.
  static constexpr Instant wall_at_start = {Span::of_seconds(1'767'225'600).nanoseconds};

  explicit VirtualClock(const VirtualTime& time)
      : time_(time), wall_offset_(wall_at_start - Instant{time.now().nanoseconds}) {}

  Instant wall() const override { return Instant{time_.now().nanoseconds} + wall_offset_; }
  MonotonicInstant monotonic() const override { return time_.now(); }

  void jump_wall(Span by) { wall_offset_ = wall_offset_ + by; }

 private:
  const VirtualTime& time_;
  Span wall_offset_;
};

}  // namespace muster::simulator
