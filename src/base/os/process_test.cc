// SPDX-License-Identifier: Apache-2.0
#include "base/os/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/os/console.h"
#include "base/os/files.h"
#include "base/os/system_error.h"

namespace muster {
namespace {

using ::testing::HasSubstr;

TEST(SystemError, names_the_verb_the_path_and_the_reason) {
  EXPECT_EQ(system_error("open", "data/log", ENOENT),
            (Error{ErrorCode::not_found, "open data/log: No such file or directory"}));
  EXPECT_EQ(system_error("write", "x", ENOSPC).code, ErrorCode::insufficient_storage);
  EXPECT_EQ(system_error("write", "x", EDQUOT).code, ErrorCode::insufficient_storage);
  EXPECT_EQ(system_error("open", "x", EEXIST).code, ErrorCode::already_exists);
  EXPECT_EQ(system_error("getrandom", "", EIO).message, "getrandom: Input/output error");
  EXPECT_EQ(system_error("open", "x", 99999).message, "open x: error 99999");
}

TEST(Process, counts_memory_that_was_touched) {
  const std::uint64_t before = resident_bytes().value();
  EXPECT_GT(before, 100'000U);
  constexpr std::size_t block_bytes = 64 * 1024 * 1024;
  const std::vector<char> block(block_bytes, 'x');
  EXPECT_GT(resident_bytes().value(), before + block_bytes / 2);
}

TEST(Process, tells_unset_from_empty) {
  ::setenv("MUSTER_TEST_EMPTY", "", 1);
  ::unsetenv("MUSTER_TEST_UNSET");
  EXPECT_EQ(environment_variable("MUSTER_TEST_EMPTY"), "");
  EXPECT_EQ(environment_variable("MUSTER_TEST_UNSET"), std::nullopt);
}

TEST(Process, has_the_id_that_the_system_gave_it) {
  EXPECT_EQ(process_id(), ::getpid());
}

TEST(Process, survives_a_broken_pipe_once_told_to) {
  ignore_broken_pipes();
  raise_signal(SIGPIPE);
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

TEST(ProcessDeathTest, exit_hard_says_why_and_leaves_its_status) {
  EXPECT_EXIT(exit_hard("sync data/log: Input/output error"),
              ::testing::ExitedWithCode(exit_hard_status),
              "muster: sync data/log: Input/output error");
}

TEST(Console, reports_a_reader_that_is_gone) {
  ignore_broken_pipes();
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const int kept = ::dup(STDERR_FILENO);
  ASSERT_EQ(::dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  const bool read = write_line(Console::standard_error, "somebody reads");
  ::close(ends[0]);
  const bool unread = write_line(Console::standard_error, "nobody reads");
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  ::close(ends[1]);
  EXPECT_TRUE(read);
  EXPECT_FALSE(unread);
}

TEST(Files, reads_up_to_the_limit_and_not_beyond) {
  const std::string path = ::testing::TempDir() + "muster_files_test";
  FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  const std::string text(100'000, 'm');
  ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  EXPECT_EQ(read_whole_file(path, text.size()).value(), text);
  const auto refused = read_whole_file(path, text.size() - 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_THAT(refused.error().message, HasSubstr(path));
  ::unlink(path.c_str());
  EXPECT_EQ(read_whole_file(path, 1).error().code, ErrorCode::not_found);
}

TEST(Files, reads_what_has_no_size) {
  EXPECT_THAT(read_whole_file("/proc/self/status", 1 << 20).value(), HasSubstr("VmRSS"));
}

}  // namespace
}  // namespace muster
