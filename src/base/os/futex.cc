// SPDX-License-Identifier: Apache-2.0
#include "base/os/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace muster {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void sleep_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen,
                 std::optional<MonotonicInstant> until) {
  timespec due{};
  if (until) {
    due = {.tv_sec = until->nanoseconds / 1'000'000'000,
           .tv_nsec = until->nanoseconds % 1'000'000'000};
  }
  // With a bit set, because only then the time is an instant of the monotonic clock.
  ::syscall(SYS_futex, &number, FUTEX_WAIT_BITSET_PRIVATE, seen, until ? &due : nullptr, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

void wake_sleeper(const std::atomic<std::uint32_t>* number) {
  ::syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace muster
