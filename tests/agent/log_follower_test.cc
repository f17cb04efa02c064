// Logs in files of a simulated disk, read while they are written and rotated.
// SPDX-License-Identifier: Apache-2.0
#include "agent/log_follower.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>

#include "agent/limits.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"

namespace muster::agent {

namespace {

class LogFollowerTest : public testing::Test {
 protected:
  void append(std::string_view text) {
    if (!disk_.exists("log").must()) disk_.open("log", OpenMode::create).must();
    auto file = disk_.open("log", OpenMode::read_write).must();
    const std::uint64_t size = file->size().must();
    file->write_at(size, std::as_bytes(std::span(text))).must();
  }
  void add_line(std::string_view text) {
    append(fmt::format("2026-01-01T00:00:00.{:09}Z stdout F {}\n", ++lines_, text));
  }
  void rotate() {
    for (int generation = log_files_max - 1; generation > 0; --generation) {
      const std::string from = generation == 1 ? "log" : fmt::format("log.{}", generation - 1);
      if (disk_.exists(from).must()) disk_.rename(from, fmt::format("log.{}", generation)).must();
    }
  }

  void open(bool follow, LogOptions options = {}) {
    LogFollower::IsRunning is_running;
    if (follow) is_running = [this] { return runs_; };
    follower_.emplace(disk_, client::House{house_, clock_, random_},
                      std::make_unique<FileLogSource>(disk_, "log"), options,
                      std::move(is_running));
    follower_->set_on_ready([this] { pull(); });
    pull();
    settle();
  }
  void pull() {
    for (;;) {
      LogFollower::Step step = follower_->take(7);
      seen_ += step.text;
      ended_ = ended_ || step.ended;
      if (step.ended || step.text.empty()) return;
    }
  }
  void settle() { time_.run_for(Span::of_seconds(1)); }

  simulator::VirtualTime time_;
  simulator::VirtualExecutor house_{time_};
  simulator::VirtualClock clock_{time_};
  simulator::SeededRandom random_{1};
  simulator::VirtualDisk disk_{time_, 1};
  std::optional<LogFollower> follower_;
  int lines_ = 0;
  bool runs_ = true;
  std::string seen_;
  bool ended_ = false;
};

TEST_F(LogFollowerTest, ends_where_the_log_ends) {
  add_line("one");
  add_line("two");
  open(false);
  EXPECT_EQ(seen_, "one\ntwo\n");
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, a_log_that_is_not_there_is_empty) {
  open(false);
  EXPECT_EQ(seen_, "");
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, follows_until_the_container_has_ended) {
  open(true);
  EXPECT_FALSE(ended_);
  add_line("one");
  settle();
  EXPECT_EQ(seen_, "one\n");
  append("2026-01-01T00:00:01Z stdout F ha");
  settle();
  EXPECT_EQ(seen_, "one\n");
  append("lf\n");
  runs_ = false;
  settle();
  EXPECT_EQ(seen_, "one\nhalf\n");
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, goes_on_in_the_next_file) {
  add_line("one");
  rotate();
  add_line("two");
  open(true);
  EXPECT_EQ(seen_, "one\ntwo\n");
  add_line("three");
  rotate();
  settle();
  add_line("four");
  rotate();
  add_line("five");
  settle();
  EXPECT_EQ(seen_, "one\ntwo\nthree\nfour\nfive\n");
}

TEST_F(LogFollowerTest, every_mix_of_writing_and_rotating_is_read_once) {
  std::string expected;
  open(true);
  for (int i = 0; i < 500; ++i) {
    const std::string text = fmt::format("line {}", i);
    add_line(text);
    expected += text + "\n";
    if (random_.one_in(3)) rotate();
    if (random_.one_in(2))
      time_.run_for(Span::of_milliseconds(120));
    else if (lines_ % 4 == 0)
      settle();
  }
  runs_ = false;
  settle();
  EXPECT_EQ(seen_, expected);
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, the_last_lines_and_what_follows_them) {
  for (int i = 0; i < 10; ++i) add_line(fmt::format("{}", i));
  open(true, {.tail_lines = 2});
  EXPECT_EQ(seen_, "8\n9\n");
  add_line("10");
  settle();
  EXPECT_EQ(seen_, "8\n9\n10\n");
}

TEST_F(LogFollowerTest, may_be_destroyed_while_it_reads) {
  add_line("one");
  follower_.emplace(disk_, client::House{house_, clock_, random_},
                    std::make_unique<FileLogSource>(disk_, "log"), LogOptions{}, nullptr);
  follower_.reset();
  settle();
}

}  // namespace

}  // namespace muster::agent
