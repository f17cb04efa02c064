// A connection that was upgraded to plain SPDY/3.1: after the answer to its request, bytes both
// ways, which the conversation itself takes apart.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <utility>

#include "server/http/limits.h"
#include "server/http/web_socket.h"
#include "server/spdy_command.h"

namespace muster::server {

namespace {

namespace asio = boost::asio;
using Fault = boost::system::error_code;
using TlsStream = asio::ssl::stream<asio::ip::tcp::socket>;

constexpr std::size_t read_bytes = std::size_t{32} << 10;

//   open ──────────────────────► closed
//     ended and all written, stop(), any error, the client's end
class SpdySocket final : public WebSocket {
 public:
  SpdySocket(WebSocketPeer peer, Delivery first)
      : socket_(peer.stream),
        owner_(std::move(peer.owner)),
        on_closed_(std::move(peer.on_closed)),
        stream_(std::move(first.stream)) {
    out_ =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
        "X-Stream-Protocol-Version: " +
        first.protocol.substr(plain_spdy.size()) + "\r\n\r\n";
    take(first);
    pump();
    if (peer.early.empty()) {
      read();
    } else {
      stream_->hear(std::move(peer.early));
    }
  }

  void deliver(Delivery delivery) override {
    const bool reads_on = delivery.may_read_on;
    take(delivery);
    if (reads_on) read();
    pump();
  }

  void stop() override {
    ended_ = true;
    out_.clear();
    pump();
  }

  void close() override {
    if (std::exchange(is_closed_, true)) return;
    stream_->close();
  }

  bool is_writing() const override { return is_writing_; }

 private:
  void take(const Delivery& delivery) {
    for (const Piece& piece : delivery.pieces) {
      out_ += piece.view();
      unacknowledged_ += piece.view().size();
    }
    ended_ = ended_ || delivery.ended;
  }

  void fail() {
    if (!is_closed_) on_closed_();
  }

  void read() {
    if (is_reading_ || is_closed_) return;
    is_reading_ = true;
    socket_.async_read_some(asio::buffer(room_),
                            [this, owner = owner_.lock()](Fault fault, std::size_t size) {
                              is_reading_ = false;
                              if (is_closed_) return;
                              if (fault) return fail();
                              stream_->hear(std::string(room_.data(), size));
                            });
  }

  void pump() {
    if (is_writing_ || is_closed_) return;
    if (out_.empty()) {
      if (ended_) say_goodbye();
      return;
    }
    is_writing_ = true;
    writing_ = std::exchange(out_, {});
    const std::size_t told = std::exchange(unacknowledged_, 0);
    asio::async_write(socket_, asio::buffer(writing_),
                      [this, told, owner = owner_.lock()](Fault fault, std::size_t) {
                        is_writing_ = false;
                        if (is_closed_) return;
                        if (fault) return fail();
                        stream_->acknowledge(told);
                        pump();
                      });
  }

  void say_goodbye() {
    is_writing_ = true;
    socket_.async_shutdown([this, owner = owner_.lock()](Fault) { fail(); });
  }

  TlsStream& socket_;
  std::weak_ptr<void> owner_;
  std::function<void()> on_closed_;
  std::shared_ptr<HouseStream> stream_;
  std::array<char, read_bytes> room_;
  std::string out_;
  std::string writing_;
  std::size_t unacknowledged_ = 0;  // bytes of the house in out_
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool is_closed_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<WebSocket> make_spdy_socket(WebSocketPeer peer, Delivery first) {
  return std::make_unique<SpdySocket>(std::move(peer), std::move(first));
}

}  // namespace muster::server
