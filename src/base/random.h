// Random: where uids, generated names and jitter come from. The real one is seeded by the
// operating system and fit for tokens; the simulated one by a number, so that a run repeats.
// Not shared between threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

class Random {
 public:
  virtual ~Random() = default;

  virtual std::uint64_t next() = 0;
  virtual void fill(std::span<std::byte> bytes) = 0;

  // Uniform in [0, bound), without modulo bias. bound must not be 0.
  std::uint64_t below(std::uint64_t bound);
};

}  // namespace muster
