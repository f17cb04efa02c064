// SHA-1, for names that must come out as other programs make them: Kueue ends a Workload's name
// with the first digits of one. Not for secrets: collisions can be made.
//
//   hex(sha1("abc"))   // "a9993e364706816aba3e25717850c26c9cd0d89d"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

using Sha1 = std::array<std::uint8_t, 20>;

Sha1 sha1(std::string_view bytes);

// Forty digits, lower case.
std::string hex(const Sha1& digest);

}  // namespace muster
