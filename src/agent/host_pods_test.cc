// How pods are forgotten, on a loop that the test turns.
// SPDX-License-Identifier: Apache-2.0
#include "agent/host_pods.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/os/folders.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class HostPodsTest : public ::testing::Test {
 protected:
  HostPodsTest() {
    std::string name = (fs::temp_directory_path() / "muster-pods-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~HostPodsTest() override { fs::remove_all(folder_); }

  // A folder of a pod that was never begun is all that is left of it.
  void leave_folder(const std::string& uid) const {
    make_folders(folder_ + "/" + uid + "/logs/main").must();
    replace_file(folder_ + "/" + uid + "/state.json",
                 R"({"uid":")" + uid + R"(","containers":[{"name":"main","phase":"exited"}]})",
                 Durable::no)
        .must();
  }

  std::size_t folders() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
  PollLoop loop_;
};

TEST_F(HostPodsTest, who_removes_many_does_not_hold_up_what_comes_then) {
  for (const char* uid : {"a", "b", "c"}) leave_folder(uid);
  HostPods pods(loop_, {.pods_folder = folder_}, Log::silent(), [](const PodState&) {});
  pods.adopt([&](const Result<std::vector<PodState>>& found) {
    EXPECT_EQ(found.value().size(), 3U);
    loop_.stop();
  });
  loop_.run();
  for (const char* uid : {"a", "b", "c"}) pods.remove(uid);
  EXPECT_EQ(folders(), 3U);  // not one of them is gone before others had their turn
  for (std::size_t left = 3; left > 0; --left) {
    EXPECT_EQ(folders(), left);
    loop_.post_at(SystemClock().monotonic(), [this] { loop_.stop(); });
    loop_.run();
  }
}

}  // namespace
}  // namespace muster::agent
