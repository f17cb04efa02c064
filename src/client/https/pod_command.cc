// SPDX-License-Identifier: Apache-2.0
#include "client/https/pod_command.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <charconv>
#include <deque>
#include <utility>

#include "client/https/endpoint.h"
#include "client/https/limits.h"
#include "client/https/request_text.h"
#include "objects/json.h"

namespace muster::client {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using Fault = boost::system::error_code;

// The first byte of every message.
constexpr char channel_input = 0;
constexpr char channel_output = 1;
constexpr char channel_error_output = 2;
constexpr char channel_status = 3;
constexpr char channel_size = 4;
constexpr char channel_close = static_cast<char>(0xff);
constexpr std::size_t input_bytes = std::size_t{16} * 1024;
constexpr int standard_input = 0;
constexpr int terminal_resized_signal = 28;  // SIGWINCH on Linux

Error unreachable(const char* doing, const Fault& fault) {
  return {ErrorCode::unavailable, std::string("cannot ") + doing + ": " + fault.message()};
}

// `{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode",…`
Result<int> exit_status(std::string_view text) {
  const auto status = objects::parse_json(text);
  if (!status) return Error::internal("the server did not say how the command ended");
  if ((*status)["status"].string_or("") == "Success") return 0;
  for (const objects::View cause : (*status)["details"]["causes"].elements()) {
    if (cause["reason"].string_or("") != "ExitCode") continue;
    const std::string_view number = cause["message"].string_or("");
    int code = 1;
    std::from_chars(number.data(), number.data() + number.size(), code);
    return code;
  }
  return Error::internal(std::string((*status)["message"].string_or("the command failed")));
}

class PodCommand {
 public:
  PodCommand(SSL* connection, const PodCommandStreams& streams)
      : streams_(streams), input_(io_), resized_(io_), socket_(io_, connection) {}

  Result<> open_input();
  Result<> connect(const Endpoint& endpoint, const RequestManners& manners,
                   const std::string& target);
  Result<int> run();

 private:
  void read_input();
  void tell_size();
  void say(std::string message);
  void write_next();
  void read_message();
  void on_message(std::string_view message);
  void end_input();
  void end(Result<int> result);

  const PodCommandStreams& streams_;
  asio::io_context io_{1};
  asio::posix::stream_descriptor input_;
  asio::signal_set resized_;
  websocket::stream<asio::ssl::stream<tcp::socket>> socket_;
  beast::flat_buffer buffer_;
  std::array<char, input_bytes> piece_{};
  std::deque<std::string> waiting_;
  bool can_half_close_ = false;
  std::optional<Result<int>> result_;
};

Result<> PodCommand::open_input() {
  if (!streams_.follows_standard_input || streams_.input) return {};
  Fault fault;
  input_.assign(standard_input, fault);
  if (fault) return Error{ErrorCode::unsupported_media_type, fault.message()};
  return {};
}

Result<> PodCommand::connect(const Endpoint& endpoint, const RequestManners& manners,
                             const std::string& target) {
  Fault fault;
  tcp::resolver resolver(io_);
  const auto places = resolver.resolve(endpoint.host, endpoint.port, fault);
  if (fault) return unreachable("find the server", fault);
  asio::connect(beast::get_lowest_layer(socket_), places, fault);
  if (fault) return unreachable("connect to the server", fault);
  beast::get_lowest_layer(socket_).set_option(tcp::no_delay(true), fault);
  socket_.next_layer().handshake(asio::ssl::stream_base::client, fault);
  if (fault) return unreachable("agree on TLS", fault);
  socket_.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    request.set(http::field::sec_websocket_protocol, "v5.channel.k8s.io,v4.channel.k8s.io");
    request.set(http::field::user_agent, manners.user_agent);
    if (!manners.token.is_empty()) {
      request.set(http::field::authorization, "Bearer " + std::string(manners.token.reveal()));
    }
  }));
  websocket::response_type answer;
  socket_.handshake(answer, manners.host, manners.path_prefix + target, fault);
  if (fault == websocket::error::upgrade_declined) {
    const auto refused = value_of_answer(static_cast<int>(answer.result_int()), answer.body(),
                                         https_answer_bytes_max);
    return refused ? Error::internal("the server does not run commands") : refused.error();
  }
  if (fault) return unreachable("begin the conversation", fault);
  can_half_close_ = answer[http::field::sec_websocket_protocol] == "v5.channel.k8s.io";
  socket_.binary(true);
  return {};
}

void PodCommand::end(Result<int> result) {
  if (!result_) result_ = std::move(result);
  io_.stop();
}

void PodCommand::say(std::string message) {
  waiting_.push_back(std::move(message));
  if (waiting_.size() == 1) write_next();
}

void PodCommand::write_next() {
  socket_.async_write(asio::buffer(waiting_.front()), [this](Fault fault, std::size_t) {
    if (fault) return;  // the reader will hear why
    waiting_.pop_front();
    if (!waiting_.empty()) write_next();
  });
}

void PodCommand::end_input() {
  if (can_half_close_) say({channel_close, channel_input});
}

void PodCommand::read_input() {
  input_.async_read_some(asio::buffer(piece_), [this](Fault fault, std::size_t size) {
    if (fault) return end_input();
    say(std::string(1, channel_input).append(piece_.data(), size));
    read_input();
  });
}

void PodCommand::tell_size() {
  const auto [columns, rows] = streams_.terminal_size();
  say(fmt::format("{}{{\"Width\":{},\"Height\":{}}}", channel_size, columns, rows));
  resized_.async_wait([this](Fault fault, int) {
    if (!fault) tell_size();
  });
}

void PodCommand::read_message() {
  socket_.async_read(buffer_, [this](Fault fault, std::size_t) {
    if (fault) return end(unreachable("follow the command", fault));
    on_message({static_cast<const char*>(buffer_.data().data()), buffer_.data().size()});
    buffer_.clear();
    if (!result_) read_message();
  });
}

void PodCommand::on_message(std::string_view message) {
  if (message.empty()) return;
  const std::string_view text = message.substr(1);
  if (message.front() == channel_output && !text.empty()) streams_.out(text);
  if (message.front() == channel_error_output && !text.empty()) streams_.error(text);
  if (message.front() == channel_status) end(exit_status(text));
}

Result<int> PodCommand::run() {
  read_message();
  if (streams_.terminal_size) {
    Fault ignored;
    resized_.add(terminal_resized_signal, ignored);
    tell_size();
  }
  if (streams_.input) {
    for (std::size_t at = 0; at < streams_.input->size(); at += input_bytes) {
      say(std::string(1, channel_input).append(streams_.input->substr(at, input_bytes)));
    }
    end_input();
  } else if (streams_.follows_standard_input) {
    read_input();
  }
  io_.run();
  return std::move(*result_);
}

}  // namespace

Result<int> run_pod_command(const ClusterAccess& access, const std::string& target,
                            const PodCommandStreams& streams) {
  const Endpoint endpoint = TRY(parse_endpoint(access.server));
  const TlsContext context = TRY(make_client_context(access));
  const std::string name = access.tls_server_name.empty() ? endpoint.host : access.tls_server_name;
  SSL* connection = make_client_connection(context.get(), name);
  if (connection == nullptr) return Error::internal("memory is short");
  PodCommand command(connection, streams);
  TRY(command.open_input());
  const RequestManners manners{.host = endpoint.authority(),
                               .path_prefix = endpoint.path_prefix,
                               .token = Secret(std::string(access.token.reveal()))};
  TRY(command.connect(endpoint, manners, target));
  return command.run();
}

}  // namespace muster::client
