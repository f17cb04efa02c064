// SPDX-License-Identifier: Apache-2.0
#include "server/http/switchboard.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/authentication.h"
#include "server/certificates.h"

namespace muster::server {
namespace {

// A house whose turns the test takes.
class House final : public Executor {
 public:
  void post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId post_at(MonotonicInstant, Task) override { return {}; }
  void cancel(TimerId) override {}

  bool take_turn() {
    if (tasks_.empty()) return false;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
    return true;
  }

 private:
  std::deque<Task> tasks_;
};

class StillClock final : public Clock {
 public:
  Instant wall() const override { return {}; }
  MonotonicInstant monotonic() const override { return {}; }
};

class Board final : public Switchboard {
 public:
  using Switchboard::Switchboard;
  void forget(std::uint64_t) override {}

 protected:
  void wake() override {}
};

class SwitchboardTest : public ::testing::Test {
 protected:
  std::shared_ptr<Board> board() {
    return std::make_shared<Board>(
        [this](Request request, Respond respond) {
          done_.push_back(request.path);
          respond({});
        },
        HttpOptions{.house = house_, .authenticator = authenticator_, .server = key_});
  }
  static void ask(Board& board, const std::string& path) {
    Request request;
    request.path = path;
    EXPECT_TRUE(board.ask(std::move(request), {}));
  }

  House house_;
  StillClock clock_;
  Authenticator authenticator_{clock_};
  CertifiedKey key_;
  std::vector<std::string> done_;
};

TEST_F(SwitchboardTest, what_else_there_is_comes_between_requests) {
  const auto asked = board();
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 2 * http_requests_at_once + 1; ++i) {
    ask(*asked, std::to_string(i));
    expected.push_back(std::to_string(i));
  }
  house_.post([this] { done_.push_back("other"); });
  while (house_.take_turn()) {
  }
  expected.insert(expected.begin() + http_requests_at_once, "other");
  EXPECT_EQ(done_, expected);
  EXPECT_EQ(asked->take_letters().size(), expected.size() - 1);
}

TEST_F(SwitchboardTest, who_asks_later_is_handled_too) {
  const auto asked = board();
  for (const char* path : {"a", "b", "c"}) {
    ask(*asked, path);
    while (house_.take_turn()) {
    }
  }
  EXPECT_EQ(done_, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(SwitchboardTest, closed_it_handles_nothing_more_and_holds_nobody) {
  auto asked = board();
  ask(*asked, "a");
  asked->close();
  ask(*asked, "b");
  while (house_.take_turn()) {
  }
  EXPECT_TRUE(done_.empty());
  const std::weak_ptr<Board> watched = asked;
  asked.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace muster::server
