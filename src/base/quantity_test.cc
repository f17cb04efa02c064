// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"

namespace muster {
namespace {

Quantity quantity(std::string_view text) {
  return Quantity::parse(text).must();
}

// What a real API server answered (shared/reference/kube-api.md §8.5), for a container's resource
// list: parsed, then rounded up to milli by defaulting.
TEST(Quantity, prints_as_the_api_server_does) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"0.5", "500m"},       {"1000m", "1"},
      {"1500m", "1500m"},    {"1.5", "1500m"},
      {"1024Mi", "1Gi"},     {"1.5Gi", "1536Mi"},
      {"0.5Gi", "512Mi"},    {"1.1Gi", "1181116006400m"},
      {"1e3", "1e3"},        {"12e6", "12e6"},
      {"1k", "1k"},          {"1000k", "1M"},
      {"100000000", "100M"}, {"128974848", "128974848"},
      {"1024", "1024"},      {"1Ki", "1Ki"},
      {"0.1", "100m"},       {"0.0001", "1m"},
      {"1u", "1m"},          {"1n", "1m"},
      {"1.0", "1"},          {"1000000m", "1k"},
      {"1E", "1E"},          {"0", "0"},
      {"010", "010"},
  };
  for (const auto& [input, printed] : cases) {
    EXPECT_EQ(quantity(input).round_up_to_milli().to_string(), printed) << input;
  }
}

TEST(Quantity, the_kept_text_ends_with_the_first_change) {
  const Quantity written = quantity("010");
  EXPECT_EQ(written.canonical(), "10");
  EXPECT_EQ((written + Quantity::of(0)).to_string(), "10");
  EXPECT_EQ((Quantity() + written).to_string(), "10");
  EXPECT_EQ((written * 1).to_string(), "10");
  EXPECT_EQ((-written).to_string(), "-10");
  const Quantity copy = written;
  EXPECT_EQ(copy.to_string(), "010");
}

TEST(Quantity, equality_is_of_amounts_not_of_texts) {
  EXPECT_EQ(quantity("1Gi"), quantity("1024Mi"));
  EXPECT_EQ(quantity("1Gi"), quantity("1073741824"));
  EXPECT_EQ(quantity("0"), quantity("-0Ki"));
  EXPECT_EQ(quantity("0e1000"), Quantity());
  EXPECT_NE(quantity("1G"), quantity("1Gi"));
}

TEST(Quantity, order_holds_across_sizes_that_need_many_digits) {
  EXPECT_LT(quantity("1e998"), quantity("1e999"));
  EXPECT_LT(quantity("1n"), quantity("1e999"));
  EXPECT_LT(quantity("-1e999"), quantity("-1e998"));
  EXPECT_GT(quantity("9223372036854775808"), quantity("9223372036854775807"));
}

TEST(Quantity, an_amount_beyond_int64_is_refused_by_name) {
  const auto refused = quantity("10E").value();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message, "quantity 10E does not fit 64 bits");
  EXPECT_FALSE(quantity("9223372036854775807").milli_value().has_value());
  EXPECT_EQ(quantity("9223372036854775807").value().value(), unlimited);
}

