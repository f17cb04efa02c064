// ServiceProxy: listens on the addresses of Services and passes on what comes: streams and
// datagrams, to the endpoints in turn. It runs on a loop of its own, so that much traffic keeps
// nobody else waiting.
//
//   PollLoop traffic;                                   // main/ runs it on a thread
//   ServiceProxy proxy(traffic, log);
//   traffic.post([&] { proxy.serve(port, served); });   // on the loop's thread, as all else
//
//                 accept            connected
//   listening ──────────► choosing ──────────► passing ──► both ends have said all ──► gone
//                            │ ▲  │ refused        one end has said all: the other hears that
//                            └─┘  └──────────► no endpoint is left: the client is closed
//
// An endpoint that is served no more keeps the streams it has; datagrams go to another one. An
// endpoint sees the machine's address as the one who asks.
//
// Assumes: the loop outlives it and does not run any more when it is destroyed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/services/service_table.h"
#include "base/log.h"
#include "base/os/internet_socket.h"
#include "base/os/poll_loop.h"

namespace muster::agent {

class ServiceProxy {
 public:
  ServiceProxy(PollLoop& loop, Log log);
  ~ServiceProxy();
  ServiceProxy(const ServiceProxy&) = delete;
  ServiceProxy& operator=(const ServiceProxy&) = delete;

  // From now on. Without backends nobody listens there any more.
  void serve(const ServicePort& port, ServedPort served);

  // Before the loop ends, on its thread or when it does not run.
  void close();

  std::size_t connections() const { return connections_.size(); }

 private:
  // One way of a connection: what was read here and not yet written there.
  struct Way {
    std::string waiting = {};
    bool has_ended = false;  // nothing more will be read
    bool is_told = false;    // and the other end has heard so
  };
  struct End {
    Descriptor socket = Descriptor();
    WatchId watch = {};
    Interest interest = Interest::neither;
  };
  struct Connection {
    End client = {};
    End endpoint = {};
    Way up = {};    // from the client to the endpoint
    Way down = {};  // and back
    std::vector<ServiceBackend> untried = {};
    bool is_connected = false;
  };
  // Somebody who sent a datagram, and the socket on which his endpoint answers.
  struct Flow {
    ServiceBackend backend;
    Descriptor socket = Descriptor();
    WatchId watch = {};
    MonotonicInstant used = {};
  };
  using Peer = std::pair<std::uint32_t, std::uint16_t>;
  struct Stay {
    ServiceBackend backend;
    MonotonicInstant until = {};
  };
  struct Listener {
    Descriptor socket = Descriptor();
    WatchId watch = {};
    TimerId retry = {};
    ServedPort served = {};
    std::size_t next = 0;                      // whose turn it is
    std::map<std::uint32_t, Stay> stays = {};  // by the client's address
    std::map<Peer, Flow> flows = {};
  };

  void open(const ServicePort& port, Listener& listener);
  void end(const ServicePort& port);
  std::vector<ServiceBackend> order_for(Listener& listener, std::uint32_t client);

  void on_client(const ServicePort& port);
  void try_next(std::uint64_t number);
  void on_endpoint(std::uint64_t number);
  void pass(std::uint64_t number);
  static bool pass_way(End& from, End& to, Way& way);
  bool watch_for(End& end, const Way& in, const Way& out);
  void drop(std::uint64_t number);

  void on_datagrams(const ServicePort& port);
  Flow* flow_for(const ServicePort& port, Listener& listener, InternetPeer from);
  void on_answer(const ServicePort& port, Peer peer);
  void forget_flows(Listener& listener, MonotonicInstant used_before);
  void drop_flow(Listener& listener, std::map<Peer, Flow>::iterator at);

  PollLoop& loop_;
  Log log_;
  std::map<ServicePort, Listener> listeners_;
  std::map<std::uint64_t, Connection> connections_;
  std::uint64_t connection_next_ = 1;
  std::size_t flows_ = 0;
};

}  // namespace muster::agent
