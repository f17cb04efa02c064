// SPDX-License-Identifier: Apache-2.0
#include "main/on_threads.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace muster {

namespace {

// Beyond that the memory they fill is what they wait for.
constexpr std::size_t threads_max = 4;

}  // namespace

void on_threads(std::size_t count, const Piece& piece) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) piece(i);
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min({count, processors, threads_max}); ++i) {
    others.emplace_back(work);
  }
  work();
}

}  // namespace muster
