// Figures that say how near we are to what the machine can do: our way and a named limit are run
// alternately, five times each, in one process, so that both see the same neighbours; the medians
// and their ratio are printed. A ratio of 1 is the limit itself.
//
//   compare("post and run", 1'000'000, [] { … }, "bare vector of tasks", [] { … });
//
//   post and run                               41.2 ns   bare vector of tasks    30.9 ns   0.75
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/os/system_clock.h"

namespace muster::bench {

inline constexpr std::size_t rounds = 5;

template <class Body>
double nanoseconds_per_item(std::uint64_t items, Body& body) {
  SystemClock clock;
  const MonotonicInstant start = clock.monotonic();
  body();
  return static_cast<double>((clock.monotonic() - start).nanoseconds) / static_cast<double>(items);
}

inline std::string human_nanoseconds(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.1f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.2f} us", nanoseconds / 1e3);
  return fmt::format("{:.2f} ms", nanoseconds / 1e6);
}

// Both bodies do the same number of items. Returns the ratio.
template <class Ours, class Limit>
double compare(std::string_view what, std::uint64_t items, Ours ours, std::string_view limit_name,
               Limit limit) {
  std::array<double, rounds> our_times{};
  std::array<double, rounds> limit_times{};
  for (std::size_t round = 0; round < rounds; ++round) {
    limit_times[round] = nanoseconds_per_item(items, limit);
    our_times[round] = nanoseconds_per_item(items, ours);
  }
  std::sort(our_times.begin(), our_times.end());
  std::sort(limit_times.begin(), limit_times.end());
  const double our_median = our_times[rounds / 2];
  const double limit_median = limit_times[rounds / 2];
  fmt::print("{:<44} {:>10}   {:<34} {:>10}   {:.2f}\n", what, human_nanoseconds(our_median),
             limit_name, human_nanoseconds(limit_median), limit_median / our_median);
  return limit_median / our_median;
}

}  // namespace muster::bench
