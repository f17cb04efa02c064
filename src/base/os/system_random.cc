// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/os/descriptor.h"
#include "base/os/process.h"
#include "base/os/system_error.h"

namespace muster {

std::uint64_t SystemRandom::next() {
  std::uint64_t value = 0;
  fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void SystemRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = retry([&] { return ::getrandom(bytes.data(), bytes.size(), 0); });
    // A sandbox may forbid the call. Weaker randomness would go unnoticed, so stop instead.
    if (got <= 0) exit_hard(system_error("getrandom", "", errno).message);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace muster
