// SPDX-License-Identifier: Apache-2.0
#include "agent/container_log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace muster::agent {
namespace {

// 2026-11-15T07:31:17.000000042Z
constexpr Instant now{1'794'727'877'000'000'042};
const std::string time = "2026-11-15T07:31:17.000000042Z";

TEST(LogLinesTest, a_line_is_written_when_it_ends) {
  LogLines lines("stdout");
  EXPECT_EQ(lines.take("hel", now), "");
  EXPECT_EQ(lines.take("lo\n\nwor", now), time + " stdout F hello\n" + time + " stdout F \n");
  EXPECT_EQ(lines.finish(now), time + " stdout P wor\n");
  EXPECT_EQ(lines.finish(now), "");
}

TEST(LogLinesTest, a_line_of_exactly_the_limit_is_whole) {
  LogLines lines("stderr");
  const std::string text(log_line_bytes_max, 'x');
  EXPECT_EQ(lines.take(text, now), "");
  EXPECT_EQ(lines.take("\n", now), time + " stderr F " + text + "\n");
}

TEST(LogLinesTest, a_longer_line_comes_in_parts) {
  LogLines lines("stderr");
  const std::string text(log_line_bytes_max, 'x');
  EXPECT_EQ(lines.take(text + "yz\n", now),
            time + " stderr P " + text + "\n" + time + " stderr F yz\n");
}

class LogFilesTest : public ::testing::Test {
 protected:
  LogFilesTest() {
    folder_ = ::testing::TempDir() + "muster_log_XXXXXX";
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    path_ = folder_ + "/0.log";
  }
  ~LogFilesTest() override { std::filesystem::remove_all(folder_); }

  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string folder_;
  std::string path_;
};

TEST_F(LogFilesTest, the_newest_lines_are_kept_and_never_cut) {
  LogFiles files(path_, {.file_bytes = 10, .files = 2});
  files.write("aaaa\nbbbb\ncccc\n");
  EXPECT_EQ(text_of(path_), "cccc\n");
  EXPECT_EQ(text_of(path_ + ".1"), "aaaa\nbbbb\n");
  files.write("dddd\neeee\n");
  EXPECT_EQ(text_of(path_), "eeee\n");
  EXPECT_EQ(text_of(path_ + ".1"), "cccc\ndddd\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".2"));
}

TEST_F(LogFilesTest, a_line_longer_than_a_file_has_one_for_itself) {
  LogFiles files(path_, {.file_bytes = 4, .files = 3});
  files.write("a\nbbbbbbbb\nc\n");
  EXPECT_EQ(text_of(path_), "c\n");
  EXPECT_EQ(text_of(path_ + ".1"), "bbbbbbbb\n");
  EXPECT_EQ(text_of(path_ + ".2"), "a\n");
}

TEST_F(LogFilesTest, a_single_file_begins_anew) {
  LogFiles files(path_, {.file_bytes = 4, .files = 1});
  files.write("aa\nbb\n");
  EXPECT_EQ(text_of(path_), "bb\n");
}

TEST_F(LogFilesTest, a_log_that_cannot_be_written_is_lost_without_a_word) {
  LogFiles files(folder_ + "/absent/0.log", {});
  files.write("a\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/absent"));
}

}  // namespace
}  // namespace muster::agent
