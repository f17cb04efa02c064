// Volumes on a real disk.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>

#include "agent/disk_volume_files.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"

namespace muster::agent {

namespace {

TEST(DiskVolumeFiles, writes_what_the_pod_needs_and_takes_it_away) {
  simulator::VirtualTime time;
  simulator::VirtualExecutor house(time);
  simulator::VirtualDisk disk(time, 1);
  DiskVolumeFiles files(disk, house);
  const std::string pod = testing::TempDir() + "/volume_files_test";
  std::optional<Result<>> written;
  files.write({{.folder = pod + "/volumes/empty"},
               {.folder = pod + "/volumes/map",
                .is_published = true,
                .files = {{.path = "a/b", .bytes = "text", .mode = 0440}}}},
              [&](Result<> outcome) { written = std::move(outcome); });
  EXPECT_FALSE(written.has_value());
  time.run_until_idle();
  ASSERT_TRUE(written && *written);
  EXPECT_EQ(read_whole_file(pod + "/volumes/map/a/b", 100).must(), "text");
  struct stat facts {};
  ASSERT_EQ(::stat((pod + "/volumes/map/a/b").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0440U);
  ASSERT_EQ(::stat((pod + "/volumes/empty").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0777U);
  files.discard(pod);
  time.run_until_idle();
  EXPECT_FALSE(path_exists(pod));
}

TEST(DiskVolumeFiles, says_what_went_wrong) {
  simulator::VirtualTime time;
  simulator::VirtualExecutor house(time);
  simulator::VirtualDisk disk(time, 1);
  DiskVolumeFiles files(disk, house);
  std::optional<Result<>> written;
  files.write({{.folder = "/proc/nowhere/v"}},
              [&](Result<> outcome) { written = std::move(outcome); });
  time.run_until_idle();
  ASSERT_TRUE(written.has_value());
  EXPECT_FALSE(*written);
}

}  // namespace

}  // namespace muster::agent
