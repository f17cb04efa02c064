// SPDX-License-Identifier: Apache-2.0
#include "agent/services/service_proxy.h"

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>
#include <thread>

#include "base/os/pipe.h"
#include "base/os/unix_socket.h"

namespace muster::agent {
namespace {

// Blocks the test's thread until the socket can be read or written.
void wait_for(const Descriptor& socket, Interest interest) {
  PollLoop loop;
  const WatchId watch = loop.watch(socket.number(), interest, [&] { loop.stop(); });
  loop.run();
  loop.unwatch(watch);
}

// Everything until the other end says that it is through.
std::string read_all(const Descriptor& socket) {
  std::string all;
  while (true) {
    wait_for(socket, Interest::readable);
    if (!read_stream(socket, all)) return all;
  }
}

void write_all(const Descriptor& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    wait_for(socket, Interest::writable);
    const auto count = write_stream(socket, bytes);
    ASSERT_TRUE(count.has_value());
    bytes.remove_prefix(*count);
  }
}

// An endpoint that reads all that a client says and then answers with its own name and the length.
class Endpoint {
 public:
  explicit Endpoint(const std::string& address, std::string name, std::uint16_t port = 0)
      : socket_(listen_on(address, port).must()), name_(std::move(name)) {
    port_ = muster::port_of(socket_).must();
    loop_.watch(socket_.number(), Interest::readable, [this] {
      while (auto client = accept_from(socket_.number())) {
        const std::string said = read_all(*client);
        write_all(*client, name_ + ":" + std::to_string(said.size()));
      }
    });
    thread_ = std::jthread([this] { loop_.run(); });
  }
  ~Endpoint() {
    loop_.stop();
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  PollLoop loop_;
  Descriptor socket_;
  std::string name_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

constexpr const char* service_address = "127.71.192.5";

struct Proxies : testing::Test {
  ~Proxies() override {
    traffic.stop();
    thread.join();
  }
  void serve(const ServicePort& port, ServedPort served) {
    std::promise<void> done;
    traffic.post([&] {
      proxy.serve(port, std::move(served));
      done.set_value();
    });
    done.get_future().wait();
  }
  static std::string ask(const ServicePort& port, std::string_view said) {
    auto socket = connect_stream(port.address, port.port);
    if (!socket) return "refused";
    wait_for(*socket, Interest::writable);
    if (connection_failure(*socket)) return "refused";
    write_all(*socket, said);
    end_sending(*socket);
    return read_all(*socket);
  }

  // A port that nobody has at present.
  const std::uint16_t free_port = [] {
    const Descriptor socket = listen_on(service_address, 0).must();
    return muster::port_of(socket).must();
  }();
  const ServicePort web{service_address, free_port, ServiceProtocol::tcp};
  PollLoop traffic;
  ServiceProxy proxy{traffic, Log::silent()};
  std::jthread thread{[this] { traffic.run(); }};
};

TEST_F(Proxies, passes_streams_to_each_endpoint_in_turn) {
  Endpoint first("127.71.1.2", "first");
  Endpoint second("127.71.1.3", "second");
  EXPECT_EQ(ask(web, "x"), "refused");
  serve(web, {.backends = {{"127.71.1.2", first.port()}, {"127.71.1.3", second.port()}}});
  std::multiset<std::string> heard;
  for (int i = 0; i < 4; ++i) heard.insert(ask(web, "hello"));
  EXPECT_EQ(heard.count("first:5"), 2U);
  EXPECT_EQ(heard.count("second:5"), 2U);
  serve(web, {.backends = {{"127.71.1.3", second.port()}}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(web, "hello"), "second:5");
  serve(web, {});
  EXPECT_EQ(ask(web, "x"), "refused");
}

TEST_F(Proxies, carries_more_than_its_window) {
  Endpoint endpoint("127.71.1.2", "big");
  serve(web, {.backends = {{"127.71.1.2", endpoint.port()}}});
  EXPECT_EQ(ask(web, std::string(5'000'000, 'x')), "big:5000000");
}

TEST_F(Proxies, tries_another_endpoint_when_one_refuses) {
  Endpoint endpoint("127.71.1.3", "well");
  serve(web, {.backends = {{"127.71.1.2", endpoint.port()}, {"127.71.1.3", endpoint.port()}}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ask(web, "hello"), "well:5");
}

TEST_F(Proxies, keeps_a_client_with_its_endpoint) {
  Endpoint first("127.71.1.2", "first");
  Endpoint second("127.71.1.3", "second");
  serve(web, {.backends = {{"127.71.1.2", first.port()}, {"127.71.1.3", second.port()}},
              .affinity = Span::of_seconds(100)});
  std::set<std::string> heard;
  for (int i = 0; i < 4; ++i) heard.insert(ask(web, "hello"));
  EXPECT_EQ(heard.size(), 1U);
}

TEST_F(Proxies, passes_datagrams_and_their_answers) {
  const Descriptor endpoint = bind_datagrams("127.71.1.2", 0).must();
  const std::uint16_t port = muster::port_of(endpoint).must();
  const ServicePort names{service_address, free_port, ServiceProtocol::udp};
  serve(names, {.backends = {{"127.71.1.2", port}}});
  const Descriptor client = connect_datagrams(names.address, names.port).must();
  for (const std::string text : {"one", "two"}) {
    ASSERT_TRUE(write_stream(client, text).has_value());
    wait_for(endpoint, Interest::readable);
    const auto asked = receive_datagram(endpoint);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->bytes, text);
    ASSERT_TRUE(send_datagram(endpoint, asked->from, "answer to " + text));
    wait_for(client, Interest::readable);
    std::string answer;
    ASSERT_TRUE(read_stream(client, answer).has_value());
    EXPECT_EQ(answer, "answer to " + text);
  }
}

}  // namespace
}  // namespace muster::agent
