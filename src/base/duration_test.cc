// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "base/age.h"

namespace muster {
namespace {

struct Read {
  std::string_view input;
  std::int64_t nanoseconds;
  std::string_view printed;
};
struct Refused {
  std::string_view input, message;
};
struct Age {
  std::int64_t nanoseconds;
  std::string_view human, short_human;
};

#define DURATION(...) {__VA_ARGS__},
#define DURATION_REFUSED(...)
constexpr Read read_rows[] = {
#include "tests/oracle/duration.inc"
};
#undef DURATION
#undef DURATION_REFUSED

#define DURATION(...)
#define DURATION_REFUSED(input, message) {{input, sizeof(input) - 1}, message},
constexpr Refused refused_rows[] = {
#include "tests/oracle/duration.inc"
};
#undef DURATION
#undef DURATION_REFUSED

#define AGE(...) {__VA_ARGS__},
constexpr Age age_rows[] = {
#include "tests/oracle/duration.inc"
};

TEST(Duration, is_read_and_printed_as_go_does) {
  for (const Read& row : read_rows) {
    SCOPED_TRACE(row.input);
    const auto parsed = parse_duration(row.input);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->nanoseconds, row.nanoseconds);
    EXPECT_EQ(format_duration(*parsed), row.printed);
  }
}

TEST(Duration, is_refused_with_gos_sentences) {
  for (const Refused& row : refused_rows) {
    SCOPED_TRACE(row.input);
    const auto parsed = parse_duration(row.input);
    ASSERT_FALSE(parsed.has_value()) << format_duration(*parsed);
    EXPECT_EQ(parsed.error().message, row.message);
  }
}

// Go adds 2^63 and 2^63 to zero, and accepts it.
TEST(Duration, a_sum_that_wraps_to_zero_is_refused) {
  EXPECT_FALSE(parse_duration("9223372036854775808ns9223372036854775808ns").has_value());
}

TEST(Age, is_printed_as_kubectl_does) {
  for (const Age& row : age_rows) {
    EXPECT_EQ(human_duration({row.nanoseconds}), row.human) << row.nanoseconds;
    EXPECT_EQ(short_human_duration({row.nanoseconds}), row.short_human) << row.nanoseconds;
  }
}

TEST(Age, is_measured_without_wrapping) {
  constexpr Instant lowest{std::numeric_limits<std::int64_t>::min()};
  constexpr Instant highest{std::numeric_limits<std::int64_t>::max()};
  EXPECT_EQ(human_age(Instant{0}, Instant{192'000'000'000}), "3m12s");
  EXPECT_EQ(human_age(lowest, highest), "292y");
  EXPECT_EQ(human_age(highest, lowest), "<invalid>");
}

}  // namespace
}  // namespace muster
