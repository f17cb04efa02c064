// SPDX-License-Identifier: Apache-2.0
#include "simulator/file_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace muster::simulator {
namespace {

constexpr std::uint64_t seeds = 200;

void write(FileImage& image, std::uint64_t offset, std::string_view text) {
  image.write(offset, std::as_bytes(std::span(text.data(), text.size())));
}

std::string text_of(const FileImage& image) {
  std::string text(image.size(), '?');
  EXPECT_EQ(image.read(0, std::as_writable_bytes(std::span(text.data(), text.size()))),
            text.size());
  return text;
}

TEST(FileImage, sync_is_what_survives_the_meanest_crash) {
  SeededRandom random(1);
  FileImage image;
  write(image, 0, "synced");
  image.sync();
  write(image, 0, "SYN");
  image.truncate(4);
  EXPECT_EQ(text_of(image), "SYNc");
  EXPECT_EQ(image.unsynced_changes(), 2U);
  image.crash(Survival::none, random);
  EXPECT_EQ(text_of(image), "synced");
  EXPECT_EQ(image.unsynced_changes(), 0U);
}

TEST(FileImage, everything_survives_the_end_of_a_process) {
  SeededRandom random(1);
  FileImage image;
  write(image, 2, "ab");
  image.truncate(3);
  write(image, 3, "c");
  image.crash(Survival::all, random);
  EXPECT_EQ(text_of(image), std::string("\0\0ac", 4));
}

TEST(FileImage, tears_at_sector_boundaries_only) {
  // From the middle of sector 0 to the middle of sector 3.
  const std::string before(sector_bytes * 4, 'o');
  const std::string change(sector_bytes * 3, 'n');
  constexpr std::uint64_t offset = sector_bytes / 2;
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    FileImage image;
    write(image, 0, before);
    image.sync();
    write(image, offset, change);
    image.crash(Survival::any, random);
    const std::string after = text_of(image);
    ASSERT_EQ(after.size(), before.size());
    EXPECT_EQ(after.substr(0, offset), before.substr(0, offset));
    std::string kept;
    for (std::uint64_t begin = offset; begin < offset + change.size();) {
      const std::uint64_t end = (begin / sector_bytes + 1) * sector_bytes;
      const std::uint64_t length = std::min(end, offset + change.size()) - begin;
      kept += after[begin];
      EXPECT_EQ(after.substr(begin, length), std::string(length, after[begin]));
      begin = end;
    }
    outcomes.insert(kept);
  }
  EXPECT_EQ(outcomes.size(), 16U) << "every subset of four sectors occurs";
}

TEST(FileImage, a_later_write_may_survive_an_earlier_one) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    FileImage image;
    write(image, 0, "..");
    image.sync();
    write(image, 0, "1");
    write(image, 1, "2");
    image.crash(Survival::any, random);
    outcomes.insert(text_of(image));
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"..", "1.", ".2", "12"}));
}

TEST(FileImage, what_was_overwritten_before_the_sync_may_be_what_survives) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    FileImage image;
    write(image, 0, "...");
    image.sync();
    write(image, 0, "123");
    write(image, 1, "x");
    image.truncate(2);
    image.crash(Survival::any, random);
    outcomes.insert(text_of(image));
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"...", "123", ".x.", "1x3", "..", "12", ".x", "1x"}));
}

TEST(FileImage, a_file_may_grow_without_its_contents) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    FileImage image;
    write(image, 0, "ab");
    image.crash(Survival::any, random);
    outcomes.insert(text_of(image));
  }
  EXPECT_EQ(outcomes, (std::set<std::string>{"", std::string("\0\0", 2), "ab"}));
}

TEST(FileImage, no_later_sync_brings_back_what_a_failed_sync_dropped) {
  bool lost = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    FileImage image;
    write(image, 0, "a");
    image.fail_sync(random);
    EXPECT_EQ(text_of(image), "a") << "it can still be read";
    write(image, 1, "b");
    image.sync();
    image.crash(Survival::none, random);
    EXPECT_EQ(text_of(image).back(), 'b');
    lost |= text_of(image).front() != 'a';
  }
  EXPECT_TRUE(lost);
}

TEST(FileImage, rot_reaches_the_drive) {
  SeededRandom random(1);
  FileImage image;
  write(image, 0, "aaa");
  image.sync();
  image.flip_bit(1, 1);
  EXPECT_EQ(text_of(image), "aca");
  image.crash(Survival::none, random);
  EXPECT_EQ(text_of(image), "aca");
}

}  // namespace
}  // namespace muster::simulator
