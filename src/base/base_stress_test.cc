// SPDX-License-Identifier: Apache-2.0
//
// What may be called from any thread, called from many at once: for ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"

namespace muster {
namespace {

constexpr int thread_count = 4;
constexpr int round_count = 5'000;

class LockedLog final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace(line);
  }
  std::size_t size() const { return lines_.size(); }

 private:
  std::mutex mutex_;
  std::multiset<std::string> lines_;
};

class CountingClock final : public Clock {
 public:
  Instant wall() const override { return {ticks_.fetch_add(1)}; }
  MonotonicInstant monotonic() const override { return {ticks_.fetch_add(1)}; }

 private:
  mutable std::atomic<std::int64_t> ticks_ = 0;
};

template <class Body>
void on_all_threads(Body body) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back([&body, i] { body(i); });
}

TEST(MetricsStress, handles_count_while_the_owner_adds_removes_and_prints) {
  MetricRegistry registry;
  const Counter counter = registry.counter({"c_total", "C."}).must().single();
  const Histogram histogram = registry.histogram({"h", "H."}, {1, 2}).must().single();
  const auto gauges = registry.gauge({"g", "G.", {"queue"}}).must();
  const Gauge gauge = gauges.with({"kept"});
  const Gauge removed = gauges.with({"removed"});
  std::jthread updates([&] {
    on_all_threads([&](int) {
      for (int round = 0; round < round_count; ++round) {
        counter.increment();
        counter.add(0.5);
        gauge.add(1);
        removed.set(round);
        histogram.observe(round % 3);
      }
    });
  });
  gauges.remove({"removed"});
  for (int i = 0; i < 100; ++i) {
    gauges.with({std::to_string(i)}).set(i);
    EXPECT_FALSE(registry.to_text().empty());
  }
  updates.join();
  EXPECT_EQ(counter.value(), thread_count * round_count * 1.5);
  EXPECT_EQ(gauge.value(), thread_count * round_count);
  EXPECT_EQ(histogram.count(), static_cast<std::uint64_t>(thread_count * round_count));
}

TEST(LogStress, handles_write_whole_lines_while_the_level_changes) {
  LockedLog lines;
  const CountingClock clock;
  const Log log(lines, clock, {.level = LogLevel::info, .format = LogFormat::json});
  on_all_threads([&](int thread) {
    const Log child = log.child("worker");
    for (int round = 0; round < round_count / 10; ++round) {
      child.info("step", {{"thread", thread}, {"round", round}});
      log.set_level(round % 2 == 0 ? LogLevel::info : LogLevel::debug);
      child.error("failed", {{"error", Error::internal("disk")}});
    }
  });
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(2 * thread_count * round_count / 10));
}

}  // namespace
}  // namespace muster
