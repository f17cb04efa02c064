// SPDX-License-Identifier: Apache-2.0
#include "agent/log_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/timestamp.h"

namespace muster::agent {

namespace {

constexpr std::string_view log =
    "2026-01-01T00:00:01.000000001Z stdout F one\n"
    "2026-01-01T00:00:02.000000002Z stderr P half \n"
    "2026-01-01T00:00:03.000000003Z stderr F whole\n"
    "2026-01-01T00:00:04.000000004Z stdout F \n"
    "2026-01-01T00:00:05.000000005Z stdout F last\n";

std::string read(LogOptions options, std::string_view bytes = log) {
  LogText text(options);
  std::string out = text.take(bytes);
  return out + text.reach_end();
}

TEST(LogText, heads_are_taken_off_and_parts_are_joined) {
  EXPECT_EQ(read({}), "one\nhalf whole\n\nlast\n");
}

TEST(LogText, pieces_of_any_size_give_the_same) {
  for (std::size_t size = 1; size < 60; ++size) {
    LogText text({});
    std::string out;
    for (std::size_t at = 0; at < log.size(); at += size) out += text.take(log.substr(at, size));
    EXPECT_EQ(out, "one\nhalf whole\n\nlast\n") << size;
  }
}

TEST(LogText, times_stand_at_the_beginning_of_lines) {
  EXPECT_EQ(read({.timestamps = true}),
            "2026-01-01T00:00:01.000000001Z one\n"
            "2026-01-01T00:00:02.000000002Z half whole\n"
            "2026-01-01T00:00:04.000000004Z \n"
            "2026-01-01T00:00:05.000000005Z last\n");
}

TEST(LogText, only_the_last_lines) {
  EXPECT_EQ(read({.tail_lines = 1}), "last\n");
  EXPECT_EQ(read({.tail_lines = 0}), "");
  EXPECT_EQ(read({.tail_lines = 100}), "one\nhalf whole\n\nlast\n");
}

TEST(LogText, what_comes_after_the_last_lines_passes) {
  LogText text({.tail_lines = 1});
  EXPECT_EQ(text.take(log), "");
  EXPECT_EQ(text.reach_end(), "last\n");
  EXPECT_EQ(text.take("2026-01-01T00:00:06Z stdout F more\n"), "more\n");
}

TEST(LogText, from_a_moment_on) {
  const Instant since = parse_time("2026-01-01T00:00:04Z")->saturated_instant();
  EXPECT_EQ(read({.since = since}), "\nlast\n");
}

TEST(LogText, so_many_bytes_and_no_more) {
  EXPECT_EQ(read({.limit_bytes = 6}), "one\nha");
  EXPECT_EQ(read({.limit_bytes = 0}), "");
  LogText text({.limit_bytes = 4});
  text.take(log);
  EXPECT_TRUE(text.is_full());
}

TEST(LogText, a_line_that_has_not_ended_waits) {
  EXPECT_EQ(read({}, "2026-01-01T00:00:01Z stdout F on"), "");
}

TEST(LogText, what_is_no_such_line_is_shown_as_it_is) {
  EXPECT_EQ(read({}, "what\n a b\n2026 stdin F x\n"), "what\n a b\n2026 stdin F x\n");
}

}  // namespace

}  // namespace muster::agent
