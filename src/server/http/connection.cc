// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "server/http/answer_text.h"
#include "server/http/gzip.h"
#include "server/http/record_writer.h"
#include "server/http/tls.h"
#include "server/http/web_socket.h"
#include "server/spdy_command.h"

namespace muster::server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Fault = boost::system::error_code;

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t read_bytes = std::size_t{4} * 1024;

// Of the write buffer of a quiet connection.
constexpr std::size_t kept_bytes_max = std::size_t{16} * 1024;

std::string_view text_of(boost::core::string_view text) {
  return {text.data(), text.size()};
}

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Failure busy() {
  return failures::too_many_requests("too many requests, please try again later", 1);
}

// With the limit in force, which a test may have lowered.
Failure body_too_large(const HttpLimits& limits) {
  return Error::too_large(fmt::format("Request entity too large: limit is {}", limits.body_bytes));
}

// Names in lower case, without what they all begin with.
template <class Message>
ImpersonationHeaders impersonation_headers(const Message& message) {
  constexpr std::string_view prefix = "impersonate-";
  ImpersonationHeaders headers;
  for (const auto& field : message) {
    const std::string_view name = text_of(field.name_string());
    if (!beast::iequals(name.substr(0, prefix.size()), prefix)) continue;
    std::string lower(name.substr(prefix.size()));
    for (char& character : lower) {
      if (is_letter(character)) character = static_cast<char>(character | 0x20);
    }
    headers.emplace_back(std::move(lower), std::string(text_of(field.value())));
  }
  return headers;
}

Delivery as_delivery(std::uint64_t ticket, Response response) {
  return {.ticket = ticket,
          .head = AnswerHead{.status = response.status,
                             .content_type = std::move(response.content_type),
                             .headers = std::move(response.headers)},
          .pieces = {std::get<Piece>(std::move(response.body))},
          .ended = true};
}

//                     handshake           close, or refused with a body unread
//   (new) ─► shaking ───────────► open ──────────────────────────────────────► lingering ─► closed
//                                  any error, any deadline, the peer's end: ─────────────► closed
//
// A request to upgrade is the last one; when its answer is a conversation, a WebSocket (or what
// older clients have in its place) takes over.
// While open it reads one request at a time and writes what its AnswerQueue hands out; both go on
// at once. Everything happens on the network thread.
class TlsConnection final : public Connection, public std::enable_shared_from_this<TlsConnection> {
 public:
  TlsConnection(Switchboard& board, tcp::socket peer, SSL* ssl, std::uint64_t id);

  void start() override;
  void deliver(Delivery delivery) override;
  void sweep() override;
  void stop() override;
  void close() override;

 private:
  enum class State : std::uint8_t { shaking, open, lingering, closed };

  void wait_for_request();
  void read_head();
  void on_head(Fault fault);
  void take_request();
  void read_body(const AnswerManner& form);
  void on_body(Fault fault);
  void dispatch();
  void refuse(AnswerManner form, Response response);
  AnswerManner form_of_request() const;
  std::optional<std::vector<std::string>> protocols_of_request() const;
  void converse(Delivery delivery);
  void pump();
  void on_written(Fault fault);
  void linger();
  void drain(std::size_t bytes_left);
  void release_body();
  std::uint64_t deadline(Span span) const { return board_.deadline(span); }
  const HttpLimits& limits() const { return board_.limits(); }

  Switchboard& board_;
  asio::ssl::stream<tcp::socket> stream_;
  const std::uint64_t id_;
  State state_ = State::shaking;
  std::optional<CertificateSubject> client_ = {};
  std::string source_;

  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_ = {};
  Authenticated who_ = {};          // asks the request at hand
  std::size_t body_reserved_ = 0;   // of the request at hand
  bool is_reading_ = false;         // an asynchronous read is under way
  bool awaits_first_byte_ = false;  // … and nothing of a request has come
  bool reads_no_more_ = false;
  std::uint64_t read_deadline_ = never;

  AnswerQueue answers_;
  RecordWriter records_;
  std::string out_;
  bool is_writing_ = false;
  bool closes_after_write_ = false;
  std::uint64_t write_deadline_ = never;
  std::unique_ptr<WebSocket> web_socket_;
};

TlsConnection::TlsConnection(Switchboard& board, tcp::socket peer, SSL* ssl, std::uint64_t id)
    : board_(board),
      stream_(std::move(peer), ssl),
      id_(id),
      buffer_(board.limits().head_bytes + read_bytes),
      records_(ssl) {}

