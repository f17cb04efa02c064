// Clock: where time comes from. Only main/ and the simulator choose one; the decision core never
// sees it (time enters there as a tick). Both readings may be taken from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instant.h"

namespace muster {

class Clock {
 public:
  virtual ~Clock() = default;

  // May jump, forwards and backwards: for timestamps that people read.
  virtual Instant wall() const = 0;

  // Never goes back: for timers and lengths.
  virtual MonotonicInstant monotonic() const = 0;
};

}  // namespace muster
