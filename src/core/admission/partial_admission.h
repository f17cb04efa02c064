// search_counts(): the largest numbers of pods with which a workload can start that may start with
// fewer than it asks for. All pod sets with a minCount shrink together, each by the same share of
// what it can spare.
//
//   auto found = search_counts<Nomination>(workload, [&](std::span<const std::int64_t> counts) …
//
// Assumes: who fits with some numbers fits with smaller ones. Where that is not so the answer is
// that of the bisection that Kueue makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/model/read_workload.h"

namespace muster::core {

// How far a workload can be reduced: step 0 is all pods, the last step the minimum everywhere.
class ReducedCounts {
 public:
  explicit ReducedCounts(const Workload& workload);

  std::int64_t steps() const { return steps_; }
  std::span<const std::int64_t> at(std::int64_t step);

 private:
  std::vector<std::int64_t> full_;
  std::vector<std::int64_t> spare_;
  std::vector<std::int64_t> counts_;
  std::int64_t steps_ = 0;
};

template <class Answer, class Try>
std::optional<Answer> search_counts(const Workload& workload, Try&& try_counts) {
  ReducedCounts reduced(workload);
  if (reduced.steps() <= 0) return std::nullopt;
  std::optional<Answer> best;
  std::int64_t low = 0;
  std::int64_t high = reduced.steps() + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    std::optional<Answer> answer = try_counts(reduced.at(middle));
    if (answer) {
      best = std::move(answer);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return best;
}

}  // namespace muster::core
