// What every Disk promises. A world is a disk whose lanes run, a house executor that the test
// runs on its own thread, and an empty folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"

namespace muster::suites {

class DiskWorld {
 public:
  virtual ~DiskWorld() = default;
  virtual Disk& disk() = 0;
  virtual std::string folder() = 0;
  virtual Executor& house() = 0;

  // Runs the house's callbacks until one of them calls stop().
  virtual void run() = 0;
  virtual void stop() = 0;
};

using DiskWorldFactory = std::unique_ptr<DiskWorld> (*)();

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class DiskSuite : public ::testing::TestWithParam<DiskWorldFactory> {
 protected:
  Disk& disk() { return world_->disk(); }
  std::string path(const std::string& name) { return world_->folder() + "/" + name; }

  std::unique_ptr<File> create(const std::string& name, std::string_view text = "") {
    auto file = disk().open(path(name), OpenMode::create_new).must();
    file->write_at(0, bytes_of(text)).must();
    return file;
  }
  static std::string read(File& file, std::uint64_t offset, std::size_t length) {
    std::string text(length, '?');
    const auto into = std::as_writable_bytes(std::span(text.data(), text.size()));
    text.resize(file.read_at(offset, into).must());
    return text;
  }
  std::string contents(const std::string& name) {
    const auto file = disk().open(path(name), OpenMode::read).must();
    return read(*file, 0, file->size().must());
  }
  ErrorCode open_error(const std::string& name, OpenMode mode) {
    const auto opened = disk().open(path(name), mode);
    EXPECT_FALSE(opened.has_value()) << name;
    if (opened.has_value()) return ErrorCode::timeout;
    EXPECT_THAT(opened.error().message, ::testing::HasSubstr(path(name)));
    return opened.error().code;
  }

  std::unique_ptr<DiskWorld> world_ = GetParam()();
};

TEST_P(DiskSuite, reads_back_what_it_wrote) {
  const auto file = create("a", "gang of four");
  EXPECT_EQ(read(*file, 0, 100), "gang of four") << "short only at the end";
  EXPECT_EQ(read(*file, 8, 2), "fo");
  EXPECT_EQ(read(*file, 12, 1), "");
  EXPECT_EQ(read(*file, 4000, 1), "");
  EXPECT_EQ(file->size().value(), 12U);
}

TEST_P(DiskSuite, overwrites_in_place_and_extends_at_the_end) {
  const auto file = create("a", "0123456789");
  file->write_at(8, bytes_of("abcd")).must();
  file->write_at(0, bytes_of("X")).must();
  file->write_at(3, bytes_of("")).must();
  EXPECT_EQ(read(*file, 0, 100), "X1234567abcd");
}

TEST_P(DiskSuite, a_gap_reads_as_zeros) {
  const auto file = create("a", "x");
  file->write_at(4, bytes_of("y")).must();
  EXPECT_EQ(read(*file, 0, 100), std::string("x\0\0\0y", 5));
}

TEST_P(DiskSuite, truncate_cuts_and_lengthens) {
  const auto file = create("a", "0123456789");
  file->truncate(4).must();
  EXPECT_EQ(read(*file, 0, 100), "0123");
  file->truncate(6).must();
  EXPECT_EQ(read(*file, 0, 100), std::string("0123\0\0", 6)) << "the old bytes do not return";
}

TEST_P(DiskSuite, takes_a_megabyte_in_one_call) {
  std::string text(1 << 20, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  const auto file = create("a", text);
  file->sync().must();
  EXPECT_EQ(contents("a"), text);
}

TEST_P(DiskSuite, two_handles_see_one_file) {
  const auto writer = create("a", "one");
  const auto reader = disk().open(path("a"), OpenMode::read).must();
  writer->write_at(0, bytes_of("two")).must();
  EXPECT_EQ(read(*reader, 0, 3), "two");
}

TEST_P(DiskSuite, open_modes_say_what_must_exist) {
  EXPECT_EQ(open_error("absent", OpenMode::read), ErrorCode::not_found);
  EXPECT_EQ(open_error("absent", OpenMode::read_write), ErrorCode::not_found);
  create("present", "text");
  EXPECT_EQ(open_error("present", OpenMode::create_new), ErrorCode::already_exists);
  EXPECT_TRUE(disk().open(path("present"), OpenMode::create).has_value());
  EXPECT_EQ(contents("present"), "text") << "create keeps what is there";
  EXPECT_TRUE(disk().open(path("fresh"), OpenMode::create).has_value());
  EXPECT_EQ(contents("fresh"), "");
}

TEST_P(DiskSuite, a_file_is_no_folder_and_a_folder_no_file) {
  disk().make_folder(path("folder")).must();
  create("file");
  for (const OpenMode mode : {OpenMode::read, OpenMode::read_write, OpenMode::create}) {
    EXPECT_EQ(open_error("folder", mode), ErrorCode::internal);
  }
  EXPECT_EQ(open_error("file/below", OpenMode::create), ErrorCode::internal);
  EXPECT_EQ(open_error("absent/below", OpenMode::create), ErrorCode::not_found);
  EXPECT_EQ(disk().remove(path("folder")).error().code, ErrorCode::internal);
  EXPECT_EQ(disk().list(path("file")).error().code, ErrorCode::internal);
  EXPECT_EQ(disk().make_folder(path("file")).error().code, ErrorCode::internal);
  EXPECT_EQ(disk().make_folder(path("file/below")).error().code, ErrorCode::internal);
  EXPECT_FALSE(disk().exists(path("file/below")).value());
}

TEST_P(DiskSuite, a_file_opened_for_reading_cannot_be_changed) {
  create("a", "text");
  const auto file = disk().open(path("a"), OpenMode::read).must();
  EXPECT_EQ(file->write_at(0, bytes_of("x")).error().code, ErrorCode::internal);
  EXPECT_EQ(file->truncate(0).error().code, ErrorCode::internal);
  EXPECT_EQ(contents("a"), "text");
}

TEST_P(DiskSuite, offsets_beyond_all_files_are_errors) {
  const auto file = create("a", "text");
  constexpr std::uint64_t far = ~std::uint64_t{0} - 2;
  std::byte byte{};
  EXPECT_EQ(file->read_at(far, std::span(&byte, 1)).error().code, ErrorCode::internal);
  EXPECT_EQ(file->write_at(far, bytes_of("x")).error().code, ErrorCode::internal);
  EXPECT_EQ(file->truncate(far).error().code, ErrorCode::internal);
  EXPECT_EQ(contents("a"), "text");
}

TEST_P(DiskSuite, remove_takes_the_name_and_leaves_open_handles) {
  const auto file = create("a", "text");
  disk().remove(path("a")).must();
  EXPECT_FALSE(disk().exists(path("a")).value());
  EXPECT_EQ(disk().remove(path("a")).error().code, ErrorCode::not_found);
  EXPECT_EQ(read(*file, 0, 4), "text");
  create("a", "other");
  EXPECT_EQ(read(*file, 0, 4), "text") << "a new file of the old name is another file";
}

TEST_P(DiskSuite, rename_replaces_and_follows_the_file) {
  const auto file = create("new", "new");
  create("old", "old");
  disk().rename(path("new"), path("old")).must();
  disk().sync_folder(world_->folder()).must();
  EXPECT_FALSE(disk().exists(path("new")).value());
  EXPECT_EQ(contents("old"), "new");
  file->write_at(0, bytes_of("NEW")).must();
  EXPECT_EQ(contents("old"), "NEW");
  const auto refused = disk().rename(path("absent"), path("old"));
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr(path("absent")));
  disk().rename(path("old"), path("old")).must();
  EXPECT_EQ(contents("old"), "NEW");
}

TEST_P(DiskSuite, rename_moves_between_folders_and_moves_folders) {
  disk().make_folder(path("from")).must();
  disk().make_folder(path("to")).must();
  create("from/a", "text");
  disk().rename(path("from/a"), path("to/b")).must();
  EXPECT_EQ(contents("to/b"), "text");
  disk().rename(path("to"), path("from/inner")).must();
  EXPECT_EQ(contents("from/inner/b"), "text");
  EXPECT_FALSE(disk().exists(path("to")).value());
  EXPECT_FALSE(disk().rename(path("from"), path("from/inner/self")).has_value());
  create("file");
  EXPECT_FALSE(disk().rename(path("file"), path("from")).has_value());
  EXPECT_FALSE(disk().rename(path("from"), path("file")).has_value());
  disk().make_folder(path("empty")).must();
  EXPECT_FALSE(disk().rename(path("empty"), path("from")).has_value()) << "it is not empty";
  disk().rename(path("from/inner"), path("empty")).must();
  EXPECT_EQ(contents("empty/b"), "text");
}

TEST_P(DiskSuite, lists_names_in_order) {
  EXPECT_TRUE(disk().list(world_->folder()).value().empty());
  for (const char* name : {"b", "a", "c10", "c9", ".hidden"}) create(name);
  disk().make_folder(path("d/e")).must();
  EXPECT_EQ(disk().list(world_->folder()).value(),
            (std::vector<std::string>{".hidden", "a", "b", "c10", "c9", "d"}));
  EXPECT_EQ(disk().list(path("d")).value(), std::vector<std::string>{"e"});
  EXPECT_EQ(disk().list(path("absent")).error().code, ErrorCode::not_found);
}

TEST_P(DiskSuite, makes_folders_with_their_parents_and_again) {
  disk().make_folder(path("a/b/c")).must();
  disk().make_folder(path("a/b/c")).must();
  disk().make_folder(path("a//b/d/")).must();
  create("a/b/c/file", "deep");
  EXPECT_EQ(contents("a/b/c/file"), "deep");
  EXPECT_TRUE(disk().exists(path("a/b/d")).value());
  disk().sync_folder(path("a/b/c")).must();
  EXPECT_EQ(disk().sync_folder(path("absent")).error().code, ErrorCode::not_found);
  EXPECT_FALSE(disk().make_folder("").has_value());
  EXPECT_FALSE(disk().open("", OpenMode::create).has_value());
}

TEST_P(DiskSuite, a_lock_has_one_holder) {
  auto first = disk().lock(path("lock")).must();
  const auto second = disk().lock(path("lock"));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, ::testing::HasSubstr(path("lock")));
  EXPECT_TRUE(disk().lock(path("other")).has_value());
  first.reset();
  EXPECT_TRUE(disk().lock(path("lock")).has_value());
}

