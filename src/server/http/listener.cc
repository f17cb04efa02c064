// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/http/connection.h"
#include "server/http/switchboard.h"
#include "server/http/tls.h"

namespace muster::server {

namespace asio = boost::asio;
using asio::ip::tcp;
using Fault = boost::system::error_code;

// Accepts connections, sweeps them, and hands them their letters.
struct HttpListener::Network final : Switchboard {
  // One address on which it listens.
  struct Entrance {
    explicit Entrance(asio::io_context& io) : acceptor(io) {}
    tcp::acceptor acceptor;
    bool failed = false;  // to take a client in; tried again by the next sweep
  };

  Network(Handler handler, HttpOptions options);
  ~Network() override;

  Result<> open(const std::string& host, std::uint16_t port);
  void run();
  void begin_stop();

  void forget(std::uint64_t connection) override;
  void wake() override;

  void hand_out_letters();
  void accept(Entrance& entrance);
  void add(tcp::socket peer);
  void arm_sweep();
  void sweep();
  std::vector<std::shared_ptr<Connection>> all() const;

  asio::io_context io{1};
  Result<ssl_ctx_st*> context;
  std::vector<std::unique_ptr<Entrance>> entrances;
  asio::steady_timer timer{io};
  std::string address;

  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections;
  std::uint64_t id_next = 1;
  std::uint64_t stop_deadline = std::numeric_limits<std::uint64_t>::max();
};

HttpListener::Network::Network(Handler handler, HttpOptions options_in)
    : Switchboard(std::move(handler), std::move(options_in)),
      context(make_server_context(options().server, options().client_authority_pem)) {}

HttpListener::Network::~Network() {
  if (context) SSL_CTX_free(*context);
}

Result<> HttpListener::Network::open(const std::string& host, std::uint16_t port) {
  if (!context) return context.error();
  Fault fault;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(
      host, fmt::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, fault);
  if (fault) {
    return Error::bad_request(
        fmt::format("cannot find {} to listen on: {}", host, fault.message()));
  }
  const tcp::endpoint endpoint = *found.begin();
  auto entrance = std::make_unique<Entrance>(io);
  tcp::acceptor& acceptor = entrance->acceptor;
  acceptor.open(endpoint.protocol(), fault);
  if (!fault) acceptor.set_option(tcp::acceptor::reuse_address(true), fault);
  if (!fault) acceptor.bind(endpoint, fault);
  if (!fault) acceptor.listen(asio::socket_base::max_listen_connections, fault);
  if (fault) {
    return Error{ErrorCode::unavailable,
                 fmt::format("cannot listen on {}:{}: {}", host, port, fault.message())};
  }
  const tcp::endpoint bound = acceptor.local_endpoint(fault);
  entrances.push_back(std::move(entrance));
  if (!address.empty()) return {};
  const std::string name = bound.address().to_string();
  address = bound.address().is_v6() ? fmt::format("[{}]:{}", name, bound.port())
                                    : fmt::format("{}:{}", name, bound.port());
  return {};
}

void HttpListener::Network::run() {
  if (!entrances.empty()) {
    for (const auto& entrance : entrances) accept(*entrance);
    arm_sweep();
    io.run();
  }
  for (const auto& connection : all()) connection->close();
  close();
}

void HttpListener::Network::begin_stop() {
  if (is_stopping()) return;
  set_stopping();
  stop_deadline = deadline(limits().stop);
  Fault ignored;
  for (const auto& entrance : entrances) entrance->acceptor.close(ignored);
  for (const auto& connection : all()) connection->stop();
  if (connections.empty()) timer.cancel();
}

void HttpListener::Network::wake() {
  asio::post(io, [this] { hand_out_letters(); });
}

void HttpListener::Network::hand_out_letters() {
  for (Letter& letter : take_letters()) {
    const auto found = connections.find(letter.connection);
    if (found != connections.end()) {
      // Held: delivering may close it.
      const std::shared_ptr<Connection> connection = found->second;
      connection->deliver(std::move(letter.delivery));
    } else if (letter.delivery.stream != nullptr) {
      letter.delivery.stream->close();
    }
  }
}

void HttpListener::Network::accept(Entrance& entrance) {
  entrance.acceptor.async_accept([this, &entrance](Fault fault, tcp::socket peer) {
    if (is_stopping()) return;
    entrance.failed = static_cast<bool>(fault);
    if (fault) return;  // out of descriptors, most likely: the next sweep tries again
    add(std::move(peer));
    accept(entrance);
  });
}

void HttpListener::Network::add(tcp::socket peer) {
  if (connections.size() >= limits().connections) {
    count(HttpLimit::connections);
    options().log.warning("connection refused: there are too many",
                          {{"maximum", limits().connections}});
    return;
  }
  Fault fault;
  const tcp::endpoint local = peer.local_endpoint(fault);
  const int descriptor = peer.release(fault);
  if (fault) return;
  const std::uint64_t id = id_next++;
  const auto connection = make_connection(
      io, *context, {.descriptor = descriptor, .is_v6 = local.address().is_v6(), .id = id}, *this);
  if (connection == nullptr) return;
  connections.emplace(id, connection);
  connection->start();
}

void HttpListener::Network::forget(std::uint64_t connection) {
  connections.erase(connection);
  if (is_stopping() && connections.empty()) timer.cancel();
}

void HttpListener::Network::arm_sweep() {
  timer.expires_after(std::chrono::nanoseconds(limits().sweep.nanoseconds));
  timer.async_wait([this](Fault fault) {
    if (!fault) sweep();
  });
}

void HttpListener::Network::sweep() {
  count_sweep();
  const bool is_over = sweeps() > stop_deadline;
  for (const auto& connection : all()) {
    if (is_over) {
      connection->close();
    } else {
      connection->sweep();
    }
  }
  for (const auto& entrance : entrances) {
    if (entrance->failed && !is_stopping()) accept(*entrance);
  }
  if (!is_stopping() || !connections.empty()) arm_sweep();
}

std::vector<std::shared_ptr<Connection>> HttpListener::Network::all() const {
  std::vector<std::shared_ptr<Connection>> list;
  list.reserve(connections.size());
  for (const auto& [id, connection] : connections) list.push_back(connection);
  return list;
}

HttpListener::HttpListener(Handler handler, HttpOptions options)
    : network_(std::make_shared<Network>(std::move(handler), std::move(options))) {}

HttpListener::~HttpListener() = default;

Result<> HttpListener::open(const std::string& host, std::uint16_t port) {
  return network_->open(host, port);
}

std::string HttpListener::address() const {
  return network_->address;
}

void HttpListener::run() {
  network_->run();
}

void HttpListener::stop() {
  asio::post(network_->io, [network = network_.get()] { network->begin_stop(); });
}

}  // namespace muster::server
