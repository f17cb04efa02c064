// SPDX-License-Identifier: Apache-2.0
#include "base/os/child_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/unix_socket.h"

namespace muster {
namespace {

SpawnOptions shell(const std::string& script) {
  return {.program = "/bin/sh", .arguments = {"sh", "-c", script}};
}

std::string all_of(const Descriptor& from) {
  std::string text;
  while (read_available(from, text)) ::usleep(1000);
  return text;
}

TEST(ChildProcessTest, its_end_is_its_code_or_its_signal) {
  EXPECT_EQ(ChildProcess::spawn(shell("exit 7")).must().reap_wait(), (ExitStatus{7, 0}));
  EXPECT_EQ(ChildProcess::spawn(shell("kill -TERM $$")).must().reap_wait(),
            (ExitStatus{143, SIGTERM}));
}

TEST(ChildProcessTest, while_it_runs_there_is_nothing_to_reap) {
  auto child =
      ChildProcess::spawn({.program = "/bin/sleep", .arguments = {"sleep", "1000"}}).must();
  EXPECT_FALSE(child.reap());
  ::kill(static_cast<pid_t>(child.id()), SIGKILL);
  EXPECT_EQ(child.reap_wait(), (ExitStatus{137, SIGKILL}));
}

TEST(ChildProcessTest, it_has_the_environment_and_descriptors_it_was_given_and_no_others) {
  Pipe pipe = make_pipe().must();
  const Descriptor unmarked(::dup(STDIN_FILENO));
  SpawnOptions options = shell("echo $NAME >&4; exec ls /proc/self/fd >&4");
  options.environment = {"NAME=value"};
  options.descriptors = {{pipe.write.number(), 4}};
  auto child = ChildProcess::spawn(options).must();
  pipe.write = Descriptor();
  // Of the ls: its standard ones, ours, and the folder it reads.
  EXPECT_EQ(all_of(pipe.read), "value\n0\n1\n2\n3\n4\n");
  child.reap_wait();
}

TEST(ChildProcessTest, numbers_that_cross_are_passed_right) {
  Pipe one = make_pipe().must();
  Pipe two = make_pipe().must();
  SpawnOptions options =
      shell(fmt::format("echo one >&{}; echo two >&{}", two.write.number(), one.write.number()));
  options.descriptors = {{one.write.number(), two.write.number()},
                         {two.write.number(), one.write.number()}};
  auto child = ChildProcess::spawn(options).must();
  one.write = Descriptor();
  two.write = Descriptor();
  EXPECT_EQ(all_of(one.read), "one\n");
  EXPECT_EQ(all_of(two.read), "two\n");
  child.reap_wait();
}

TEST(ChildProcessTest, a_program_that_is_not_there_is_an_error) {
  const auto child = ChildProcess::spawn({.program = "/no/such/program", .arguments = {"x"}});
  EXPECT_EQ(child.error(),
            (Error{ErrorCode::not_found, "start /no/such/program: No such file or directory"}));
}

TEST(ChildProcessTest, a_handle_is_of_one_process_and_no_later_one) {
  auto child =
      ChildProcess::spawn({.program = "/bin/sleep", .arguments = {"sleep", "1000"}}).must();
  const std::uint64_t ticks = process_start_ticks(child.id()).must();
  EXPECT_EQ(ProcessHandle::open(child.id(), ticks + 1).error().code, ErrorCode::not_found);
  ProcessHandle::open(child.id(), ticks).must().end_at_once().must();
  EXPECT_EQ(child.reap_wait().signal, SIGKILL);
  EXPECT_EQ(ProcessHandle::open(child.id(), ticks).error().code, ErrorCode::not_found);
}

class FoldersTest : public ::testing::Test {
 protected:
  FoldersTest() {
    folder_ = ::testing::TempDir() + "muster_folders_XXXXXX";
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~FoldersTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(FoldersTest, a_tree_is_removed_and_what_it_links_to_is_not) {
  make_folders(folder_ + "/tree/a/b").must();
  make_folders(folder_ + "/other").must();
  replace_file(folder_ + "/other/file", "x", Durable::yes).must();
  replace_file(folder_ + "/tree/a/file", "x", Durable::no).must();
  std::filesystem::create_symlink(folder_ + "/other", folder_ + "/tree/a/link");
  std::filesystem::permissions(folder_ + "/tree/a", std::filesystem::perms::none);
  remove_folder_tree(folder_ + "/tree").must();
  EXPECT_EQ(names_in_folder(folder_).must(), std::vector<std::string>{"other"});
  EXPECT_TRUE(path_exists(folder_ + "/other/file"));
  remove_folder_tree(folder_ + "/tree").must();
}

TEST_F(FoldersTest, a_lock_is_inherited_by_a_child_and_ends_with_the_last_holder) {
  const std::string path = folder_ + "/lock";
  auto lock = lock_file(path).must();
  EXPECT_EQ(lock_file(path).error().code, ErrorCode::conflict);
  SpawnOptions options = shell("read line <&3");
  Pipe pipe = make_pipe().must();
  options.descriptors = {{pipe.read.number(), 3}, {lock.number(), 4}};
  auto child = ChildProcess::spawn(options).must();
  lock = Descriptor();
  EXPECT_EQ(lock_file(path).error().code, ErrorCode::conflict);
  pipe.write = Descriptor();
  child.reap_wait();
  EXPECT_TRUE(lock_file(path).has_value());
}

TEST_F(FoldersTest, sockets_are_found_below_folders_with_long_names) {
  const std::string deep = folder_ + "/" + std::string(200, 'x');
  make_folders(deep).must();
  EXPECT_EQ(connect_in(deep, "control").error().code, ErrorCode::not_found);
  auto listener = listen_in(deep, "control").must();
  EXPECT_FALSE(accept_from(listener.number()));
  const auto peer = connect_in(deep, "control").must();
  EXPECT_TRUE(accept_from(listener.number()));
  listener = Descriptor();
  EXPECT_EQ(connect_in(deep, "control").error().code, ErrorCode::not_found);
  EXPECT_TRUE(listen_in(deep, "control").has_value()) << "a dead socket is replaced";
}

}  // namespace
}  // namespace muster