TEST_P(DiskSuite, runs_the_jobs_of_a_lane_in_order_and_completes_them_in_order) {
  std::vector<int> worked;     // touched by the lane alone
  std::vector<int> completed;  // touched by the house alone
  for (int i = 0; i < 100; ++i) {
    disk().submit(
        DiskLane::commit, [&worked, i] { worked.push_back(i); }, world_->house(),
        [&, i] {
          completed.push_back(i);
          if (i == 99) world_->stop();
        });
  }
  world_->run();
  EXPECT_EQ(worked, completed);
  EXPECT_EQ(completed.size(), 100U);
}

TEST_P(DiskSuite, a_job_works_on_files_and_its_completion_sees_the_outcome) {
  Result<> outcome = Error::internal("never ran");
  bool in_house = false;
  disk().submit(
      DiskLane::background,
      [&] {
        const auto file = disk().open(path("a"), OpenMode::create_new).must();
        outcome = file->write_at(0, bytes_of("from a job"));
        if (outcome.has_value()) outcome = file->sync();
      },
      world_->house(),
      [&] {
        in_house = true;
        world_->stop();
      });
  EXPECT_FALSE(in_house) << "submit itself runs nothing";
  world_->run();
  EXPECT_TRUE(outcome.has_value());
  EXPECT_TRUE(in_house);
  EXPECT_EQ(contents("a"), "from a job");
}

TEST_P(DiskSuite, a_completion_may_submit_the_next_job) {
  int rounds = 0;
  UniqueFunction<void()> next = [&] {
    disk().submit(
        rounds % 2 == 0 ? DiskLane::commit : DiskLane::background, [] {}, world_->house(),
        [&] {
          if (++rounds == 10) return world_->stop();
          next();
        });
  };
  next();
  world_->run();
  EXPECT_EQ(rounds, 10);
}

}  // namespace muster::suites
