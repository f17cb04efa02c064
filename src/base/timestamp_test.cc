// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>

namespace muster {
namespace {

struct Read {
  std::string_view input;
  std::int64_t seconds;
  std::uint32_t nanoseconds;
  std::string_view time, micro_time;
};
struct Refused {
  std::string_view input, message;
};

// Each table takes its own rows of the oracle's file and skips the others.
#define TIME(...)
#define TIME_REFUSED(...)
#define MICRO(...)
#define MICRO_REFUSED(...)

#undef TIME
#define TIME(...) {__VA_ARGS__},
constexpr Read time_rows[] = {
#include "tests/oracle/timestamp.inc"
};
#undef TIME
#define TIME(...)
#undef TIME_REFUSED
#define TIME_REFUSED(...) {__VA_ARGS__},
constexpr Refused time_refused_rows[] = {
#include "tests/oracle/timestamp.inc"
};
#undef TIME_REFUSED
#define TIME_REFUSED(...)
#undef MICRO
#define MICRO(...) {__VA_ARGS__},
constexpr Read micro_rows[] = {
#include "tests/oracle/timestamp.inc"
};
#undef MICRO
#define MICRO(...)
#undef MICRO_REFUSED
#define MICRO_REFUSED(...) {__VA_ARGS__},
constexpr Refused micro_refused_rows[] = {
#include "tests/oracle/timestamp.inc"
};

void expect_read(const Read& row, const Result<Timestamp>& parsed) {
  SCOPED_TRACE(row.input);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->seconds(), row.seconds);
  EXPECT_EQ(parsed->nanoseconds(), row.nanoseconds);
  EXPECT_EQ(format_time(*parsed), row.time);
  EXPECT_EQ(format_micro_time(*parsed), row.micro_time);
}

void expect_refused(const Refused& row, const Result<Timestamp>& parsed) {
  SCOPED_TRACE(row.input);
  ASSERT_FALSE(parsed.has_value()) << format_time(*parsed);
  EXPECT_EQ(parsed.error().message, row.message);
}

TEST(Timestamp, times_are_read_and_printed_as_go_does) {
  for (const Read& row : time_rows) expect_read(row, parse_time(row.input));
  for (const Refused& row : time_refused_rows) expect_refused(row, parse_time(row.input));
}

TEST(Timestamp, micro_times_are_read_and_printed_as_go_does) {
  for (const Read& row : micro_rows) expect_read(row, parse_micro_time(row.input));
  for (const Refused& row : micro_refused_rows) expect_refused(row, parse_micro_time(row.input));
}

TEST(Timestamp, an_offset_may_not_lead_out_of_the_four_digit_years) {
  EXPECT_EQ(parse_time("9999-12-31T23:59:59-01:00").error().message,
            "parsing time \"9999-12-31T23:59:59-01:00\": year out of range");
  EXPECT_FALSE(parse_time("0000-01-01T00:00:00+00:01").has_value());
}

TEST(Timestamp, the_ends_of_its_range_print) {
  EXPECT_EQ(format_time(*Timestamp::of_unix(Timestamp::seconds_min, 0)), "0000-01-01T00:00:00Z");
  EXPECT_EQ(format_micro_time(*Timestamp::of_unix(Timestamp::seconds_max, 999'999'999)),
            "9999-12-31T23:59:59.999999Z");
  EXPECT_FALSE(Timestamp::of_unix(Timestamp::seconds_max + 1, 0).has_value());
  EXPECT_FALSE(Timestamp::of_unix(Timestamp::seconds_min - 1, 0).has_value());
  EXPECT_FALSE(Timestamp::of_unix(0, 1'000'000'000).has_value());
}

TEST(Timestamp, instants_go_there_and_back) {
  for (const std::int64_t nanoseconds :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'763'179'844'123'456'789},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(Timestamp::of(Instant{nanoseconds}).to_instant(), Instant{nanoseconds});
  }
  EXPECT_EQ(format_micro_time(Timestamp::of(Instant{-1})), "1969-12-31T23:59:59.999999Z");
}

TEST(Timestamp, what_an_instant_cannot_say_is_nothing_or_its_nearest_end) {
  const Timestamp late = parse_time("2262-04-11T23:47:17Z").must();
  const Timestamp early = parse_time("0001-01-01T00:00:00Z").must();
  EXPECT_EQ(late.to_instant(), std::nullopt);
  EXPECT_EQ(early.to_instant(), std::nullopt);
  EXPECT_EQ(late.saturated_instant().nanoseconds, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(early.saturated_instant().nanoseconds, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(early.is_go_zero());
  EXPECT_FALSE(late.is_go_zero());
}

}  // namespace
}  // namespace muster
