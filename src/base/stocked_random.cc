// SPDX-License-Identifier: Apache-2.0
#include "base/stocked_random.h"

#include <algorithm>
#include <span>

namespace muster {

std::uint64_t StockedRandom::next() {
  std::uint64_t value = 0;
  fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void StockedRandom::fill(std::span<std::byte> bytes) {
  if (bytes.size() > stock_.size()) return source_.fill(bytes);
  if (bytes.size() > stock_.size() - taken_) {
    source_.fill(stock_);
    taken_ = 0;
  }
  const auto given = std::span(stock_).subspan(taken_, bytes.size());
  std::copy(given.begin(), given.end(), bytes.begin());
  std::fill(given.begin(), given.end(), std::byte{0});
  taken_ += bytes.size();
}

}  // namespace muster
