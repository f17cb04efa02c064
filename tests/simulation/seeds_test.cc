// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/os/system_clock.h"
#include "simulator/house/run_seed.h"

namespace muster::simulator {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Tally {
  std::atomic<std::uint64_t> next;
  std::atomic<std::uint64_t> done = 0;
  std::atomic<std::int64_t> simulated_nanoseconds = 0;
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, Outcome>> failures;
};

void work(Tally& tally, std::uint64_t end, const Clock& clock, MonotonicInstant until) {
  for (std::uint64_t seed = tally.next++; seed < end; seed = tally.next++) {
    if (clock.monotonic() >= until) return;
    const Outcome outcome = run_seed(seed);
    ++tally.done;
    tally.simulated_nanoseconds += outcome.simulated.nanoseconds;
    if (outcome.is_well()) continue;
    const std::lock_guard guard(tally.mutex);
    tally.failures.emplace_back(seed, outcome);
  }
}

// Shrinking a failure can take an hour under the sanitizers: `muster simulate` does it.
void expect_well(std::uint64_t first, std::uint64_t count,
                 const char* seconds_name = "MUSTER_SIMULATION_SECONDS") {
  Tally tally;
  tally.next = first;
  const SystemClock clock;
  const MonotonicInstant began = clock.monotonic();
  const auto seconds = number_from(seconds_name, std::uint64_t{86'400});
  const MonotonicInstant until = began + Span::of_seconds(static_cast<std::int64_t>(seconds));
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back([&] { work(tally, first + count, clock, until); });
    }
  }
  const double took = static_cast<double>((clock.monotonic() - began).nanoseconds) / 1e9;
  const std::uint64_t done = tally.done;
  fmt::print("{} of {} seeds in {:.1f} s: {:.2f} seeds/s, {:.0f} times real time\n", done, count,
             took, static_cast<double>(done) / took,
             static_cast<double>(tally.simulated_nanoseconds) / 1e9 / took);
  for (const auto& [seed, outcome] : tally.failures) {
    ADD_FAILURE() << fmt::format("seed {}: {} is broken: {}\nmuster simulate --seed {}", seed,
                                 outcome.invariant, outcome.message, seed);
  }
}

// MUSTER_SIMULATION_SEEDS and MUSTER_SIMULATION_FIRST say how many and from where; no more begin
// after MUSTER_SIMULATION_SECONDS. The wild and the short ones have a number of their own.
TEST(Seeds, no_seed_breaks_an_invariant) {
  expect_well(number_from("MUSTER_SIMULATION_FIRST", 1),
              number_from("MUSTER_SIMULATION_SEEDS", 20));
}

TEST(Seeds, no_wild_seed_breaks_an_invariant) {
  constexpr std::uint64_t wild_first = 1'000'001;
  expect_well(wild_first, number_from("MUSTER_SIMULATION_WILD_SEEDS", 4));
}

TEST(Seeds, no_short_seed_breaks_an_invariant) {
  constexpr std::uint64_t short_first = 2'000'001;
  expect_well(short_first, number_from("MUSTER_SIMULATION_SHORT_SEEDS", 40),
              "MUSTER_SIMULATION_SHORT_SECONDS");
}

TEST(Seeds, equal_queues_that_share_fairly_have_equal_shares) {
  constexpr std::uint64_t fair_first = 3'000'001;
  expect_well(fair_first, number_from("MUSTER_SIMULATION_FAIR_SEEDS", 10));
}

}  // namespace
}  // namespace muster::simulator
