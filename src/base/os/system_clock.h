// SystemClock: the time of this machine. monotonic() stands still while the machine is suspended
// and has the origin of CLOCK_MONOTONIC, which EventLoop relies on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

namespace muster {

class SystemClock final : public Clock {
 public:
  Instant wall() const override;
  MonotonicInstant monotonic() const override;
};

}  // namespace muster
