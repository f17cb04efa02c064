// WebSocket: a connection that a client has upgraded, from its handshake to its end: messages of a
// conversation both ways. Nothing is read while the house has a message in hand.
//
//   socket = make_web_socket({.stream = stream, .request = message, …}, std::move(delivery));
//
// Assumes: the network thread; the TLS stream and the request belong to `owner`, which what is
// under way holds. Nobody else reads or writes the stream any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <memory>
#include <string>

#include "server/http/answer_queue.h"

namespace muster::server {

class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // What comes after the first part of the answer.
  virtual void deliver(Delivery delivery) = 0;

  // Says goodbye, then closes.
  virtual void stop() = 0;

  // The other side is forgotten: the house hears of it.
  virtual void close() = 0;

  // A write is under way and does not get on.
  virtual bool is_writing() const = 0;
};

struct WebSocketPeer {
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket>& stream;
  const boost::beast::http::request<boost::beast::http::string_body>& request;
  std::weak_ptr<void> owner;
  std::function<void()> on_closed;
  std::string early = {};  // what came behind the request, of a connection that is no WebSocket
};

std::unique_ptr<WebSocket> make_web_socket(WebSocketPeer peer, Delivery first);

// The same for clients that speak SPDY/3.1 themselves: what is said and heard are bytes.
std::unique_ptr<WebSocket> make_spdy_socket(WebSocketPeer peer, Delivery first);

}  // namespace muster::server
