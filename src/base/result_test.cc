// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace muster {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error::invalid("must be even", "n");
  return n / 2;
}

Result<int> quarter(int n) {
  const int h = TRY(half(n));
  return TRY(half(h));
}

Result<> only_even(int n) {
  TRY(half(n));
  return {};
}

TEST(Result, try_passes_the_value_on) {
  EXPECT_EQ(quarter(12).value(), 3);
}

TEST(Result, try_returns_the_first_error) {
  const auto result = quarter(6);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().to_string(), "n: must be even");
  EXPECT_FALSE(only_even(3).has_value());
  EXPECT_TRUE(only_even(4).has_value());
}

TEST(Result, carries_what_can_only_be_moved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  EXPECT_EQ(*std::move(result).must(), 5);
}

TEST(ResultDeathTest, must_names_the_error) {
  EXPECT_DEATH(half(3).must(), "n: must be even");
}

TEST(Error, reasons_and_http_codes_follow_kubernetes) {
  EXPECT_EQ(reason(ErrorCode::not_found), "NotFound");
  EXPECT_EQ(http_status(ErrorCode::invalid), 422);
  EXPECT_EQ(http_status(ErrorCode::expired), 410);
}

}  // namespace
}  // namespace muster
