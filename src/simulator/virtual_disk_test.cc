// SPDX-License-Identifier: Apache-2.0
#include "simulator/virtual_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::simulator {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t seeds = 100;
constexpr CrashPolicy lose_all = {Survival::none, Survival::none};
constexpr CrashPolicy keep_all = {Survival::all, Survival::all};

class VirtualDiskTest : public ::testing::Test {
 protected:
  static std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  static std::unique_ptr<File> put(VirtualDisk& disk, const std::string& path,
                                   std::string_view text) {
    auto file = disk.open(path, OpenMode::create).must();
    file->write_at(0, bytes_of(text)).must();
    return file;
  }
  static void put_durably(VirtualDisk& disk, const std::string& path, std::string_view text) {
    put(disk, path, text)->sync().must();
    disk.sync_folder(".").must();
  }
  static std::string text_at(VirtualDisk& disk, const std::string& path) {
    const auto file = disk.open(path, OpenMode::read);
    if (!file.has_value()) return "(absent)";
    std::string text(file.value()->size().must(), '?');
    const auto into = std::as_writable_bytes(std::span(text.data(), text.size()));
    file.value()->read_at(0, into).must();
    return text;
  }

  VirtualTime time_;
  VirtualDisk disk_{time_, 1};
};

TEST_F(VirtualDiskTest, syncing_a_file_does_not_make_its_name_durable) {
  put(disk_, "a", "text")->sync().must();
  disk_.crash(lose_all);
  EXPECT_FALSE(disk_.exists("a").value());
  put_durably(disk_, "a", "text");
  disk_.crash(lose_all);
  EXPECT_EQ(text_at(disk_, "a"), "text");
}

TEST_F(VirtualDiskTest, a_folder_is_durable_when_it_is_made) {
  disk_.make_folder("a/b").must();
  disk_.crash(lose_all);
  EXPECT_TRUE(disk_.exists("a/b").value());
}

TEST_F(VirtualDiskTest, a_removed_file_returns_unless_its_folder_was_synced) {
  put_durably(disk_, "a", "text");
  disk_.remove("a").must();
  disk_.crash(lose_all);
  EXPECT_EQ(text_at(disk_, "a"), "text");
  disk_.remove("a").must();
  disk_.sync_folder(".").must();
  disk_.crash(lose_all);
  EXPECT_FALSE(disk_.exists("a").value());
}

TEST_F(VirtualDiskTest, a_rename_happens_whole_or_not_at_all) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    VirtualDisk disk(time_, seed);
    disk.make_folder("from").must();
    put_durably(disk, "current", "old");
    put(disk, "from/new", "new")->sync().must();
    disk.sync_folder("from").must();
    disk.rename("from/new", "current").must();
    disk.crash();
    outcomes.insert(text_at(disk, "current") + " " + text_at(disk, "from/new"));
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"old new", "new (absent)"}));
}

TEST_F(VirtualDiskTest, syncing_either_folder_of_a_rename_settles_it) {
  for (const char* folder : {"from", "to"}) {
    VirtualDisk disk(time_, 1);
    disk.make_folder("from").must();
    disk.make_folder("to").must();
    put(disk, "from/a", "text")->sync().must();
    disk.sync_folder("from").must();
    disk.rename("from/a", "to/a").must();
    disk.sync_folder(folder).must();
    disk.crash(lose_all);
    EXPECT_EQ(text_at(disk, "to/a"), "text");
    EXPECT_FALSE(disk.exists("from/a").value());
  }
}

TEST_F(VirtualDiskTest, no_crash_tears_a_moved_folder_off_the_tree) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    VirtualDisk disk(time_, seed);
    disk.make_folder("a/b").must();
    put(disk, "a/b/file", "text")->sync().must();
    disk.sync_folder("a/b").must();
    disk.rename("a/b", "b").must();
    disk.rename("a", "b/a").must();
    disk.crash();
    EXPECT_EQ(text_at(disk, "b/file"), "text");
    EXPECT_NE(disk.exists("a").value(), disk.exists("b/a").value());
  }
}

TEST_F(VirtualDiskTest, handles_and_locks_die_with_the_process) {
  put_durably(disk_, "a", "text");
  const auto file = disk_.open("a", OpenMode::read_write).must();
  const auto lock = disk_.lock("lock").must();
  disk_.crash(keep_all);
  std::byte byte{};
  EXPECT_THAT(file->read_at(0, std::span(&byte, 1)).error().message, HasSubstr("before the crash"));
  EXPECT_FALSE(file->write_at(0, bytes_of("x")).has_value());
  EXPECT_FALSE(file->sync().has_value());
  EXPECT_FALSE(file->truncate(0).has_value());
  EXPECT_FALSE(file->size().has_value());
  const auto successor = disk_.lock("lock").must();
  EXPECT_EQ(text_at(disk_, "a"), "text");
}

TEST_F(VirtualDiskTest, a_dead_lock_does_not_release_its_successor) {
  auto dead = disk_.lock("lock").must();
  disk_.crash(keep_all);
  const auto successor = disk_.lock("lock").must();
  dead.reset();
  EXPECT_EQ(disk_.lock("lock").error().code, ErrorCode::conflict);
}