void TlsConnection::start() {
  Fault ignored;
  const tcp::endpoint peer = stream_.next_layer().remote_endpoint(ignored);
  if (!ignored) source_ = peer.address().to_string();
  stream_.next_layer().set_option(tcp::no_delay(true), ignored);
  stream_.next_layer().set_option(asio::socket_base::keep_alive(true), ignored);
  read_deadline_ = deadline(limits().handshake);
  stream_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](Fault fault) {
    if (fault || self->state_ != State::shaking) return self->close();
    self->state_ = State::open;
    self->client_ = client_of(self->stream_.native_handle());
    self->records_.begin();
    self->wait_for_request();
    // Who connects says something at once; only between requests there is time.
    self->read_deadline_ = self->deadline(self->limits().head);
  });
}

void TlsConnection::wait_for_request() {
  if (state_ != State::open || is_reading_ || reads_no_more_) return;
  if (board_.is_stopping() || answers_.size() >= limits().pipeline) return;
  is_reading_ = true;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits().head_bytes));
  parser_->body_limit(boost::none);  // it is set once the head is known
  if (buffer_.size() > 0) return read_head();
  awaits_first_byte_ = true;
  read_deadline_ = deadline(limits().idle);
  stream_.async_read_some(buffer_.prepare(read_bytes),
                          [self = shared_from_this()](Fault fault, std::size_t size) {
                            self->awaits_first_byte_ = false;
                            if (fault) return self->close();
                            self->buffer_.commit(size);
                            self->read_head();
                          });
}

void TlsConnection::read_head() {
  read_deadline_ = deadline(limits().head);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](Fault fault, std::size_t) {
                            self->is_reading_ = false;
                            self->on_head(fault);
                          });
}

void TlsConnection::on_head(Fault fault) {
  if (state_ != State::open) return close();
  read_deadline_ = never;
  if (fault == http::error::header_limit || fault == http::error::buffer_overflow) {
    board_.count(HttpLimit::head_bytes);
    return refuse({.keep_alive = false},
                  {.status = 431,
                   .content_type = "text/plain",
                   .body = Piece::copy_of("the head of the request is too large\n")});
  }
  const bool is_syntax =
      fault && fault.category() == make_error_code(http::error::bad_value).category();
  const bool is_end = fault == http::error::end_of_stream || fault == http::error::partial_message;
  if (is_syntax && !is_end) {
    return refuse({.keep_alive = false},
                  refusal(Error::bad_request("the request is not HTTP/1.1: " + fault.message())));
  }
  if (fault) return close();
  take_request();
}

AnswerManner TlsConnection::form_of_request() const {
  const auto& message = parser_->get();
  return {.keep_alive = message.keep_alive(),
          .may_chunk = message.version() >= 11,
          .head_only = message.method() == http::verb::head,
          .may_gzip = accepts_gzip(text_of(message[http::field::accept_encoding]))};
}

// The head is here. Who asks is settled before a byte of the body is kept.
void TlsConnection::take_request() {
  const auto& message = parser_->get();
  AnswerManner form = form_of_request();
  const AnswerManner last{.keep_alive = form.keep_alive && parser_->is_done(),
                          .may_chunk = form.may_chunk,
                          .head_only = form.head_only};
  const std::string_view target = text_of(message.target());
  if (!target.starts_with('/')) {
    return refuse(last, refusal(Error::bad_request("the target must be a path")));
  }
  const std::string_view path = target.substr(0, target.find('?'));
  auto who = board_.options().authenticator.authenticate(
      {.authorization = text_of(message[http::field::authorization]),
       .certificate = client_ ? &*client_ : nullptr},
      path);
  if (!who) return refuse(last, refusal(failures::unauthorized()));
  who_ = std::move(*who);
  if (parser_->is_done()) return dispatch();
  read_body(last);
}

void TlsConnection::read_body(const AnswerManner& form) {
  const auto announced = parser_->content_length();
  if (announced && *announced > limits().body_bytes) {
    board_.count(HttpLimit::body_bytes);
    return refuse(form, refusal(body_too_large(limits())));
  }
  const std::size_t needed = announced ? static_cast<std::size_t>(*announced) : limits().body_bytes;
  if (!board_.reserve_body(needed)) {
    return refuse(form, refusal(busy()));
  }
  body_reserved_ = needed;
  parser_->body_limit(limits().body_bytes);
  if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
    answers_.expect_continue();
    pump();
  }
  is_reading_ = true;
  read_deadline_ = deadline(limits().body);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Fault fault, std::size_t) {
                     self->is_reading_ = false;
                     self->on_body(fault);
                   });
}

