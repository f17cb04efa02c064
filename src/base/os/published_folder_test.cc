// SPDX-License-Identifier: Apache-2.0
#include "base/os/published_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace muster {

namespace {

namespace fs = std::filesystem;

class PublishedFolder : public testing::Test {
 protected:
  PublishedFolder() {
    std::string name = (fs::temp_directory_path() / "muster-published-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~PublishedFolder() override { fs::remove_all(folder_); }

  void publish(const std::vector<PublishedFile>& files) { publish_files(folder_, files).must(); }
  std::string read(const std::string& path) const {
    std::ifstream file(folder_ + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& each : fs::directory_iterator(folder_)) {
      found.push_back(each.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  std::string folder_;
};

TEST_F(PublishedFolder, files_lie_behind_one_link) {
  publish({{.path = "token", .bytes = "t"}, {.path = "a/b", .bytes = "deep", .mode = 0400}});
  EXPECT_EQ(read("token"), "t");
  EXPECT_EQ(read("a/b"), "deep");
  EXPECT_EQ(fs::read_symlink(folder_ + "/token"), "..data/token");
  EXPECT_EQ(fs::read_symlink(folder_ + "/..data"), "..1");
  EXPECT_EQ(names(), (std::vector<std::string>{"..1", "..data", "a", "token"}));
  EXPECT_EQ(fs::status(folder_ + "/a/b").permissions(), fs::perms(0400));
}

TEST_F(PublishedFolder, a_change_replaces_the_whole_and_leaves_nothing_of_the_old) {
  publish({{.path = "a", .bytes = "1"}, {.path = "b", .bytes = "1"}});
  publish({{.path = "b", .bytes = "2"}, {.path = "c", .bytes = "2"}});
  EXPECT_EQ(read("b"), "2");
  EXPECT_EQ(read("c"), "2");
  EXPECT_EQ(names(), (std::vector<std::string>{"..2", "..data", "b", "c"}));
}

TEST_F(PublishedFolder, what_is_the_same_is_not_written_again) {
  publish({{.path = "a", .bytes = "1"}});
  publish({{.path = "a", .bytes = "1"}});
  EXPECT_EQ(fs::read_symlink(folder_ + "/..data"), "..1");
  publish({{.path = "a", .bytes = "1", .mode = 0600}});
  EXPECT_EQ(fs::read_symlink(folder_ + "/..data"), "..2");
}

TEST_F(PublishedFolder, goes_on_after_a_writer_was_killed) {
  publish({{.path = "a", .bytes = "1"}});
  fs::create_directory(folder_ + "/..2");
  std::ofstream(folder_ + "/..2/half") << "x";
  fs::create_symlink("..2", folder_ + "/..data_tmp");
  publish({{.path = "a", .bytes = "2"}});
  EXPECT_EQ(read("a"), "2");
  EXPECT_EQ(names(), (std::vector<std::string>{"..2", "..data", "a"}));
}

TEST_F(PublishedFolder, nothing_is_a_state_too) {
  publish({{.path = "a", .bytes = "1"}});
  publish({});
  EXPECT_EQ(names(), (std::vector<std::string>{"..2", "..data"}));
}

}  // namespace

}  // namespace muster
