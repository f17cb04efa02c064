// SPDX-License-Identifier: Apache-2.0
#include "base/checked.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

static_assert(checked_add(2, 3) == 5, "usable where a constant is needed");
static_assert(saturating_add(highest, 1) == unlimited);

TEST(Checked, add_refuses_only_what_does_not_fit) {
  EXPECT_EQ(checked_add(highest, 0), highest);
  EXPECT_EQ(checked_add(highest - 1, 1), highest);
  EXPECT_EQ(checked_add(highest, 1), std::nullopt);
  EXPECT_EQ(checked_add(lowest, -1), std::nullopt);
  EXPECT_EQ(checked_add(lowest, highest), -1);
}

TEST(Checked, subtract_refuses_only_what_does_not_fit) {
  EXPECT_EQ(checked_subtract(lowest, 0), lowest);
  EXPECT_EQ(checked_subtract(lowest, 1), std::nullopt);
  EXPECT_EQ(checked_subtract(0, lowest), std::nullopt);
  EXPECT_EQ(checked_subtract(-1, lowest), highest);
}

TEST(Checked, multiply_refuses_only_what_does_not_fit) {
  EXPECT_EQ(checked_multiply(3'037'000'499, 3'037'000'499), 9'223'372'030'926'249'001);
  EXPECT_EQ(checked_multiply(3'037'000'500, 3'037'000'500), std::nullopt);
  EXPECT_EQ(checked_multiply(lowest, -1), std::nullopt);
  EXPECT_EQ(checked_multiply(lowest, 1), lowest);
  EXPECT_EQ(checked_multiply(highest, 0), 0);
}

TEST(Checked, negate_refuses_the_lowest_number) {
  EXPECT_EQ(checked_negate(highest), -highest);
  EXPECT_EQ(checked_negate(lowest), std::nullopt);
}

TEST(Checked, divide_up_rounds_towards_positive_infinity) {
  EXPECT_EQ(checked_divide_up(7, 2), 4);
  EXPECT_EQ(checked_divide_up(8, 2), 4);
  EXPECT_EQ(checked_divide_up(-7, 2), -3);
  EXPECT_EQ(checked_divide_up(7, -2), -3);
  EXPECT_EQ(checked_divide_up(-7, -2), 4);
  EXPECT_EQ(checked_divide_up(highest, 2), highest / 2 + 1);
  EXPECT_EQ(checked_divide_up(1, highest), 1);
  EXPECT_EQ(checked_divide_up(lowest, 1), lowest);
}

TEST(Checked, divide_down_rounds_towards_negative_infinity) {
  EXPECT_EQ(checked_divide_down(7, 2), 3);
  EXPECT_EQ(checked_divide_down(-7, 2), -4);
  EXPECT_EQ(checked_divide_down(7, -2), -4);
  EXPECT_EQ(checked_divide_down(-7, -2), 3);
  EXPECT_EQ(checked_divide_down(lowest, 3), lowest / 3 - 1);
}

TEST(Checked, division_refuses_zero_and_the_one_quotient_that_overflows) {
  EXPECT_EQ(checked_divide_up(1, 0), std::nullopt);
  EXPECT_EQ(checked_divide_down(0, 0), std::nullopt);
  EXPECT_EQ(checked_divide_up(lowest, -1), std::nullopt);
  EXPECT_EQ(checked_divide_down(lowest, -1), std::nullopt);
}

TEST(Checked, cast_keeps_the_number_or_refuses) {
  EXPECT_EQ(checked_cast<std::int32_t>(std::int64_t{2'147'483'647}), 2'147'483'647);
  EXPECT_EQ(checked_cast<std::int32_t>(std::int64_t{2'147'483'648}), std::nullopt);
  EXPECT_EQ(checked_cast<std::uint8_t>(-1), std::nullopt);
  EXPECT_EQ(checked_cast<std::uint64_t>(highest), std::uint64_t{9'223'372'036'854'775'807U});
  EXPECT_EQ(checked_cast<std::int64_t>(std::uint64_t{9'223'372'036'854'775'808U}), std::nullopt);
}

TEST(Saturating, results_stop_at_the_nearer_end) {
  EXPECT_EQ(saturating_add(highest, highest), highest);
  EXPECT_EQ(saturating_add(lowest, lowest), lowest);
  EXPECT_EQ(saturating_add(lowest, highest), -1);
  EXPECT_EQ(saturating_subtract(lowest, highest), lowest);
  EXPECT_EQ(saturating_subtract(highest, lowest), highest);
  EXPECT_EQ(saturating_subtract(0, lowest), highest);
  EXPECT_EQ(saturating_multiply(highest, 2), highest);
  EXPECT_EQ(saturating_multiply(highest, -2), lowest);
  EXPECT_EQ(saturating_multiply(lowest, -1), highest);
  EXPECT_EQ(saturating_negate(lowest), highest);
}

TEST(Saturating, cast_stops_at_the_ends_of_the_other_type) {
  EXPECT_EQ(saturating_cast<std::int32_t>(highest), 2'147'483'647);
  EXPECT_EQ(saturating_cast<std::int32_t>(lowest), -2'147'483'647 - 1);
  EXPECT_EQ(saturating_cast<std::uint32_t>(-5), 0U);
  EXPECT_EQ(saturating_cast<std::int64_t>(std::uint64_t{1} << 63U), highest);
  EXPECT_EQ(saturating_cast<std::int16_t>(-7), -7);
}

TEST(Quota, unlimited_absorbs_whatever_is_added_or_taken) {
  EXPECT_EQ(quota_add(unlimited, -5), unlimited);
  EXPECT_EQ(quota_add(-5, unlimited), unlimited);
  EXPECT_EQ(quota_subtract(unlimited, 5), unlimited);
  EXPECT_EQ(quota_subtract(unlimited, unlimited), unlimited);
  EXPECT_EQ(quota_add(highest - 1, 5), unlimited);
  EXPECT_EQ(quota_subtract(10, 3), 7);
}

}  // namespace
}  // namespace muster
