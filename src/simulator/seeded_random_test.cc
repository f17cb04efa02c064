// SPDX-License-Identifier: Apache-2.0
#include "simulator/seeded_random.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace muster::simulator {
namespace {

// Computed by an independent implementation that agrees with the published vectors of splitmix64
// (seed 1234567) and of xoshiro256** (state 1, 2, 3, 4).
TEST(SeededRandom, is_bit_exact) {
  SeededRandom zero(0);
  const std::array<std::uint64_t, 5> from_zero = {11091344671253066420ULL, 13793997310169335082ULL,
                                                  1900383378846508768ULL, 7684712102626143532ULL,
                                                  13521403990117723737ULL};
  for (const std::uint64_t value : from_zero) EXPECT_EQ(zero.next(), value);
  SeededRandom one(1);
  EXPECT_EQ(one.next(), 12966619160104079557ULL);
  EXPECT_EQ(one.next(), 9600361134598540522ULL);
}

TEST(SeededRandom, fills_with_the_bytes_of_its_values_lowest_first) {
  SeededRandom values(7);
  SeededRandom filler(7);
  std::array<std::byte, 11> bytes{};
  filler.fill(bytes);
  const std::uint64_t first = values.next();
  const std::uint64_t second = values.next();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t value = i < 8 ? first : second;
    EXPECT_EQ(bytes[i], static_cast<std::byte>(value >> (i % 8 * 8)));
  }
  EXPECT_EQ(filler.next(), values.next()) << "the unfinished value is thrown away";
}

TEST(SeededRandom, a_split_stream_does_not_shift_with_the_draws_of_its_parent) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom a_split = a.split();
  SeededRandom b_split = b.split();
  a.next();
  EXPECT_EQ(a_split.next(), b_split.next());
  EXPECT_NE(a_split.next(), b.next());
}

}  // namespace
}  // namespace muster::simulator
