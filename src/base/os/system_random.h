// SystemRandom: the kernel's generator, fit for tokens and keys. It keeps nothing between calls,
// so a forked process never repeats its parent's values and no value stays behind in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/random.h"

namespace muster {

class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace muster
