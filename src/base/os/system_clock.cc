// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_clock.h"

#include <ctime>

#include "base/check.h"

namespace muster {

namespace {

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  const int outcome = ::clock_gettime(clock, &now);
  CHECK(outcome == 0, "both clocks exist on every Linux");
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Instant SystemClock::wall() const {
  return {nanoseconds_of(CLOCK_REALTIME)};
}

MonotonicInstant SystemClock::monotonic() const {
  return {nanoseconds_of(CLOCK_MONOTONIC)};
}

}  // namespace muster
