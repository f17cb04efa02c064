// SPDX-License-Identifier: Apache-2.0
#include "bench/load_clients.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace muster::bench {

namespace {

using Stopwatch = std::chrono::steady_clock;

constexpr std::size_t read_bytes = std::size_t{32} * 1024;

[[noreturn]] void give_up(std::string_view what) {
  fmt::print(stderr, "the load program: {}\n", what);
  std::exit(1);
}

int connected(const client::Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &found) != 0) {
    give_up("no such host");
  }
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_well = ::connect(socket, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  const int on = 1;
  if (!is_well || ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
    give_up("cannot connect");
  }
  return socket;
}

// A field of the head, whose names are of any case; empty: it has none.
std::string_view field(std::string_view head, std::string_view name) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
    const std::string_view line = head.substr(at + 2);
    bool is_it = line.size() > name.size() && line[name.size()] == ':';
    for (std::size_t i = 0; is_it && i < name.size(); ++i) is_it = lower(line[i]) == name[i];
    if (is_it) {
      const std::string_view value = line.substr(name.size() + 1);
      return value.substr(value.find_first_not_of(' '),
                          value.find("\r\n") - value.find_first_not_of(' '));
    }
    at = head.find("\r\n", at + 2);
  }
  return {};
}

// Whether the last chunk is there.
bool has_all_chunks(std::string_view body) {
  while (true) {
    std::size_t size = 0;
    const auto [end, fault] = std::from_chars(body.data(), body.data() + body.size(), size, 16);
    const std::size_t line = body.find("\r\n");
    if (fault != std::errc() || line == std::string_view::npos) return false;
    const std::size_t chunk = line + 2 + size + 2;
    if (body.size() < chunk) return false;
    if (size == 0) return true;
    body.remove_prefix(chunk);
  }
}

// The status, once all of the answer is there.
std::optional<int> whole_status(std::string_view text) {
  constexpr std::size_t status_at = std::string_view("HTTP/1.1 ").size();
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = text.substr(0, end + 2);
  const std::string_view body = text.substr(end + 4);
  const std::string_view length = field(head, "content-length");
  std::size_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (length.empty() ? !has_all_chunks(body) : body.size() < bytes) return std::nullopt;
  int status = 0;
  std::from_chars(text.data() + status_at, text.data() + status_at + 3, status);
  return status;
}

}  // namespace

struct LoadClients::Client {
  Client(const client::Endpoint& endpoint, ssl_ctx_st* context, const std::string& server_name)
      : socket(connected(endpoint)), tls(client::make_client_connection(context, server_name)) {
    SSL_set_fd(tls, socket);
    if (SSL_connect(tls) != 1) give_up("no TLS");
    SSL_set_read_ahead(tls, 1);
    SSL_set_default_read_buffer_len(tls, read_bytes);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    SSL_free(tls);
    ::close(socket);
  }

  void send() {
    began = Stopwatch::now();
    if (SSL_write(tls, request.data(), static_cast<int>(request.size())) <= 0) give_up("no write");
  }

  // Takes what has come, a record at a time. The status, once all of the answer is there.
  std::optional<int> receive(std::string& room) {
    do {
      const int size = SSL_read(tls, room.data(), static_cast<int>(room.size()));
      if (size <= 0) give_up("a connection ended");
      answer.append(room.data(), static_cast<std::size_t>(size));
    } while (SSL_has_pending(tls) == 1);
    return whole_status(answer);
  }

  int socket;
  SSL* tls;
  std::string request = {};
  std::string answer = {};
  Stopwatch::time_point began = {};
};

LoadClients::LoadClients(const client::Endpoint& endpoint, ssl_ctx_st* context,
                         const std::string& server_name, int count)
    : events_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (int i = 0; i < count; ++i) {
    clients_.push_back(std::make_unique<Client>(endpoint, context, server_name));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = clients_.back().get();
    if (::epoll_ctl(events_, EPOLL_CTL_ADD, clients_.back()->socket, &event) != 0) {
      give_up("no epoll");
    }
  }
}

LoadClients::~LoadClients() {
  clients_.clear();
  ::close(events_);
}

bool LoadClients::send_next(Client& client, const Next& next) {
  if (!next(client.request)) return false;
  client.answer.clear();
  client.send();
  return true;
}

// Sockets block: a request fits into the buffers, and a read comes when there is something. A part
// of a record makes it wait for the rest, which is on its way.
void LoadClients::run(const Next& next, const Answered& answered) {
  std::size_t under_way = 0;
  for (const auto& client : clients_) under_way += send_next(*client, next) ? 1U : 0U;
  std::array<epoll_event, 64> ready{};
  std::string room(read_bytes, '\0');
  while (under_way > 0) {
    const int count = ::epoll_wait(events_, ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      Client& client = *static_cast<Client*>(ready[static_cast<std::size_t>(i)].data.ptr);
      const std::optional<int> status = client.receive(room);
      if (!status) continue;
      const auto took = Stopwatch::now() - client.began;
      answered({.status = *status,
                .text = client.answer,
                .milliseconds = std::chrono::duration<double, std::milli>(took).count()});
      if (!send_next(client, next)) --under_way;
    }
  }
}

}  // namespace muster::bench
