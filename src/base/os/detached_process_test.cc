// SPDX-License-Identifier: Apache-2.0
#include "base/os/detached_process.h"

#include <gtest/gtest.h>

#include "base/os/files.h"

namespace muster {
namespace {

constexpr std::size_t text_bytes_max = 4096;

std::string folder() {
  std::string path = ::testing::TempDir() + "detached-process";
  EXPECT_TRUE(make_private_folder(path));
  return path;
}

void wait_until_gone(std::int64_t process) {
  while (process_exists(process)) pause_thread(Span::of_milliseconds(1));
}

TEST(DetachedProcess, writes_its_output_to_the_file_and_is_nobodys_child) {
  const std::string output = folder() + "/output";
  ASSERT_TRUE(remove_file(output));
  const auto process = start_detached({"/bin/sh", "-c", "echo hello; echo oops >&2"}, output);
  ASSERT_TRUE(process) << process.error().to_string();
  wait_until_gone(*process);
  EXPECT_EQ(read_whole_file(output, text_bytes_max).value_or(""), "hello\noops\n");
}

TEST(DetachedProcess, ends_when_asked) {
  const auto process = start_detached({"/bin/sleep", "1000"}, folder() + "/sleep");
  ASSERT_TRUE(process);
  EXPECT_TRUE(process_exists(*process));
  EXPECT_TRUE(terminate_process(*process));
  wait_until_gone(*process);
  EXPECT_TRUE(terminate_process(*process)) << "a process that is gone has ended";
}

TEST(DetachedProcess, says_why_a_program_cannot_be_started) {
  const auto process = start_detached({"/no/such/program"}, folder() + "/none");
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().message, "start /no/such/program: No such file or directory");
}

TEST(Files, a_private_file_is_replaced_as_a_whole) {
  const std::string path = folder() + "/private";
  ASSERT_TRUE(write_private_file(path, "first"));
  ASSERT_TRUE(write_private_file(path, "second"));
  EXPECT_EQ(read_whole_file(path, text_bytes_max).value_or(""), "second");
  EXPECT_TRUE(remove_file(path));
  EXPECT_TRUE(remove_file(path));
}

}  // namespace
}  // namespace muster
