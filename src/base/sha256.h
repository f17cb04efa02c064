// SHA-256, for names that must come out as other programs make them: Kueue names the roles of a
// pod group by the first digits of one.
//
//   hex(sha256("abc"))   // "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// Sixty-four digits, lower case.
std::string hex(const Sha256& digest);

}  // namespace muster
