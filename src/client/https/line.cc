// SPDX-License-Identifier: Apache-2.0
#include "client/https/line.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace muster::client {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Fault = boost::system::error_code;

constexpr std::size_t piece_bytes = std::size_t{32} * 1024;

// A server that has gone without a word is noticed by the kernel's probes.
constexpr int probe_after_seconds = 30;
constexpr int probe_interval_seconds = 10;
constexpr int probes = 3;

LineFailure answer_too_large() {
  return {.error = Error::too_large("the server's answer is larger than this client takes")};
}

// `299 - "text"`, with the quotes and backslashes of HTTP taken away.
template <class Message>
std::vector<std::string> warnings_of(const Message& message) {
  std::vector<std::string> texts;
  const auto range = message.equal_range("Warning");
  for (auto at = range.first; at != range.second; ++at) {
    const std::string_view value(at->value().data(), at->value().size());
    const std::size_t first = value.find('"');
    const std::size_t last = value.rfind('"');
    if (first == std::string_view::npos || last <= first) continue;
    std::string text;
    for (std::size_t index = first + 1; index < last; ++index) {
      if (value[index] == '\\' && index + 1 < last) ++index;
      text += value[index];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

template <int option>
using TcpNumber = asio::detail::socket_option::integer<IPPROTO_TCP, option>;

class TlsLine final : public Line, public std::enable_shared_from_this<TlsLine> {
 public:
  TlsLine(asio::io_context& io, const LineOptions& options, SSL* ssl)
      : options_(options), resolver_(io), stream_(io, ssl), buffer_(buffer_bytes_max) {}

  void ask(std::string text, LineCallbacks callbacks) override;
  void pause() override { is_paused_ = true; }
  void resume() override;
  void sweep() override;
  bool is_usable() override;
  void close() override;

 private:
  static constexpr std::size_t buffer_bytes_max = std::size_t{128} * 1024;

  void connect();
  void connect_to(const std::vector<tcp::endpoint>& places);
  void shake_hands();
  void write();
  void read_head();
  void read_whole();
  void read_pieces();
  void on_pieces(Fault fault);
  void finish(WholeAnswer answer);
  void fail(std::string_view doing, const Fault& fault);
  void fail(LineFailure failure);
  void begin(Span span);
  bool is_closed() const { return is_closed_; }

  const LineOptions options_;
  tcp::resolver resolver_;
  asio::ssl::stream<tcp::socket> stream_;
  beast::flat_buffer buffer_;
  std::string text_;
  LineCallbacks callbacks_;
  std::optional<http::response_parser<http::empty_body>> head_;
  std::optional<http::response_parser<http::string_body>> whole_;
  std::optional<http::response_parser<http::buffer_body>> pieces_;
  std::array<char, piece_bytes> piece_{};
  bool is_connected_ = false;
  bool was_used_ = false;  // it has carried an answer before
  bool is_busy_ = false;
  bool is_paused_ = false;
  bool is_closed_ = false;
  bool is_reading_ = false;
  std::int64_t sweeps_left_ = -1;  // below 0: there is time
};

void TlsLine::ask(std::string text, LineCallbacks callbacks) {
  text_ = std::move(text);
  callbacks_ = std::move(callbacks);
  is_busy_ = true;
  if (is_connected_) return write();
  connect();
}

// Addresses need no look-up; for a name Asio asks the system on a thread of its own.
void TlsLine::connect() {
  begin(options_.limits.connect);
  const Endpoint& endpoint = options_.endpoint;
  Fault fault;
  const auto address = asio::ip::make_address(endpoint.host, fault);
  if (!fault) {
    const auto port = static_cast<std::uint16_t>(std::stoi(endpoint.port));
    return connect_to({tcp::endpoint(address, port)});
  }
  resolver_.async_resolve(
      endpoint.host, endpoint.port,
      [self = shared_from_this()](Fault found_fault, const tcp::resolver::results_type& found) {
        if (self->is_closed()) return;
        if (found_fault) return self->fail("look up", found_fault);
        self->connect_to({found.begin(), found.end()});
      });
}

void TlsLine::connect_to(const std::vector<tcp::endpoint>& places) {
  asio::async_connect(stream_.next_layer(), places,
                      [self = shared_from_this()](Fault fault, const tcp::endpoint&) {
                        if (self->is_closed()) return;
                        if (fault) return self->fail("connect to", fault);
                        self->shake_hands();
                      });
}

void TlsLine::shake_hands() {
  Fault ignored;
  tcp::socket& lower = stream_.next_layer();
  lower.non_blocking(true, ignored);  // is_usable() looks without waiting
  lower.set_option(tcp::no_delay(true), ignored);
  lower.set_option(asio::socket_base::keep_alive(true), ignored);
  lower.set_option(TcpNumber<TCP_KEEPIDLE>(probe_after_seconds), ignored);
  lower.set_option(TcpNumber<TCP_KEEPINTVL>(probe_interval_seconds), ignored);
  lower.set_option(TcpNumber<TCP_KEEPCNT>(probes), ignored);
  stream_.async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](Fault fault) {
    if (self->is_closed()) return;
    if (fault) return self->fail("agree on TLS with", fault);
    self->is_connected_ = true;
    self->write();
  });
}

void TlsLine::write() {
  begin(options_.limits.call);
  asio::async_write(stream_, asio::buffer(text_),
                    [self = shared_from_this()](Fault fault, std::size_t) {
                      if (self->is_closed()) return;
                      if (fault) return self->fail("write to", fault);
                      self->read_head();
                    });
}

void TlsLine::read_head() {
  head_.emplace();
  head_->header_limit(https_answer_head_bytes_max);
  head_->body_limit(boost::none);
  http::async_read_header(
      stream_, buffer_, *head_, [self = shared_from_this()](Fault fault, std::size_t) {
        if (self->is_closed()) return;
        if (fault) return self->fail("read from", fault);
        const bool is_stream = self->callbacks_.on_piece && self->head_->get().result_int() == 200;
        if (!is_stream) return self->read_whole();
        self->sweeps_left_ = -1;
        self->pieces_.emplace(std::move(*self->head_));
        self->read_pieces();
      });
}

void TlsLine::read_whole() {
  const auto announced = head_->content_length();
  if (announced && *announced > options_.limits.answer_bytes) return fail(answer_too_large());
  whole_.emplace(std::move(*head_));
  whole_->body_limit(options_.limits.answer_bytes);
  http::async_read(stream_, buffer_, *whole_,
                   [self = shared_from_this()](Fault fault, std::size_t) {
                     if (self->is_closed()) return;
                     if (fault == http::error::body_limit) return self->fail(answer_too_large());
                     if (fault) return self->fail("read from", fault);
                     auto& message = self->whole_->get();
                     self->finish({.status = static_cast<int>(message.result_int()),
                                   .body = std::move(message.body()),
                                   .may_keep = message.keep_alive(),
                                   .warnings = warnings_of(message)});
                   });
}

void TlsLine::read_pieces() {
  if (is_paused_ || is_reading_) return;
  is_reading_ = true;
  auto& body = pieces_->get().body();
  body.data = piece_.data();
  body.size = piece_.size();
  body.more = true;
  http::async_read_some(stream_, buffer_, *pieces_,
                        [self = shared_from_this()](Fault fault, std::size_t) {
                          self->is_reading_ = false;
                          if (!self->is_closed()) self->on_pieces(fault);
                        });
}

void TlsLine::on_pieces(Fault fault) {
  if (fault && fault != http::error::need_buffer) return fail("read from", fault);
  const std::size_t size = piece_.size() - pieces_->get().body().size;
  if (size > 0) callbacks_.on_piece({piece_.data(), size});
  if (is_closed()) return;
  if (pieces_->is_done()) {
    return finish({.status = 200, .body = {}, .may_keep = false});
  }
  read_pieces();
}

void TlsLine::resume() {
  is_paused_ = false;
  if (is_busy_ && pieces_ && !is_closed()) read_pieces();
}

// Between requests a server has nothing to say: bytes or an end mean that it has closed.
bool TlsLine::is_usable() {
  if (is_closed_ || is_busy_) return false;
  if (!is_connected_) return true;
  Fault fault;
  char byte = 0;
  stream_.next_layer().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, fault);
  return fault == asio::error::would_block;
}

