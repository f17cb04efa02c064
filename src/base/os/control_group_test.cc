// A folder with the kernel's files stands for version 2. That the kernel takes what is written
// there was tried by hand (docs/internals/host_runtime.md).
// SPDX-License-Identifier: Apache-2.0
#include "base/os/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace muster {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ControlGroupVersion2 : public testing::Test {
 protected:
  ControlGroupVersion2() {
    std::string name = (fs::temp_directory_path() / "muster-groups-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    sources_ = {.mounts = folder_ + "/mounts", .own_groups = folder_ + "/own"};
    write("mounts", "cgroup2 " + root() + " cgroup2 rw,nosuid 0 0\nproc /proc proc rw 0 0\n");
    be_in("/user/shell");
    add_group("", "cpu io memory pids", "cpu memory pids");
    add_group("/user", "cpu memory pids", "memory pids");
    add_group("/user/shell", "memory pids", "");
  }
  ~ControlGroupVersion2() override { fs::remove_all(folder_); }

  std::string root() const { return folder_ + "/groups"; }
  void write(const std::string& path, const std::string& text) const {
    std::ofstream(folder_ + "/" + path) << text;
  }
  std::string read(const std::string& path) const {
    std::ifstream file(folder_ + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void be_in(const std::string& group) const { write("own", "0::" + group + "\n"); }
  void add_group(const std::string& path, const std::string& has, const std::string& gives) const {
    fs::create_directories(root() + path);
    write("groups" + path + "/cgroup.controllers", has + "\n");
    write("groups" + path + "/cgroup.subtree_control", gives + "\n");
    write("groups" + path + "/cgroup.procs", "");
  }

  std::string folder_;
  ControlGroupSources sources_;
};

TEST_F(ControlGroupVersion2, groups_are_made_where_most_is_handed_down) {
  const ControlGroups groups = ControlGroups::find(sources_);
  EXPECT_EQ(groups.describe(), "memory, processes and cpu time (cgroup v2)");
  EXPECT_TRUE(groups.is_unified());
  EXPECT_EQ(groups.name_for_runtimes("muster-1-c"), "/muster-1-c");
}

TEST_F(ControlGroupVersion2, of_two_that_hand_down_as_much_the_nearer_one_is_taken) {
  add_group("/user", "cpu memory pids", "cpu memory pids");
  EXPECT_EQ(ControlGroups::find(sources_).name_for_runtimes("x"), "/user/x");
  be_in("/");
  EXPECT_EQ(ControlGroups::find(sources_).name_for_runtimes("x"), "/x");
}

TEST_F(ControlGroupVersion2, nothing_is_limited_where_nothing_is_handed_down) {
  for (const char* path : {"", "/user"}) add_group(path, "memory pids", "");
  const ControlGroups groups = ControlGroups::find(sources_);
  EXPECT_THAT(groups.describe(), HasSubstr("no group that we may write to hands controllers down"));
  EXPECT_FALSE(groups.limits_memory());
  EXPECT_EQ(groups.name_for_runtimes("x"), "/user/shell/x");
}

TEST_F(ControlGroupVersion2, a_group_that_hands_down_all_it_has_is_left_alone) {
  be_in("/user");
  add_group("/user", "io memory pids", "memory pids");
  hand_controllers_down(sources_);
  EXPECT_EQ(read("groups/user/cgroup.subtree_control"), "memory pids\n");
  EXPECT_EQ(read("groups/cgroup.subtree_control"), "cpu memory pids\n");
}

TEST_F(ControlGroupVersion2, what_is_missing_is_asked_for) {
  be_in("/user");
  hand_controllers_down(sources_);
  EXPECT_THAT(read("groups/user/cgroup.subtree_control"), HasSubstr("+cpu"));
}

TEST_F(ControlGroupVersion2, who_has_processes_is_asked_for_nothing) {
  write("groups/user/shell/cgroup.type", "domain\n");
  write("groups/user/shell/cgroup.procs", "1\n");
  hand_controllers_down(sources_);
  EXPECT_EQ(read("groups/user/shell/cgroup.subtree_control"), "\n");
  // Its groups would be threads of it.
  write("groups/user/shell/cgroup.subtree_control", "cpu memory pids\n");
  EXPECT_EQ(ControlGroups::find(sources_).name_for_runtimes("x"), "/x");
}

TEST_F(ControlGroupVersion2, who_is_alone_in_sight_leaves_the_root_to_its_groups) {
  be_in("/");
  write("groups/cgroup.type", "domain\n");
  write("groups/cgroup.procs", "1\n");
  hand_controllers_down(sources_);
  EXPECT_TRUE(fs::exists(root() + "/muster-others"));
}

TEST_F(ControlGroupVersion2, groups_of_another_namespace_are_left_alone) {
  be_in("/../../shell");
  hand_controllers_down(sources_);
  EXPECT_EQ(ControlGroups::find(sources_).describe(), "nothing");
}

TEST_F(ControlGroupVersion2, what_a_group_has_used_is_read_from_its_files) {
  fs::create_directories(root() + "/used");
  write("groups/used/memory.events", "low 0\nmax 7\noom 2\noom_kill 1\n");
  write("groups/used/memory.current", "1000\n");
  write("groups/used/memory.stat", "anon 10\ninactive_file 400\n");
  const ControlGroup group = ControlGroups::find(sources_).named("used");
  EXPECT_EQ(group.killed_for_memory(), 1);
  EXPECT_EQ(group.memory_bytes(), 600);
}

}  // namespace

}  // namespace muster