TEST_F(VirtualDiskTest, a_full_disk_takes_what_fits_and_recovers_with_room) {
  put_durably(disk_, "other", std::string(600, 'o'));
  const auto file = put(disk_, "a", std::string(300, 'a'));
  disk_.set_capacity(1000);
  const auto refused = file->write_at(300, bytes_of(std::string(200, 'b')));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::insufficient_storage);
  EXPECT_EQ(refused.error().message, "write a: No space left on device");
  EXPECT_EQ(file->size().value(), 400U) << "a short write came before the refusal";
  EXPECT_TRUE(file->write_at(0, bytes_of("inside")).has_value()) << "nothing grows";
  EXPECT_FALSE(file->write_at(5000, bytes_of("x")).has_value());
  disk_.set_capacity(1100);
  EXPECT_TRUE(file->write_at(300, bytes_of(std::string(200, 'b'))).has_value());
  disk_.remove("other").must();
  EXPECT_EQ(disk_.used_bytes(), 500U);
  EXPECT_TRUE(file->write_at(500, bytes_of(std::string(600, 'c'))).has_value());
}

TEST_F(VirtualDiskTest, the_chosen_read_write_and_sync_fail) {
  const auto file = put(disk_, "a", std::string(4096, 'a'));
  std::byte byte{};
  disk_.fail_read(2);
  EXPECT_TRUE(file->read_at(0, std::span(&byte, 1)).has_value());
  EXPECT_EQ(file->read_at(0, std::span(&byte, 1)).error().code, ErrorCode::internal);
  EXPECT_TRUE(file->read_at(0, std::span(&byte, 1)).has_value());
  disk_.fail_write(1);
  EXPECT_EQ(file->write_at(0, bytes_of(std::string(4096, 'b'))).error().message,
            "write a: Input/output error");
  EXPECT_EQ(text_at(disk_, "a"), std::string(2048, 'b') + std::string(2048, 'a'));
  disk_.fail_sync(1);
  EXPECT_FALSE(file->sync().has_value());
  EXPECT_TRUE(file->sync().has_value());
}

TEST_F(VirtualDiskTest, damage_flips_one_bit_inside_the_range) {
  const std::string before(100, 'a');
  put_durably(disk_, "a", before);
  disk_.damage("a", 40, 20);
  const std::string after = text_at(disk_, "a");
  int differing = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const unsigned bits = static_cast<unsigned char>(before[i] ^ after[i]);
    differing += std::popcount(bits);
    EXPECT_TRUE(bits == 0 || (i >= 40 && i < 60));
  }
  EXPECT_EQ(differing, 1);
}

TEST_F(VirtualDiskTest, jobs_take_virtual_time_and_lanes_overlap) {
  VirtualExecutor house(time_);
  disk_.set_speed({.per_operation = Span::of_milliseconds(1),
                   .per_sync = Span::of_milliseconds(10),
                   .per_mebibyte = {}});
  const MonotonicInstant start = time_.now();
  std::vector<std::int64_t> ends;
  const auto note = [&] { ends.push_back((time_.now() - start).nanoseconds / 1'000'000); };
  const auto work = [&](const std::string& path) {
    return [this, path] { put(disk_, path, "text")->sync().must(); };
  };
  disk_.submit(DiskLane::commit, work("a"), house, note);      // create, write, sync: 13 ms
  disk_.submit(DiskLane::commit, work("b"), house, note);      // after it: 26 ms
  disk_.submit(DiskLane::background, work("c"), house, note);  // beside it: 13 ms
  EXPECT_TRUE(time_.run_until_idle());
  EXPECT_EQ(ends, (std::vector<std::int64_t>{13, 13, 26}));
}

TEST_F(VirtualDiskTest, the_hook_sees_every_change_before_it_happens) {
  std::vector<DiskOperation::Kind> kinds;
  std::string sizes;
  disk_.set_hook([&](const DiskOperation& operation) {
    kinds.push_back(operation.kind);
    EXPECT_EQ(operation.number, kinds.size());
    if (operation.kind == DiskOperation::Kind::write) sizes = text_at(disk_, "f/a");
  });
  disk_.make_folder("f").must();
  const auto file = put(disk_, "f/a", "text");
  file->sync().must();
  file->truncate(1).must();
  disk_.rename("f/a", "f/b").must();
  disk_.remove("f/b").must();
  disk_.sync_folder("f").must();
  using Kind = DiskOperation::Kind;
  EXPECT_EQ(kinds,
            (std::vector<Kind>{Kind::make_folder, Kind::create, Kind::write, Kind::sync,
                               Kind::truncate, Kind::rename, Kind::remove, Kind::sync_folder}));
  EXPECT_EQ(disk_.operations(), 8U);
  EXPECT_EQ(sizes, "");
}

TEST_F(VirtualDiskTest, a_crash_forgets_jobs_and_completions) {
  VirtualExecutor house(time_);
  int completed = 0;
  for (int i = 0; i < 3; ++i) {
    disk_.submit(
        DiskLane::commit, [] {}, house, [&] { ++completed; });
  }
  EXPECT_TRUE(time_.run_until([&] { return completed == 1; }));
  disk_.crash();
  EXPECT_TRUE(time_.run_until_idle());
  EXPECT_EQ(completed, 1);
  disk_.submit(
      DiskLane::commit, [] {}, house, [&] { ++completed; });
  EXPECT_TRUE(time_.run_until_idle());
  EXPECT_EQ(completed, 2) << "the lane works again";
}

}  // namespace
}  // namespace muster::simulator
