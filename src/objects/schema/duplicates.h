// find_duplicates: which of a number of things occurred before, in time that does not grow with
// the square of their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace muster::objects {

// Calls found(i) for each i that has exactly one equal before it: a third one is not said again.
template <class Hash, class Same, class Found>
void find_duplicates(std::size_t count, Hash hash, Same same, Found found) {
  constexpr std::size_t pairwise_max = 24;
  if (count <= pairwise_max) {
    for (std::size_t i = 1; i < count; ++i) {
      std::size_t equals = 0;
      for (std::size_t j = 0; j < i; ++j) equals += same(i, j) ? std::size_t{1} : std::size_t{0};
      if (equals == 1) found(i);
    }
    return;
  }
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> buckets;
  buckets.reserve(count);
  std::vector<std::uint8_t> reported(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t>& bucket = buckets[hash(i)];
    bool known = false;
    for (const std::size_t j : bucket) {
      if (!same(i, j)) continue;
      known = true;
      if (reported[j] == 0) found(i);
      reported[j] = 1;
      break;
    }
    if (!known) bucket.push_back(i);
  }
}

}  // namespace muster::objects
