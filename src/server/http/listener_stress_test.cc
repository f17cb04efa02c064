// Run under ThreadSanitizer: a house and a network thread, and sixty-four clients of three kinds.
// Some ask and read, some watch and never read, some leave in the middle of something.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/suites/served_listener.h"

namespace muster::server {
namespace {

using tests::HttpAnswer;
using tests::TlsPeer;

constexpr int askers = 24;
constexpr int sleepers = 20;
constexpr int leavers = 20;
constexpr int rounds = 30;

// Where events come from: every stream gets what is published. Of the house thread alone.
class Feed {
 public:
  class Listener final : public Stream {
   public:
    explicit Listener(Feed& feed) : feed_(feed) { feed_.listeners_.insert(this); }
    ~Listener() override { feed_.listeners_.erase(this); }

    StreamStep take(std::size_t bytes_max) override {
      StreamStep step;
      std::size_t bytes = 0;
      while (next_ < feed_.events_.size() && bytes < bytes_max) {
        step.pieces.push_back(feed_.events_[next_++]);
        bytes += step.pieces.back().size();
      }
      is_waiting_ = step.pieces.empty();
      return step;
    }
    void set_on_ready(Task on_ready) override { on_ready_ = std::move(on_ready); }

   private:
    friend class Feed;
    Feed& feed_;
    std::size_t next_ = 0;
    bool is_waiting_ = false;
    Task on_ready_;
  };

  void publish(Piece event) {
    events_.push_back(std::move(event));
    for (Listener* listener : listeners_) {
      if (std::exchange(listener->is_waiting_, false)) listener->on_ready_();
    }
  }

  std::size_t listeners() const { return listeners_.size(); }

 private:
  std::vector<Piece> events_;
  std::set<Listener*> listeners_;
};

Handler serving(Feed& feed) {
  return [&feed](Request request, Respond respond) {
    if (request.path == "/watch") {
      return respond({.body = std::unique_ptr<Stream>(std::make_unique<Feed::Listener>(feed))});
    }
    if (request.path == "/publish") feed.publish(Piece::copy_of(request.body));
    respond(text_response(request.body));
  };
}

void ask(Served& served, std::atomic<int>& answered) {
  const std::string body(2'000, 'b');
  for (int round = 0; round < rounds; ++round) {
    TlsPeer peer = served.connect();
    for (int request = 0; request < 10; ++request) {
      peer.send(asking("POST", request == 0 ? "/publish" : "/echo", body));
      if (peer.read_answer().body == body) answered.fetch_add(1);
    }
  }
}

void leave(Served& served, int number) {
  for (int round = 0; round < rounds; ++round) {
    TlsPeer peer = served.connect();
    switch ((number + round) % 5) {
      case 0:
        peer.send("GET /wat");
        break;
      case 1:
        peer.send(asking("GET", "/watch"));
        break;
      case 2:
        peer.send(asking("GET", "/watch"));
        peer.read_head();
        break;
      case 3:
        peer.send(asking("POST", "/echo", "x") + asking("GET", "/watch") + "POST / HTTP/1.1\r\n");
        peer.read_answer();
        break;
      default:
        break;
    }
  }
}

TEST(listener_stress, clients_of_every_kind_at_once) {
  Feed feed;
  Served served(serving(feed));
  std::vector<TlsPeer> sleeping;
  for (int number = 0; number < sleepers; ++number) {
    sleeping.push_back(served.connect());
    sleeping.back().send(asking("GET", "/watch"));
  }
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> clients;
    for (int number = 0; number < askers; ++number) {
      clients.emplace_back([&] { ask(served, answered); });
    }
    for (int number = 0; number < leavers; ++number) {
      clients.emplace_back([&, number] { leave(served, number); });
    }
  }
  EXPECT_EQ(answered.load(), askers * rounds * 10);

  // Who left is forgotten; who sleeps is still there, and can still read everything.
  std::size_t listeners = sleepers + 1;
  while (listeners > sleepers) served.on_house([&] { listeners = feed.listeners(); });
  EXPECT_EQ(listeners, static_cast<std::size_t>(sleepers));
  EXPECT_EQ(sleeping.front().read_head().status, 200);
  std::size_t received = 0;
  while (received < static_cast<std::size_t>(askers * rounds) * 2'000) {
    const std::string chunk = sleeping.front().read_chunk();
    ASSERT_FALSE(chunk.empty());
    received += chunk.size();
  }
  served.stop();
  served.on_house([&] { listeners = feed.listeners(); });
  EXPECT_EQ(listeners, 0U);
}

TEST(listener_stress, stopping_in_the_middle_of_everything) {
  for (int round = 0; round < 5; ++round) {
    Feed feed;
    Served served(serving(feed));
    std::atomic<bool> is_over{false};
    std::vector<std::jthread> clients;
    for (int number = 0; number < 8; ++number) {
      clients.emplace_back([&, number] {
        while (!is_over.load()) {
          TlsPeer peer = served.connect();
          peer.send(asking("GET", number % 2 == 0 ? "/watch" : "/echo"));
          if (peer.read_head().status == 0) return;
        }
      });
    }
    bool has_begun = false;
    while (!has_begun) served.on_house([&] { has_begun = feed.listeners() > 2; });
    served.stop();
    is_over.store(true);
  }
}

}  // namespace
}  // namespace muster::server
