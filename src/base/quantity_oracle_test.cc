// SPDX-License-Identifier: Apache-2.0
//
// Every row of tests/oracle/quantity.inc, which the real resource.Quantity wrote.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "base/quantity.h"

namespace muster {
namespace {

#define PARSED(...)
#define PARSED_DIFFERENTLY(...)
#define REFUSED(...)
#define PAIR(...)
#define TIMES(...)

struct Parsed {
  std::string_view input, text, value, milli, rounded_to_milli, format;
};
#undef PARSED
#define PARSED(...) {__VA_ARGS__},
constexpr Parsed parsed_rows[] = {
#include "tests/oracle/quantity.inc"
};
#undef PARSED
#define PARSED(...)

struct ParsedDifferently {
  std::string_view input, upstream_text, upstream_value, upstream_milli, value, milli;
};
#undef PARSED_DIFFERENTLY
#define PARSED_DIFFERENTLY(...) {__VA_ARGS__},
constexpr ParsedDifferently differing_rows[] = {
#include "tests/oracle/quantity.inc"
};
#undef PARSED_DIFFERENTLY
#define PARSED_DIFFERENTLY(...)

struct Refused {
  std::string_view input, message;
};
#undef REFUSED
#define REFUSED(input, message) {{input, sizeof(input) - 1}, message},
constexpr Refused refused_rows[] = {
#include "tests/oracle/quantity.inc"
};
#undef REFUSED
#define REFUSED(...)

struct Pair {
  std::string_view a, b, sum, difference;
  int order;
};
#undef PAIR
#define PAIR(...) {__VA_ARGS__},
constexpr Pair pair_rows[] = {
#include "tests/oracle/quantity.inc"
};
#undef PAIR
#define PAIR(...)

struct Times {
  std::string_view a;
  std::int64_t factor;
  std::string_view product;
};
#undef TIMES
#define TIMES(...) {__VA_ARGS__},
constexpr Times times_rows[] = {
#include "tests/oracle/quantity.inc"
};

Quantity quantity(std::string_view text) {
  return Quantity::parse(text).must();
}

std::string shown(const Result<std::int64_t>& amount) {
  return amount ? fmt::format("{}", *amount) : "overflow";
}

std::string_view name(QuantityFormat format) {
  constexpr std::array<std::string_view, 3> names{"DecimalSI", "BinarySI", "DecimalExponent"};
  return names[static_cast<std::size_t>(format)];
}

int order(const Quantity& a, const Quantity& b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

TEST(QuantityOracle, has_hundreds_of_rows) {
  EXPECT_GT(std::size(parsed_rows), 500U);
  EXPECT_GT(std::size(refused_rows), 40U);
  EXPECT_GT(std::size(pair_rows), 300U);
  EXPECT_GT(std::size(times_rows), 50U);
}

TEST(QuantityOracle, parses_prints_and_rounds_as_kubernetes) {
  for (const Parsed& row : parsed_rows) {
    SCOPED_TRACE(row.input);
    const auto parsed = Quantity::parse(row.input);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->to_string(), row.text);
    EXPECT_EQ(shown(parsed->value()), row.value);
    EXPECT_EQ(shown(parsed->milli_value()), row.milli);
    EXPECT_EQ(parsed->round_up_to_milli().to_string(), row.rounded_to_milli);
    EXPECT_EQ(name(parsed->format()), row.format);
    EXPECT_EQ(quantity(row.text), *parsed);
  }
}

TEST(QuantityOracle, is_exact_where_kubernetes_is_not) {
  for (const ParsedDifferently& row : differing_rows) {
    SCOPED_TRACE(row.input);
    const Quantity parsed = quantity(row.input);
    EXPECT_EQ(shown(parsed.value()), row.value);
    EXPECT_EQ(shown(parsed.milli_value()), row.milli);
    EXPECT_EQ(quantity(parsed.to_string()), parsed);
    // Negative amounts only round wrongly upstream; their text is right.
    if (row.value != "overflow") {
      EXPECT_EQ(parsed.to_string(), row.upstream_text);
    }
  }
}

TEST(QuantityOracle, refuses_with_kubernetes_sentences) {
  for (const Refused& row : refused_rows) {
    SCOPED_TRACE(row.input);
    const auto parsed = Quantity::parse(row.input);
    ASSERT_FALSE(parsed.has_value()) << parsed->to_string();
    EXPECT_EQ(parsed.error().message, row.message);
    EXPECT_EQ(parsed.error().code, ErrorCode::bad_request);
  }
}

TEST(QuantityOracle, adds_subtracts_and_compares_as_kubernetes) {
  for (const Pair& row : pair_rows) {
    SCOPED_TRACE(fmt::format("{} and {}", row.a, row.b));
    const Quantity a = quantity(row.a);
    const Quantity b = quantity(row.b);
    EXPECT_EQ((a + b).to_string(), row.sum);
    EXPECT_EQ((a - b).to_string(), row.difference);
    EXPECT_EQ(order(a, b), row.order);
    EXPECT_EQ(order(b, a), -row.order);
  }
}

TEST(QuantityOracle, multiplies_as_kubernetes) {
  for (const Times& row : times_rows) {
    SCOPED_TRACE(fmt::format("{} times {}", row.a, row.factor));
    EXPECT_EQ((quantity(row.a) * row.factor).to_string(), row.product);
  }
}

}  // namespace
}  // namespace muster