TEST(Quantity, saturation_stops_at_unlimited) {
  EXPECT_EQ(quantity("1e30").saturated_value(QuantityScale::unit), unlimited);
  EXPECT_EQ(quantity("-1e30").saturated_value(QuantityScale::unit),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(quantity("1000000000Gi").saturated_value(QuantityScale::unit),
            1'073'741'824'000'000'000);
}

TEST(Quantity, suffixes_end_where_the_family_ends) {
  EXPECT_EQ(quantity("1000E").to_string(), "1000E");
  EXPECT_EQ(quantity("1000000000000000000000000").to_string(), "1000000E");
  EXPECT_EQ((quantity("7Ei") * 1024).to_string(), "7168Ei");
  EXPECT_EQ((quantity("1Ei") * 1024 * 1024).to_string(), "1048576Ei");
  EXPECT_EQ((quantity("-1Ei") * 1024).to_string(), "-1024Ei");
}

TEST(Quantity, binary_texts_stop_at_the_highest_int64) {
  EXPECT_EQ(quantity("16Ei").value().value(), unlimited);
  EXPECT_EQ(quantity("-16Ei").value().value(), -unlimited);
}

TEST(Quantity, the_lowest_int64_negates_without_wrapping) {
  const Quantity lowest = Quantity::of(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((-lowest).to_string(), "9223372036854775808");
  EXPECT_EQ(-(-lowest), lowest);
  EXPECT_EQ((lowest - lowest).to_string(), "0");
}

TEST(Quantity, arithmetic_beyond_int64_comes_back_exact) {
  Quantity sum = Quantity::of(std::numeric_limits<std::int64_t>::max());
  sum += sum;
  EXPECT_EQ(sum.to_string(), "18446744073709551614");
  sum -= Quantity::of(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(sum.value().value(), std::numeric_limits<std::int64_t>::max());
}

TEST(Quantity, long_texts_and_large_exponents_are_refused) {
  EXPECT_EQ(Quantity::parse(std::string(1025, '1')).error().code, ErrorCode::too_large);
  EXPECT_EQ(Quantity::parse(std::string(1001, '1')).error().code, ErrorCode::too_large);
  EXPECT_TRUE(Quantity::parse(std::string(1000, '1')).has_value());
  EXPECT_TRUE(Quantity::parse("9e999").has_value());
  EXPECT_EQ(Quantity::parse("1e1000").error().code, ErrorCode::too_large);
  EXPECT_EQ(Quantity::parse(std::string(1000, '9') + ".9999999999").error().code,
            ErrorCode::too_large);
  EXPECT_EQ(Quantity::parse("1e1001").error().code, ErrorCode::too_large);
  EXPECT_EQ(Quantity::parse("1e-1001").error().code, ErrorCode::too_large);
  EXPECT_EQ(Quantity::parse("1e4294967296").error().code, ErrorCode::too_large);
  EXPECT_EQ(quantity("1e-1000").to_string(), "1e-9");
}

TEST(Quantity, a_field_may_carry_spaces_and_a_bare_text_may_not) {
  EXPECT_EQ(Quantity::parse_field("  1Gi ")->to_string(), "1Gi");
  EXPECT_FALSE(Quantity::parse_field("  ").has_value());
  EXPECT_FALSE(Quantity::parse(" 1Gi").has_value());
}

TEST(Quantity, doubles_are_the_nearest_ones) {
  EXPECT_EQ(quantity("0.1").to_double(), 0.1);
  EXPECT_EQ(quantity("-1.5Gi").to_double(), -1610612736.0);
  EXPECT_EQ(quantity("1e400").to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(quantity("0").to_double(), 0.0);
}

TEST(Quantity, rounding_goes_away_from_zero) {
  EXPECT_EQ(quantity("1.0001").round_up(QuantityScale::unit).to_string(), "2");
  EXPECT_EQ(quantity("-1.0001").round_up(QuantityScale::unit).to_string(), "-2");
  EXPECT_EQ(quantity("123456789012345678901.5").round_up(QuantityScale::kilo).to_string(),
            "123456789012345679k");
}

TEST(Quantity, resources_are_counted_as_kueue_counts_them) {
  EXPECT_EQ(resource_amount("cpu", quantity("1500m")).value(), 1500);
  EXPECT_EQ(resource_amount("nvidia.com/gpu", quantity("4.8")).value(), 5);
  EXPECT_EQ(resource_amount("memory", quantity("0.5Ki")).value(), 512);
  EXPECT_FALSE(resource_amount("cpu", quantity("9223372036854775807")).has_value());
  EXPECT_EQ(resource_quantity("cpu", 1500).to_string(), "1500m");
  EXPECT_EQ(resource_quantity("memory", 2'147'483'648).to_string(), "2Gi");
  EXPECT_EQ(resource_quantity("memory", 33'000'000'000).to_string(), "33G");
  EXPECT_EQ(resource_quantity("memory", 33'000'000'001).to_string(), "33000000001");
  EXPECT_EQ(resource_quantity("memory", 1'024'000).to_string(), "1000Ki");
  EXPECT_EQ(resource_quantity("hugepages-2Mi", 2'097'152).to_string(), "2Mi");
  EXPECT_EQ(resource_quantity("nvidia.com/gpu", 8).to_string(), "8");
  EXPECT_EQ(resource_quantity("memory", 100'000'000).to_string(), "100M");
}

}  // namespace
}  // namespace muster
