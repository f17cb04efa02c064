// SPDX-License-Identifier: Apache-2.0
#include "server/http/web_socket.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <string>
#include <utility>

#include "server/http/limits.h"

namespace muster::server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using Fault = boost::system::error_code;
using TlsStream = asio::ssl::stream<asio::ip::tcp::socket>;

//   accepting ──► open ──────────────────────► closing ──► closed
//       │          │ ended and all written, stop() ▲          ▲
//       └──────────┴── any error, the client's end ───────────┘
class BeastWebSocket final : public WebSocket {
 public:
  BeastWebSocket(WebSocketPeer peer, Delivery first)
      : socket_(peer.stream),
        owner_(std::move(peer.owner)),
        on_closed_(std::move(peer.on_closed)),
        stream_(std::move(first.stream)) {
    socket_.set_option(websocket::stream_base::decorator(
        [protocol = first.protocol](websocket::response_type& response) {
          response.set(beast::http::field::sec_websocket_protocol, protocol);
        }));
    socket_.read_message_max(http_message_bytes_max);
    socket_.binary(true);
    socket_.auto_fragment(false);
    take(std::move(first));
    is_writing_ = true;
    socket_.async_accept(peer.request, [this, owner = owner_.lock()](Fault fault) {
      is_writing_ = false;
      if (fault || is_closed_) return fail();
      read();
      pump();
    });
  }

  void deliver(Delivery delivery) override {
    const bool reads_on = delivery.may_read_on;
    take(std::move(delivery));
    if (reads_on) read();
    pump();
  }

  void stop() override {
    ended_ = true;
    pieces_.clear();
    pump();
  }

  void close() override {
    if (std::exchange(is_closed_, true)) return;
    stream_->close();
  }

  bool is_writing() const override { return is_writing_; }

 private:
  void take(Delivery delivery) {
    for (Piece& piece : delivery.pieces) pieces_.push_back(std::move(piece));
    ended_ = ended_ || delivery.ended;
  }

  void fail() {
    if (!is_closed_) on_closed_();
  }

  void read() {
    if (is_reading_ || is_closed_ || is_closing_) return;
    is_reading_ = true;
    socket_.async_read(buffer_, [this, owner = owner_.lock()](Fault fault, std::size_t) {
      is_reading_ = false;
      if (is_closed_) return;
      if (fault) return fail();
      stream_->hear(beast::buffers_to_string(buffer_.data()));
      buffer_.consume(buffer_.size());
    });
  }

  void pump() {
    if (is_writing_ || is_closed_) return;
    if (pieces_.empty()) {
      if (ended_) say_goodbye();
      return;
    }
    is_writing_ = true;
    writing_ = std::move(pieces_.front());
    pieces_.pop_front();
    const std::string_view bytes = writing_.view();
    socket_.async_write(asio::buffer(bytes.data(), bytes.size()),
                        [this, owner = owner_.lock()](Fault fault, std::size_t size) {
                          is_writing_ = false;
                          if (is_closed_) return;
                          if (fault) return fail();
                          stream_->acknowledge(size);
                          pump();
                        });
  }

  void say_goodbye() {
    if (std::exchange(is_closing_, true)) return;
    is_writing_ = true;
    socket_.async_close(websocket::close_code::normal,
                        [this, owner = owner_.lock()](Fault) { fail(); });
  }

  websocket::stream<TlsStream&> socket_;
  std::weak_ptr<void> owner_;
  std::function<void()> on_closed_;
  std::shared_ptr<HouseStream> stream_;
  beast::flat_buffer buffer_;
  std::deque<Piece> pieces_;
  Piece writing_;
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool is_closing_ = false;
  bool is_closed_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<WebSocket> make_web_socket(WebSocketPeer peer, Delivery first) {
  return std::make_unique<BeastWebSocket>(std::move(peer), std::move(first));
}

}  // namespace muster::server
