// SPDX-License-Identifier: Apache-2.0
#include "objects/cron_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/timestamp.h"

namespace muster::objects {
namespace {

constexpr std::string_view berlin = "CET-1CEST,M3.5.0,M10.5.0/3";

Instant instant(std::string_view text) {
  return parse_time(text).must().saturated_instant();
}

std::string text_of(std::optional<Instant> time) {
  return time ? format_time(Timestamp::of(*time)) : "never";
}

std::string next(std::string_view schedule, std::string_view after,
                 std::string_view rule = "UTC0") {
  const TimeZone zone = TimeZone::of_rule(rule).must();
  return text_of(CronSchedule::parse(schedule).must().next(instant(after), zone));
}

TEST(CronSchedule, is_due_when_its_fields_say) {
  EXPECT_EQ(next("* * * * *", "2026-11-15T10:00:00Z"), "2026-11-15T10:01:00Z");
  EXPECT_EQ(next("*/15 * * * *", "2026-11-15T10:00:59Z"), "2026-11-15T10:15:00Z");
  EXPECT_EQ(next("0 0 * * mon-fri", "2026-11-14T10:00:00Z"), "2026-11-16T00:00:00Z");
  EXPECT_EQ(next("30 6-16/4 * * 1-5", "2026-11-16T14:30:00Z"), "2026-11-17T06:30:00Z");
  EXPECT_EQ(next("0 12 29 feb *", "2026-11-15T10:00:00Z"), "2028-02-29T12:00:00Z");
  EXPECT_EQ(next("0 0 31 2 *", "2026-11-15T10:00:00Z"), "never");
  EXPECT_EQ(next("5/20 3,4 * JAN,dec ?", "2026-11-15T10:00:00Z"), "2026-12-01T03:05:00Z");
}

TEST(CronSchedule, takes_either_day_where_both_are_restricted) {
  EXPECT_EQ(next("0 0 13 * fri", "2026-11-10T00:00:00Z"), "2026-11-13T00:00:00Z");
  EXPECT_EQ(next("0 0 13 * fri", "2026-11-13T00:00:00Z"), "2026-11-20T00:00:00Z");
  EXPECT_EQ(next("0 0 */2 * fri", "2026-11-16T00:00:00Z"), "2026-11-17T00:00:00Z");
}

TEST(CronSchedule, has_short_names) {
  EXPECT_EQ(next("@hourly", "2026-11-15T10:00:00Z"), "2026-11-15T11:00:00Z");
  EXPECT_EQ(next("@daily", "2026-11-15T10:00:00Z"), "2026-11-16T00:00:00Z");
  EXPECT_EQ(next("@weekly", "2026-11-15T10:00:00Z"), "2026-11-22T00:00:00Z");
  EXPECT_EQ(next("@monthly", "2026-11-15T10:00:00Z"), "2026-12-01T00:00:00Z");
  EXPECT_EQ(next("@yearly", "2026-11-15T10:00:00Z"), "2027-01-01T00:00:00Z");
  EXPECT_EQ(next("@every 90m", "2026-11-15T10:00:10Z"), "2026-11-15T11:30:10Z");
  EXPECT_EQ(next("@every 2500000h", "2026-11-15T10:00:00Z"), "never");  // an Instant ends in 2262
}

TEST(CronSchedule, follows_the_clocks_of_a_zone) {
  EXPECT_EQ(next("0 12 * * *", "2026-01-01T00:00:00Z", berlin), "2026-01-01T11:00:00Z");
  EXPECT_EQ(next("0 12 * * *", "2026-07-01T00:00:00Z", berlin), "2026-07-01T10:00:00Z");
  // 2:30 does not exist on the 29th of March, and comes twice on the 25th of October.
  EXPECT_EQ(next("30 2 * * *", "2026-03-28T12:00:00Z", berlin), "2026-03-30T00:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-10-24T12:00:00Z", berlin), "2026-10-25T00:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-10-25T00:30:00Z", berlin), "2026-10-25T01:30:00Z");
}

TEST(CronSchedule, finds_the_last_time) {
  const TimeZone utc;
  const auto last = [&](std::string_view schedule, std::string_view after, std::string_view until) {
    return text_of(CronSchedule::parse(schedule).must().last(instant(after), instant(until), utc));
  };
  EXPECT_EQ(last("* * * * *", "2000-01-01T00:00:00Z", "2026-11-15T10:00:10Z"),
            "2026-11-15T10:00:00Z");
  EXPECT_EQ(last("0 0 1 1 *", "2000-01-01T00:00:00Z", "2026-11-15T10:00:10Z"),
            "2026-01-01T00:00:00Z");
  EXPECT_EQ(last("30 6-16/4 * * 1-5", "2026-11-01T00:00:00Z", "2026-11-15T10:00:00Z"),
            "2026-11-13T14:30:00Z");
  EXPECT_EQ(last("@every 7s", "2026-11-15T10:00:00Z", "2026-11-15T10:00:20Z"),
            "2026-11-15T10:00:14Z");
  EXPECT_EQ(last("0 0 31 2 *", "2000-01-01T00:00:00Z", "2026-11-15T10:00:10Z"), "never");
}

TEST(CronSchedule, is_refused_in_the_words_of_its_peer) {
  const auto refusal = [](std::string_view text) {
    const auto schedule = CronSchedule::parse(text);
    return schedule ? std::string("read") : schedule.error().message;
  };
  EXPECT_EQ(refusal("61 * * * *"), "end of range (61) above maximum (59): 61");
  EXPECT_EQ(refusal("* * *"), "expected exactly 5 fields, found 3: [* * *]");
  EXPECT_EQ(refusal("@often"), "unrecognized descriptor: @often");
  EXPECT_EQ(refusal("*/0 * * * *"), "step of range should be a positive number: */0");
  EXPECT_EQ(refusal("a * * * *"),
            R"(failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax)");
}

}  // namespace
}  // namespace muster::objects
