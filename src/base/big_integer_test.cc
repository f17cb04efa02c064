// SPDX-License-Identifier: Apache-2.0
#include "base/big_integer.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

TEST(BigInteger, every_int64_comes_back) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1},
                                   std::int64_t{1'000'000'000}, lowest, highest}) {
    EXPECT_EQ(BigInteger(value).to_int64(), value);
  }
}

TEST(BigInteger, one_beyond_int64_does_not_fit) {
  BigInteger value(highest);
  value += BigInteger(1);
  EXPECT_EQ(value.to_int64(), std::nullopt);
  value.negate();
  EXPECT_EQ(value.to_int64(), lowest);
  value += BigInteger(-1);
  EXPECT_EQ(value.to_int64(), std::nullopt);
  EXPECT_EQ(value.digits(), "9223372036854775809");
}

TEST(BigInteger, digits_keep_inner_zeros_and_drop_leading_ones) {
  const auto value = BigInteger::from_digits("0001000000000000000002");
  EXPECT_EQ(value.digits(), "1000000000000000002");
  EXPECT_EQ(value.digit_count(), 19U);
  EXPECT_EQ(BigInteger::from_digits("").digits(), "0");
  EXPECT_EQ(BigInteger::from_digits("000").sign(), 0);
}

TEST(BigInteger, shifts_are_powers_of_ten) {
  BigInteger value(123);
  value.shift_left(20);
  EXPECT_EQ(value.digits(), "12300000000000000000000");
  EXPECT_TRUE(value.shift_right(20));
  EXPECT_EQ(value.to_int64(), 123);
  EXPECT_FALSE(value.shift_right(1));
  EXPECT_EQ(value.to_int64(), 12);
  EXPECT_FALSE(value.shift_right(1000));
  EXPECT_TRUE(value.is_zero());
  value.grow_magnitude(-1);
  EXPECT_EQ(value.to_int64(), -1);
}

TEST(BigInteger, sums_of_both_signs_borrow_and_carry) {
  BigInteger value = BigInteger::from_digits("1000000000000000000000");
  value += BigInteger(-1);
  EXPECT_EQ(value.digits(), "999999999999999999999");
  value.negate();
  value += BigInteger::from_digits("1000000000000000000000");
  EXPECT_EQ(value.to_int64(), 1);
  value += BigInteger(-1);
  EXPECT_EQ(value.sign(), 0);
  EXPECT_EQ(value, BigInteger());
}

TEST(BigInteger, products_with_an_int64_are_exact) {
  BigInteger value(lowest);
  value *= lowest;
  EXPECT_EQ(value.digits(), "85070591730234615865843651857942052864");
  value *= -1;
  EXPECT_EQ(value.sign(), -1);
  EXPECT_EQ(value.divide(1024), 0U);
  value *= 0;
  EXPECT_TRUE(value.is_zero());
}

TEST(BigInteger, order_follows_sign_and_size) {
  BigInteger big = BigInteger::from_digits("99999999999999999999");
  BigInteger small = big;
  small.negate();
  EXPECT_LT(small, BigInteger(lowest));
  EXPECT_LT(BigInteger(-1), BigInteger());
  EXPECT_LT(BigInteger(highest), big);
  EXPECT_EQ(big <=> big, std::strong_ordering::equal);
}

}  // namespace
}  // namespace muster
