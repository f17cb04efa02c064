// StockedRandom: another Random, asked for many values at once: each question to the operating
// system costs more than the name that is made of its answer. For uids, names and addresses. What
// was handed out is wiped; what will be lies in memory until then, so keys and passwords come from
// the source itself, and a process that was forked must have a stock of its own.
//
//   SystemRandom system;
//   StockedRandom random(system);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/random.h"

namespace muster {

class StockedRandom final : public Random {
 public:
  explicit StockedRandom(Random& source) : source_(source) {}

  std::uint64_t next() override;
  void fill(std::span<std::byte> bytes) override;

 private:
  Random& source_;
  std::array<std::byte, 1'024> stock_{};
  std::size_t taken_ = stock_.size();
};

}  // namespace muster
