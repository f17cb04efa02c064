// SPDX-License-Identifier: Apache-2.0
#include "base/os/cpu_time.h"

#include <ctime>

#include "base/check.h"

namespace muster {

Span thread_cpu_time() {
  timespec spent{};
  const int outcome = ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  CHECK(outcome == 0, "every thread of a Linux has this clock");
  return {std::int64_t{spent.tv_sec} * 1'000'000'000 + spent.tv_nsec};
}

}  // namespace muster
