// SPDX-License-Identifier: Apache-2.0
//
// The words that every object and every request use, beside the least that could do the same.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <charconv>
#include <string>
#include <string_view>

#include "base/captured_log.h"
#include "base/metrics.h"
#include "base/os/system_clock.h"
#include "base/quantity.h"
#include "base/timestamp.h"
#include "bench/measure.h"

namespace muster {
namespace {

constexpr std::uint64_t items = 1'000'000;

constexpr std::array<std::string_view, 8> quantity_texts{"8",   "1500m", "64Gi", "1.5",
                                                         "100", "250m",  "16Ki", "12e6"};

std::string_view text_of(std::uint64_t i) {
  return quantity_texts[i % quantity_texts.size()];
}

void measure_quantities() {
  bench::compare(
      "read a quantity", items,
      [] {
        for (std::uint64_t i = 0; i < items; ++i) {
          benchmark::DoNotOptimize(Quantity::parse(text_of(i))->sign());
        }
      },
      "std::from_chars of its digits",
      [] {
        for (std::uint64_t i = 0; i < items; ++i) {
          const std::string_view text = text_of(i);
          std::int64_t value = 0;
          std::from_chars(text.data(), text.data() + text.size(), value);
          benchmark::DoNotOptimize(value);
        }
      });
  const Quantity quantity = Quantity::parse("64Gi").must();
  bench::compare(
      "print a quantity", items,
      [&] {
        std::string out;
        for (std::uint64_t i = 0; i < items; ++i) {
          out.clear();
          quantity.append_to(out);
          benchmark::DoNotOptimize(out.data());
        }
      },
      "std::to_chars of its bytes",
      [] {
        std::array<char, 24> out{};
        for (std::uint64_t i = 0; i < items; ++i) {
          std::to_chars(out.data(), out.data() + out.size(), 68'719'476'736 + i);
          benchmark::DoNotOptimize(out.data());
        }
      });
}

void measure_metrics_and_log() {
  MetricRegistry registry;
  const Counter counter = registry.counter({"bench_total", "Bench."}).must().single();
  std::atomic<std::uint64_t> bare = 0;
  bench::compare(
      "increment a counter", items,
      [&] {
        for (std::uint64_t i = 0; i < items; ++i) counter.increment();
      },
      "bare atomic addition",
      [&] {
        for (std::uint64_t i = 0; i < items; ++i) bare.fetch_add(1, std::memory_order_relaxed);
      });
  CapturedLog lines;
  const SystemClock clock;
  const Log log(lines, clock, {.level = LogLevel::info});
  std::atomic<int> level = 1;
  bench::compare(
      "log below the level", items,
      [&] {
        for (std::uint64_t i = 0; i < items; ++i) log.debug("hidden", {{"i", i}});
      },
      "load and compare",
      [&] {
        for (std::uint64_t i = 0; i < items; ++i) {
          benchmark::DoNotOptimize(level.load(std::memory_order_relaxed) > 1);
        }
      });
}

}  // namespace
}  // namespace muster

int main() {
  muster::measure_quantities();
  muster::measure_metrics_and_log();
  return 0;
}
