// SPDX-License-Identifier: Apache-2.0
#include "main/status_pages.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/os/internet_socket.h"
#include "base/os/system_clock.h"
#include "base/os/unix_socket.h"

namespace muster {

namespace {

constexpr std::size_t head_bytes_max = 8'192;
constexpr std::size_t connections_max = 64;
constexpr Span silence_span_max = Span::of_seconds(10);

std::string_view words_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

Result<BindAddress> read_bind_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const auto wrong = [&] {
    return Error::invalid(fmt::format("{} is no address such as 127.0.0.1:8080", text));
  };
  if (colon == std::string_view::npos) return wrong();
  BindAddress read{.address = std::string(text.substr(0, colon))};
  if (read.address.empty()) read.address = "0.0.0.0";
  const std::string_view port = text.substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), read.port);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size()) return wrong();
  return read;
}

Result<> StatusPages::open(const std::string& address, std::uint16_t port) {
  listener_ = TRY(listen_on(address, port));
  address_ = fmt::format("{}:{}", address, TRY(port_of(listener_)));
  loop_.watch(listener_.number(), Interest::readable, [this] { accept_all(); });
  return {};
}

void StatusPages::accept_all() {
  while (auto socket = accept_from(listener_.number())) {
    if (connections_.size() >= connections_max) continue;  // closed as it goes
    const std::uint64_t id = id_next_++;
    Connection& connection = connections_[id];
    connection.socket = *std::move(socket);
    connection.watch = loop_.watch(connection.socket.number(), Interest::readable,
                                   [this, id] { on_readable(id); });
    connection.timer =
        loop_.post_at(SystemClock().monotonic() + silence_span_max, [this, id] { hang_up(id); });
  }
}

void StatusPages::on_readable(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  const auto read = read_stream(connection.socket, connection.received);
  if (!read || connection.received.size() > head_bytes_max) return hang_up(id);
  if (connection.is_answering || connection.received.find("\r\n\r\n") == std::string::npos) return;
  connection.is_answering = true;
  loop_.unwatch(std::exchange(connection.watch, {}));
  on_request(id, connection);
}

void StatusPages::on_request(std::uint64_t id, Connection& connection) {
  const std::string_view line =
      std::string_view(connection.received).substr(0, connection.received.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return answer(id, true, {.status = 400, .text = "400 Bad Request\n"});
  }
  const std::string_view verb = line.substr(0, first);
  std::string_view path = line.substr(first + 1, second - first - 1);
  path = path.substr(0, path.find('?'));
  if (verb != "GET" && verb != "HEAD") {
    return answer(id, true, {.status = 405, .text = "405 Method Not Allowed\n"});
  }
  const bool with_body = verb == "GET";
  look_(path, [this, id, with_body](StatusPage page) {
    loop_.post([this, id, with_body, page = std::move(page)] { answer(id, with_body, page); });
  });
}

void StatusPages::answer(std::uint64_t id, bool with_body, const StatusPage& page) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  connection.owed = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      page.status, words_of(page.status), page.text.size(), with_body ? page.text : "");
  write_owed(id);
}

void StatusPages::write_owed(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  while (!connection.owed.empty()) {
    const auto written = write_stream(connection.socket, connection.owed);
    if (!written) return hang_up(id);
    if (*written == 0) break;
    connection.owed.erase(0, *written);
  }
  if (connection.owed.empty()) return hang_up(id);
  if (connection.watch == WatchId{}) {
    connection.watch =
        loop_.watch(connection.socket.number(), Interest::writable, [this, id] { write_owed(id); });
  }
}

void StatusPages::hang_up(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  loop_.cancel(found->second.timer);
  if (!(found->second.watch == WatchId{})) loop_.unwatch(found->second.watch);
  connections_.erase(found);
}

}  // namespace muster
