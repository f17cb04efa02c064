// SPDX-License-Identifier: Apache-2.0
#include "agent/names/dns_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/os/event_loop.h"
#include "objects/json.h"

namespace muster::agent {

namespace {

using objects::Value;
namespace resources = objects::resources;

constexpr int pods = 200;

// The server as main/ makes it: a loop for the sockets, a house for the zone.
class DnsServerTest : public testing::Test {
 protected:
  void SetUp() override {
    put(resources::services, R"({"metadata":{"name":"train","namespace":"a"},
        "spec":{"clusterIP":"None","selector":{"j":"t"},"publishNotReadyAddresses":true}})");
    for (int i = 0; i < pods; ++i) {
      put(resources::pods,
          fmt::format(R"({{"metadata":{{"name":"p{0}","namespace":"a","labels":{{"j":"t"}},
              "annotations":{{"muster.dev/pod-ip":"10.64.1.{0}"}}}},
              "spec":{{"hostname":"rank-{0}","subdomain":"train","nodeName":"n"}}}})",
                      i));
    }
    server_.listen("127.0.0.1", 0).must();
    threads_.emplace_back([this] { loop_.run(); });
    threads_.emplace_back([this] { house_.run(); });
  }
  void TearDown() override {
    loop_.stop();
    house_.stop();
    threads_.clear();
  }

  void put(const objects::Resource& resource, const std::string& text) {
    const Value object = objects::parse_json(text).must();
    zone_.apply({.resource = resource, .before = Value(), .after = object});
  }

  static std::string question(const std::string& name) {
    DnsMessage message{.id = 77, .wants_recursion = true};
    message.questions.push_back({.name = name});
    return write_dns(message);
  }

  Zone zone_;
  PollLoop loop_;
  EventLoop house_;
  DnsServer server_{loop_, house_, zone_};
  std::vector<std::jthread> threads_;
};

TEST_F(DnsServerTest, sixty_four_ranks_ask_a_hundred_times_without_a_miss) {
  std::atomic<int> misses = 0;
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < 64; ++rank) {
      ranks.emplace_back([this, &misses] {
        const Descriptor socket = connect_datagrams("127.0.0.1", server_.port()).must();
        for (int i = 0; i < 100; ++i) {
          write_stream(socket, question("rank-0.train.a.svc.cluster.local")).must();
          std::string answer;
          while (read_stream(socket, answer).must() == 0) std::this_thread::yield();
          const DnsMessage message = parse_dns(answer).must();
          if (message.answers.size() != 1) ++misses;
        }
      });
    }
  }
  EXPECT_EQ(misses, 0);
}

TEST_F(DnsServerTest, a_crowd_is_told_over_a_stream) {
  const Descriptor socket = connect_stream("127.0.0.1", server_.port()).must();
  const std::string asked = question("train.a.svc.cluster.local");
  std::string sent = {'\0', static_cast<char>(asked.size())};
  sent += asked + sent + asked;  // two questions at once
  while (!write_stream(socket, sent)) std::this_thread::yield();
  std::string received;
  const auto size_of = [](std::string_view bytes) {
    return (static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8U) +
           static_cast<unsigned char>(bytes[1]);
  };
  for (int i = 0; i < 2; ++i) {
    while (received.size() < 2 || received.size() < 2 + size_of(received)) {
      read_stream(socket, received).must();
    }
    const std::size_t size = size_of(received);
    EXPECT_EQ(parse_dns(received.substr(2, size)).must().answers.size(), std::size_t{pods});
    received.erase(0, 2 + size);
  }
}

}  // namespace

}  // namespace muster::agent
