// Connection: one client of the listener, from its handshake to its end.
//
//   auto connection = make_connection(io, context, descriptor, {.board = board, .id = 7});
//   connection->start();
//
// Assumes: everything happens on the network thread; the switchboard outlives every connection.
// Callbacks of operations under way hold it, the listener holds it until forget().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "server/http/answer_queue.h"
#include "server/http/switchboard.h"

struct ssl_ctx_st;
namespace boost::asio {
class io_context;
}

namespace muster::server {

class Connection {
 public:
  virtual ~Connection() = default;

  virtual void start() = 0;
  virtual void deliver(Delivery delivery) = 0;

  // Closes it when it is late.
  virtual void sweep() = 0;

  // Ends its streams, writes what it owes, and closes it.
  virtual void stop() = 0;
  virtual void close() = 0;
};

// An accepted TCP connection, whose descriptor it takes over.
struct AcceptedPeer {
  int descriptor = -1;
  bool is_v6 = false;
  std::uint64_t id = 0;
};

std::shared_ptr<Connection> make_connection(boost::asio::io_context& io, ssl_ctx_st* context,
                                            AcceptedPeer peer, Switchboard& board);

}  // namespace muster::server
