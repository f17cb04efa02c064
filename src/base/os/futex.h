// Futex: one thread sleeps as long as a number stays what it was, another changes the number and
// wakes it. What a condition variable would do, with one system call for each of them: it takes no
// lock on the way out, so the sleeper never wakes only to wait for a mutex.
//
//   const std::uint32_t seen = rings.load();    // under the lock that guards what is waited for
//   sleep_while(rings, seen, due);              // without the lock
//
//   rings.fetch_add(1);                         // under that lock
//   wake_sleeper(rings);                        // without it; the number may be gone by then
//
// Assumes: instants are readings of SystemClock::monotonic(). A sleeper may wake for no reason.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/instant.h"

namespace muster {

void sleep_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen,
                 std::optional<MonotonicInstant> until);

// Takes the address alone: nothing is read there.
void wake_sleeper(const std::atomic<std::uint32_t>* number);

}  // namespace muster
