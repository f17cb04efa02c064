// SeededRandom: xoshiro256** (Blackman and Vigna 2018), its 256 bits of state filled from the seed
// by splitmix64. Integer arithmetic only, so a seed gives the same values with every compiler and
// on every machine. Not fit for secrets.
//
//   SeededRandom random(seed);
//   SeededRandom network = random.split();   // a stream of its own: adding a draw here
//                                            // does not shift the draws there
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"

namespace muster::simulator {

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);

  std::uint64_t next() override;

  // The bytes of next(), lowest first; an unfinished value is thrown away.
  void fill(std::span<std::byte> bytes) override;

  SeededRandom split() { return SeededRandom(next()); }

  // True once in `n` draws on average.
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace muster::simulator
