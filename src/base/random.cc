// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include "base/check.h"

namespace muster {

// Scales next() down by a 64 × 64 bit multiplication and takes the high half. The low half tells
// whether the draw fell into the part of the range that does not divide evenly; only then is a
// division needed to know how wide that part is (Lemire 2019, "Fast random integer generation in
// an interval").
std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound != 0);
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t uneven = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < uneven) product = Wide{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace muster
