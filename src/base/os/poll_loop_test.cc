// What PollLoop adds to an Executor: descriptors. The rest is in tests/suites/executor_suite.h.
// SPDX-License-Identifier: Apache-2.0
#include "base/os/poll_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/os/line_channel.h"
#include "base/os/pipe.h"
#include "base/os/unix_socket.h"

namespace muster {
namespace {

void write_to(const Descriptor& descriptor, const std::string& text) {
  ASSERT_EQ(::write(descriptor.number(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

TEST(PollLoopTest, a_watch_is_called_until_all_is_taken) {
  PollLoop loop;
  Pipe pipe = make_pipe().must();
  std::string got;
  loop.watch(pipe.read.number(), Interest::readable, [&] {
    char one = 0;
    ASSERT_EQ(::read(pipe.read.number(), &one, 1), 1);
    got.push_back(one);
    if (got.size() == 3) loop.stop();
  });
  write_to(pipe.write, "abc");
  loop.run();
  EXPECT_EQ(got, "abc");
}

TEST(PollLoopTest, a_callback_may_drop_itself_and_another_that_is_ready) {
  PollLoop loop;
  std::vector<Pipe> pipes;
  std::vector<WatchId> watches(2);
  int calls = 0;
  for (int i = 0; i < 2; ++i) pipes.push_back(make_pipe().must());
  const auto owned = std::make_shared<int>();
  for (std::size_t i = 0; i < 2; ++i) {
    watches[i] = loop.watch(pipes[i].read.number(), Interest::readable, [&, owned] {
      ++calls;
      loop.unwatch(watches[0]);
      loop.unwatch(watches[1]);
      ++*owned;  // what the callback owns is still there
      loop.post([&] { loop.stop(); });
    });
    write_to(pipes[i].write, "x");
  }
  loop.run();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(PollLoopTest, a_closed_other_end_wakes_the_reader) {
  PollLoop loop;
  Pipe pipe = make_pipe().must();
  std::string text;
  loop.watch(pipe.read.number(), Interest::readable, [&] {
    EXPECT_FALSE(read_available(pipe.read, text));
    loop.stop();
  });
  loop.post([&] { pipe.write = Descriptor(); });
  loop.run();
}

TEST(PollLoopTest, what_never_ran_is_dropped) {
  const auto owned = std::make_shared<int>();
  Pipe pipe = make_pipe().must();
  {
    PollLoop loop;
    loop.watch(pipe.read.number(), Interest::readable, [owned] {});
    loop.post([owned] {});
    loop.post_at({0}, [owned] {});
    EXPECT_EQ(owned.use_count(), 4);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

class LineChannelTest : public ::testing::Test {
 protected:
  LineChannelTest() {
    auto [ours, theirs] = connected_pair().must();
    theirs_ = std::move(theirs);
    channel_ = std::make_unique<LineChannel>(
        loop_, std::move(ours),
        LineChannel::Listener{.on_line =
                                  [this](std::string_view line) {
                                    lines_.emplace_back(line);
                                    if (line == "drop") channel_.reset();
                                    loop_.post([this] { loop_.stop(); });
                                  },
                              .on_closed =
                                  [this] {
                                    lines_.emplace_back("(closed)");
                                    loop_.stop();
                                  }});
  }

  PollLoop loop_;
  Descriptor theirs_;
  std::unique_ptr<LineChannel> channel_;
  std::vector<std::string> lines_;
};

TEST_F(LineChannelTest, lines_arrive_however_they_are_cut) {
  write_to(theirs_, "one\ntw");
  loop_.run();
  write_to(theirs_, "o\n\n");
  loop_.run();
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two", ""}));
}

TEST_F(LineChannelTest, all_lines_come_before_the_close) {
  write_to(theirs_, "last\nhalf");
  theirs_ = Descriptor();
  loop_.run();
  loop_.run();
  EXPECT_EQ(lines_, (std::vector<std::string>{"last", "(closed)"}));
}

TEST_F(LineChannelTest, a_line_may_end_the_channel) {
  write_to(theirs_, "drop\nmore\n");
  loop_.run();
  EXPECT_EQ(lines_, (std::vector<std::string>{"drop"}));
}

TEST_F(LineChannelTest, what_does_not_fit_waits_for_the_reader) {
  const std::string line(std::size_t{1} << 20, 'x');
  channel_->send(line);
  channel_->send("end");
  std::string got;
  std::vector<char> buffer(65536);
  const WatchId watch = loop_.watch(theirs_.number(), Interest::readable, [&] {
    const ssize_t size = ::read(theirs_.number(), buffer.data(), buffer.size());
    ASSERT_GT(size, 0);
    got.append(buffer.data(), static_cast<std::size_t>(size));
    if (got.ends_with("end\n")) loop_.stop();
  });
  loop_.run();
  loop_.unwatch(watch);
  EXPECT_EQ(got, line + "\nend\n");
}

TEST_F(LineChannelTest, a_reader_that_never_reads_is_left) {
  const std::string line(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 16; ++i) channel_->send(line);
  EXPECT_EQ(lines_, (std::vector<std::string>{"(closed)"}));
}

}  // namespace
}  // namespace muster
