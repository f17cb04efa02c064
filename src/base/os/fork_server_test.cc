// SPDX-License-Identifier: Apache-2.0
#include "base/os/fork_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/os/files.h"
#include "base/os/pipe.h"

namespace muster {
namespace {

ForkServer server() {
  return ForkServer::start({MUSTER_FORK_SERVER_PROGRAM, "server"}).must();
}

// A child whose descriptor 3 is the returned end of a pipe.
struct Forked {
  ChildProcess child;
  Descriptor said;
};

Forked fork_with_pipe(ForkServer& from, const std::vector<std::string>& arguments) {
  Pipe pipe = make_pipe().must();
  return {from.make_child(arguments, {0, 1, 2, pipe.write.number()}).must(), std::move(pipe.read)};
}

std::string all_of(const Descriptor& from) {
  std::string text;
  while (read_available(from, text)) ::usleep(1000);
  return text;
}

std::string word_of(std::int64_t process, const char* file) {
  return read_whole_file(fmt::format("/proc/{}/{}", process, file), 4096).must();
}

TEST(ForkServerTest, children_have_their_arguments_and_descriptors_and_are_ours) {
  ForkServer forks = server();
  for (const int round : {1, 2, 3}) {
    auto [child, said] = fork_with_pipe(forks, {"a", fmt::to_string(round), "folder/of it"});
    EXPECT_EQ(all_of(said), fmt::format("a\n{}\nfolder/of it\n", round));
    EXPECT_EQ(child.reap_wait(), (ExitStatus{3, 0}));
  }
}

TEST(ForkServerTest, a_child_shows_its_own_arguments_and_has_no_other_descriptors) {
  ForkServer forks = server();
  auto [child, said] = fork_with_pipe(forks, {"muster", "shim", "/pods/u", "stay"});
  std::string text;
  while (text.find("stay") == std::string::npos) read_available(said, text);
  EXPECT_TRUE(word_of(child.id(), "cmdline").starts_with(std::string("muster\0shim\0/pods/u", 19)));
  std::size_t open = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", child.id()))) {
    ++open;
  }
  EXPECT_EQ(open, 4U);
  child.send_signal(SIGKILL);
  EXPECT_EQ(child.reap_wait(), (ExitStatus{137, SIGKILL}));
}

TEST(ForkServerTest, children_outlive_the_server) {
  std::optional<ForkServer> forks = server();
  auto [child, said] = fork_with_pipe(*forks, {"a", "stay"});
  forks.reset();
  EXPECT_FALSE(child.reap());
  child.send_signal(SIGTERM);
  EXPECT_EQ(child.reap_wait(), (ExitStatus{143, SIGTERM}));
}

TEST(ForkServerTest, what_is_too_much_is_refused_and_harms_nobody) {
  ForkServer forks = server();
  EXPECT_FALSE(forks.make_child({std::string(fork_request_bytes_max, 'x')}, {0}));
  EXPECT_FALSE(forks.make_child({"a"}, std::vector<int>(fork_descriptors_max + 1, 0)));
  auto [child, said] = fork_with_pipe(forks, {"a"});
  EXPECT_EQ(child.reap_wait(), (ExitStatus{1, 0}));
}

TEST(ForkServerTest, a_program_that_is_no_server_is_an_error) {
  auto forks = ForkServer::start({"/bin/true"}).must();
  EXPECT_FALSE(forks.make_child({"a"}, {0}));
  EXPECT_FALSE(ForkServer::start({"/nonexistent"}));
}

}  // namespace
}  // namespace muster
