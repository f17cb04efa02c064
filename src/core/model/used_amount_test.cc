// SPDX-License-Identifier: Apache-2.0
#include "core/model/used_amount.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace muster::core {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

UsedAmount written(const char* text) {
  return UsedAmount::of(*Quantity::parse(text));
}

TEST(UsedAmount, sums_are_exact_where_doubles_are_not) {
  UsedAmount sum;
  for (int i = 0; i < 10; ++i) sum += UsedAmount::of_milli(100);
  EXPECT_EQ(sum.to_double(), 1.0);
  EXPECT_EQ(sum.milli(), 1'000);
  EXPECT_EQ(sum.units(), 1);
}

TEST(UsedAmount, what_was_read_is_the_number_that_was_written) {
  EXPECT_EQ(written("100m").to_double(), 0.1);
  EXPECT_EQ(written("1500m").units(), 1);
  EXPECT_EQ(written("2").milli(), 2'000);
  EXPECT_EQ(written("3n").milli(), 0);
}

TEST(UsedAmount, a_factor_cuts_off_what_is_finer_than_a_billionth) {
  EXPECT_EQ(UsedAmount::of_units(2).scaled(0.25).to_double(), 0.5);
  EXPECT_EQ(UsedAmount::of_units(7).scaled(0.0).to_double(), 0.0);
  EXPECT_EQ(UsedAmount::of_units(7).scaled(1.0).units(), 7);
  EXPECT_EQ(written("1n").scaled(0.9999999999999999).to_double(), 0.0);
  EXPECT_EQ(UsedAmount::of_units(1).scaled(1e-300).to_double(), 0.0);
  EXPECT_EQ(UsedAmount::of_units(1).scaled(1e-9).to_double(), 1e-9);
}

TEST(UsedAmount, absurd_sums_stay_within_an_int64_of_units) {
  UsedAmount sum = UsedAmount::of_units(most);
  for (int i = 0; i < 100; ++i) sum += UsedAmount::of_units(most);
  EXPECT_EQ(sum.units(), most);
  EXPECT_EQ(sum.milli(), most);
  EXPECT_EQ(sum.scaled(0.5).units(), most / 2);
}

}  // namespace
}  // namespace muster::core
