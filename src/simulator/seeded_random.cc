// SPDX-License-Identifier: Apache-2.0
#include "simulator/seeded_random.h"

#include <bit>
#include <cstddef>

namespace muster::simulator {

namespace {

// splitmix64: a counter with a golden-ratio step, scrambled. Never yields four zeros in a row,
// the one state that xoshiro256** could not leave.
std::uint64_t splitmix(std::uint64_t& counter) {
  counter += 0x9e3779b97f4a7c15;
  std::uint64_t z = counter;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

SeededRandom::SeededRandom(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = splitmix(seed);
}

std::uint64_t SeededRandom::next() {
  auto& [a, b, c, d] = state_;
  const std::uint64_t value = std::rotl(b * 5, 7) * 9;
  const std::uint64_t shifted = b << 17;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = std::rotl(d, 45);
  return value;
}

void SeededRandom::fill(std::span<std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % sizeof(value) == 0) value = next();
    bytes[i] = static_cast<std::byte>(value);
    value >>= 8;
  }
}

}  // namespace muster::simulator