void TlsConnection::on_body(Fault fault) {
  if (state_ != State::open) return close();
  read_deadline_ = never;
  if (fault == http::error::body_limit) {
    release_body();
    board_.count(HttpLimit::body_bytes);
    return refuse({.keep_alive = false}, refusal(body_too_large(limits())));
  }
  if (fault) return close();
  dispatch();
}

// Nothing: it asks for no conversation.
std::optional<std::vector<std::string>> TlsConnection::protocols_of_request() const {
  const auto& message = parser_->get();
  const bool is_spdy = beast::iequals(message[http::field::upgrade], "SPDY/3.1");
  if (!is_spdy && !beast::iequals(message[http::field::upgrade], "websocket")) return std::nullopt;
  const std::string_view prefix = is_spdy ? plain_spdy : std::string_view();
  std::vector<std::string> protocols;
  const auto fields = is_spdy ? message.equal_range("X-Stream-Protocol-Version")
                              : message.equal_range(http::field::sec_websocket_protocol);
  for (auto field = fields.first; field != fields.second; ++field) {
    // Not a list of tokens: SPDY/3.1+portforward.k8s.io is none.
    std::string_view rest = text_of(field->value());
    while (!rest.empty() && protocols.size() < http_protocols_max) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view protocol = without_blanks(rest.substr(0, end));
      if (!protocol.empty()) protocols.push_back(std::string(prefix) + std::string(protocol));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return protocols;
}

void TlsConnection::dispatch() {
  AnswerManner form = form_of_request();
  auto protocols = protocols_of_request();
  if (protocols) form.keep_alive = false;
  auto& message = parser_->get();
  const std::string_view target = text_of(message.target());
  const std::size_t path_size = std::min(target.find('?'), target.size());
  Request request{.method = std::string(text_of(message.method_string())),
                  .path = std::string(target.substr(0, path_size)),
                  .query = std::string(target.substr(std::min(path_size + 1, target.size()))),
                  .accept = std::string(text_of(message[http::field::accept])),
                  .content_type = std::string(text_of(message[http::field::content_type])),
                  .user_agent = std::string(text_of(message[http::field::user_agent])),
                  .if_none_match = std::string(text_of(message[http::field::if_none_match])),
                  .audit_id = std::string(text_of(message["Audit-Id"])),
                  .body = std::move(message.body()),
                  .protocols = std::move(protocols),
                  .identity = std::move(who_.identity),
                  .bound = std::move(who_.bound),
                  .impersonation = impersonation_headers(message),
                  .source = source_};
  const std::uint64_t ticket = answers_.expect(form);
  reads_no_more_ = !form.keep_alive;
  if (board_.ask(
          std::move(request),
          {.connection = id_, .delivery = {.ticket = ticket}, .body_bytes = body_reserved_})) {
    body_reserved_ = 0;
  } else {
    release_body();
    deliver(as_delivery(ticket, refusal(busy())));
  }
  wait_for_request();
}

// An answer of the transport's own, in its turn.
void TlsConnection::refuse(AnswerManner form, Response response) {
  reads_no_more_ = !form.keep_alive;
  deliver(as_delivery(answers_.expect(form), std::move(response)));
  wait_for_request();
}

void TlsConnection::deliver(Delivery delivery) {
  if (web_socket_ != nullptr) return web_socket_->deliver(std::move(delivery));
  if (!delivery.protocol.empty()) return converse(std::move(delivery));
  answers_.deliver(std::move(delivery));
  pump();
}

// A client that has answers to earlier requests coming cannot have meant it.
void TlsConnection::converse(Delivery delivery) {
  if (state_ != State::open || answers_.size() != 1 || is_writing_) {
    delivery.stream->close();
    return close();
  }
  answers_.clear();
  records_.end();
  const bool is_spdy = delivery.protocol.starts_with(plain_spdy);
  WebSocketPeer peer{.stream = stream_,
                     .request = parser_->get(),
                     .owner = weak_from_this(),
                     .on_closed = [this] { close(); },
                     .early = is_spdy ? beast::buffers_to_string(buffer_.data()) : std::string()};
  web_socket_ = is_spdy ? make_spdy_socket(std::move(peer), std::move(delivery))
                        : make_web_socket(std::move(peer), std::move(delivery));
}

void TlsConnection::pump() {
  if (is_writing_ || state_ != State::open) return;
  out_.clear();
  closes_after_write_ = answers_.fill(out_, http_write_bytes);
  if (out_.empty()) {
    write_deadline_ = never;
    if (out_.capacity() > kept_bytes_max) std::string().swap(out_);
    records_.rest(kept_bytes_max);
    if (board_.is_stopping() && answers_.is_empty()) linger();
    return;
  }
  if (!records_.seal(out_)) return close();
  is_writing_ = true;
  write_deadline_ = deadline(limits().write);
  asio::async_write(
      stream_.next_layer(), asio::buffer(records_.take()),
      [self = shared_from_this()](Fault fault, std::size_t) { self->on_written(fault); });
}

void TlsConnection::on_written(Fault fault) {
  is_writing_ = false;
  if (fault || state_ != State::open) return close();
  if (closes_after_write_) return linger();
  if (awaits_first_byte_ && answers_.is_empty()) {
    read_deadline_ = deadline(limits().idle);
  }
  pump();
  wait_for_request();
}

// Closing at once would reset the connection under a client that is still sending, and it would
// never see the answer: say goodbye, then read what still comes and throw it away.
void TlsConnection::linger() {
  answers_.clear();
  if (is_reading_) return close();  // the read under way would meet the goodbye's
  records_.end();
  state_ = State::lingering;
  write_deadline_ = never;
  read_deadline_ = deadline(limits().linger);
  stream_.async_shutdown([self = shared_from_this()](Fault) {
    if (self->state_ != State::lingering) return;
    Fault ignored;
    self->stream_.next_layer().shutdown(tcp::socket::shutdown_send, ignored);
    self->buffer_.clear();
    self->drain(self->limits().linger_bytes);
  });
}

void TlsConnection::drain(std::size_t bytes_left) {
  stream_.next_layer().async_read_some(
      buffer_.prepare(read_bytes),
      [self = shared_from_this(), bytes_left](Fault fault, std::size_t size) {
        if (fault || size >= bytes_left) return self->close();
        self->drain(bytes_left - size);
      });
}

void TlsConnection::sweep() {
  if (web_socket_ != nullptr) {
    if (!web_socket_->is_writing()) write_deadline_ = deadline(limits().write);
    if (board_.sweeps() > write_deadline_) close();
    return;
  }
  const bool waits_idly = awaits_first_byte_ && !answers_.is_empty();
  const bool is_late = board_.sweeps() > read_deadline_ && !waits_idly;
  const bool is_stuck = board_.sweeps() > write_deadline_;
  if (!is_late && !is_stuck) return;
  if (state_ == State::shaking || state_ == State::open) {
    board_.count(is_stuck                   ? HttpLimit::write_time
                 : state_ == State::shaking ? HttpLimit::handshake_time
                                            : HttpLimit::read_time);
  }
  close();
}

void TlsConnection::stop() {
  if (web_socket_ != nullptr) return web_socket_->stop();
  if (state_ != State::open || (answers_.is_empty() && !is_writing_)) return close();
  answers_.end_streams();
  pump();
}

void TlsConnection::release_body() {
  board_.release_body(std::exchange(body_reserved_, 0));
}

void TlsConnection::close() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  answers_.clear();
  if (web_socket_ != nullptr) web_socket_->close();
  release_body();
  Fault ignored;
  stream_.next_layer().close(ignored);
  board_.forget(id_);
}

}  // namespace

std::shared_ptr<Connection> make_connection(boost::asio::io_context& io, ssl_ctx_st* context,
                                            AcceptedPeer peer, Switchboard& board) {
  tcp::socket taken(io);
  Fault fault;
  taken.assign(peer.is_v6 ? tcp::v6() : tcp::v4(), peer.descriptor, fault);
  SSL* ssl = SSL_new(context);
  if (fault || ssl == nullptr) {
    SSL_free(ssl);
    return nullptr;
  }
  return std::make_shared<TlsConnection>(board, std::move(taken), ssl, peer.id);
}

}  // namespace muster::server