void TlsLine::finish(WholeAnswer answer) {
  is_busy_ = false;
  was_used_ = true;
  whole_.reset();
  pieces_.reset();
  begin(options_.limits.idle);
  // Moved out first: the callback may ask again.
  const auto self = shared_from_this();
  auto on_whole = std::move(callbacks_.on_whole);
  on_whole(std::move(answer));
}

void TlsLine::fail(std::string_view doing, const Fault& fault) {
  const bool is_unanswered = was_used_ && !whole_ && !pieces_;
  fail({.error = {ErrorCode::unavailable,
                  fmt::format("cannot {} {}: {}", doing, options_.endpoint.authority(),
                              fault.message())},
        .may_ask_again = is_unanswered});
}

void TlsLine::fail(LineFailure failure) {
  const auto self = shared_from_this();
  auto on_failed = std::move(callbacks_.on_failed);
  close();
  on_failed(std::move(failure));
}

void TlsLine::begin(Span span) {
  sweeps_left_ = 1 + span.nanoseconds / options_.limits.sweep.nanoseconds;
}

void TlsLine::sweep() {
  if (sweeps_left_ < 0 || --sweeps_left_ >= 0) return;
  if (!is_busy_) return close();
  if (!is_connected_) {
    return fail({.error = {ErrorCode::unavailable, fmt::format("cannot connect to {} in time",
                                                               options_.endpoint.authority())}});
  }
  fail({.error = {ErrorCode::timeout, "the server did not answer in time"}});
}

void TlsLine::close() {
  if (is_closed_) return;
  is_closed_ = true;
  Fault ignored;
  resolver_.cancel();
  stream_.next_layer().close(ignored);
}

}  // namespace

std::shared_ptr<Line> make_line(boost::asio::io_context& io, const LineOptions& options) {
  SSL* ssl = make_client_connection(options.context, options.server_name);
  if (ssl == nullptr) return nullptr;
  return std::make_shared<TlsLine>(io, options, ssl);
}

}  // namespace muster::client
