// SPDX-License-Identifier: Apache-2.0
#include "base/time_zone.h"

#include <gtest/gtest.h>

#include <string>

#include "base/civil_date.h"

namespace muster {
namespace {

std::int64_t unix_of(std::int64_t year, std::int64_t month, std::int64_t day, std::int64_t hour) {
  return days_of({year, month, day}) * seconds_per_day + hour * 3'600;
}

std::string number(std::int64_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) {
    bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFFU));
  }
  return bytes;
}

std::string header(std::int64_t times, std::int64_t types, std::int64_t letters) {
  return "TZif2" + std::string(15, '\0') + number(0, 4) + number(0, 4) + number(0, 4) +
         number(times, 4) + number(types, 4) + number(letters, 4);
}

// One change, from 0:53:28 ahead of UTC to one hour, and a rule after it.
std::string compiled(const std::string& rule) {
  const std::string type = number(3'208, 4) + std::string(2, '\0');
  const std::string other = number(3'600, 4) + std::string(2, '\0');
  return header(0, 1, 1) + type + std::string(1, '\0') + header(1, 2, 4) +
         number(-2'422'054'408, 8) + std::string(1, '\1') + type + other + std::string(4, '\0') +
         "\n" + rule + "\n";
}

TEST(TimeZone, knows_dates) {
  for (std::int64_t days = -800'000; days < 800'000; days += 97) {
    EXPECT_EQ(days_of(date_of(days)), days);
  }
  EXPECT_EQ(days_of({2026, 11, 15}), 20'772);
  EXPECT_EQ(weekday_of(20'772), 0);
  EXPECT_EQ(weekday_of(-4), 0);
}

TEST(TimeZone, follows_a_rule) {
  const TimeZone berlin = TimeZone::of_rule("CET-1CEST,M3.5.0,M10.5.0/3").must();
  EXPECT_EQ(berlin.at(unix_of(2026, 1, 15, 0)).seconds, 3'600);
  EXPECT_EQ(berlin.at(unix_of(2026, 1, 15, 0)).until, unix_of(2026, 3, 29, 1));
  EXPECT_EQ(berlin.at(unix_of(2026, 3, 29, 1)).seconds, 7'200);
  EXPECT_EQ(berlin.at(unix_of(2026, 7, 1, 0)).until, unix_of(2026, 10, 25, 1));
  EXPECT_EQ(berlin.at(unix_of(2026, 12, 31, 23)).until, unix_of(2027, 3, 28, 1));
  const TimeZone sydney = TimeZone::of_rule("AEST-10AEDT,M10.1.0,M4.1.0/3").must();
  EXPECT_EQ(sydney.at(unix_of(2026, 1, 1, 0)).seconds, 39'600);
  EXPECT_EQ(sydney.at(unix_of(2026, 7, 1, 0)).seconds, 36'000);
  EXPECT_EQ(TimeZone::of_rule("<-03>3").must().at(0).seconds, -10'800);
}

TEST(TimeZone, reads_a_compiled_zone) {
  const TimeZone zone = TimeZone::parse(compiled("CET-1CEST,M3.5.0,M10.5.0/3")).must();
  EXPECT_EQ(zone.at(unix_of(1800, 1, 1, 0)).seconds, 3'208);
  EXPECT_EQ(zone.at(unix_of(1800, 1, 1, 0)).until, -2'422'054'408);
  EXPECT_EQ(zone.at(unix_of(2026, 7, 1, 0)).seconds, 7'200);
  EXPECT_EQ(TimeZone::parse(compiled("")).must().at(unix_of(2026, 7, 1, 0)).seconds, 3'600);
}

TEST(TimeZone, refuses_what_is_none) {
  const std::string whole = compiled("CET-1");
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{4}, std::size_t{43}, std::size_t{60}, whole.size() - 12}) {
    EXPECT_FALSE(TimeZone::parse(whole.substr(0, length)).has_value()) << length;
  }
  for (const char* rule : {"", "C", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0",
                           "CET-1CEST,M3.5.0", "CET-99", "CET-1CEST,M3.5.0,M10.5.0/3,"}) {
    EXPECT_FALSE(TimeZone::of_rule(rule).has_value()) << rule;
  }
}

}  // namespace
}  // namespace muster
