// What only the real disk shows: modes, errors of the kernel, other processes. The rest is in
// tests/suites/disk_suite.h.
// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_disk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace muster {
namespace {

class SystemDiskTest : public ::testing::Test {
 protected:
  SystemDiskTest() {
    folder_ = ::testing::TempDir() + "muster_system_disk_XXXXXX";
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~SystemDiskTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777U;
  }

  std::string folder_;
  SystemDisk disk_;
};

TEST_F(SystemDiskTest, keeps_files_and_folders_to_their_owner) {
  const mode_t before = ::umask(0);
  disk_.make_folder(path("a/b")).must();
  disk_.open(path("a/file"), OpenMode::create).must();
  disk_.lock(path("a/lock")).must();
  ::umask(before);
  EXPECT_EQ(mode_of(path("a")), 0700U);
  EXPECT_EQ(mode_of(path("a/b")), 0700U);
  EXPECT_EQ(mode_of(path("a/file")), 0600U);
  EXPECT_EQ(mode_of(path("a/lock")), 0600U);
}

TEST_F(SystemDiskTest, a_full_device_is_insufficient_storage) {
  const auto full = disk_.open("/dev/full", OpenMode::read_write).must();
  const std::byte byte{};
  const auto refused = full->write_at(0, std::span(&byte, 1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(),
            (Error{ErrorCode::insufficient_storage, "write /dev/full: No space left on device"}));
}

TEST_F(SystemDiskTest, a_failed_sync_is_reported) {
  // A pipe-like device has nothing to sync and says so.
  const auto device = disk_.open("/dev/full", OpenMode::read_write).must();
  EXPECT_EQ(device->sync().error().code, ErrorCode::internal);
}

// Forks a process that tries to take the lock and returns what it met.
enum class Met : int { took_it = 10, conflict = 11, other = 12 };

Met try_in_another_process(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    SystemDisk disk;
    const auto lock = disk.lock(path);
    if (lock.has_value()) ::_exit(static_cast<int>(Met::took_it));
    const bool conflict = lock.error().code == ErrorCode::conflict;
    ::_exit(static_cast<int>(conflict ? Met::conflict : Met::other));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return static_cast<Met>(WEXITSTATUS(status));
}

TEST_F(SystemDiskTest, a_lock_holds_against_other_processes_and_dies_with_its_own) {
  EXPECT_EQ(try_in_another_process(path("lock")), Met::took_it);
  auto lock = disk_.lock(path("lock")).must();
  EXPECT_EQ(try_in_another_process(path("lock")), Met::conflict);
  lock.reset();
  EXPECT_EQ(try_in_another_process(path("lock")), Met::took_it);
}

TEST_F(SystemDiskTest, a_job_that_never_ran_is_dropped_with_its_completion) {
  const auto owned = std::make_shared<int>(0);
  {
    EventLoop house;
    SystemDisk disk;
    disk.submit(
        DiskLane::commit, [owned] { ++*owned; }, house, [owned] { ++*owned; });
    EXPECT_EQ(owned.use_count(), 3);
  }
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(*owned, 0);
}

}  // namespace
}  // namespace muster
