// SPDX-License-Identifier: Apache-2.0
#include "base/os/internet_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cctype>
#include <system_error>

#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr int flags = SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr int backlog_max = 128;
constexpr std::size_t datagram_bytes_max = 65'535;
constexpr std::size_t piece_bytes = 16'384;

// Room for the questions of many who ask at once; the kernel gives what it may.
constexpr int receive_buffer_bytes = 4 << 20;

// The longest answer of a small server leaves at once.
constexpr int send_buffer_bytes = 256 << 10;

Result<sockaddr_in> place_of(const std::string& address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &place.sin_addr) != 1) {
    return Error::bad_request(fmt::format("\"{}\" is no IPv4 address", address));
  }
  return place;
}

const sockaddr* generic(const sockaddr_in& place) {
  return reinterpret_cast<const sockaddr*>(&place);
}

std::string text_of(const std::string& address, std::uint16_t port) {
  return fmt::format("{}:{}", address, port);
}

Result<Descriptor> bound(int type, const std::string& address, std::uint16_t port) {
  const sockaddr_in place = TRY(place_of(address, port));
  Descriptor socket(::socket(AF_INET, type | flags, 0));
  if (!socket) return system_error("make a socket", "", errno);
  const int yes = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.number(), generic(place), sizeof place) < 0) {
    return system_error("listen on", text_of(address, port), errno);
  }
  return socket;
}

Result<Descriptor> connected(int type, const std::string& address, std::uint16_t port) {
  const sockaddr_in place = TRY(place_of(address, port));
  Descriptor socket(::socket(AF_INET, type | flags, 0));
  if (!socket) return system_error("make a socket", "", errno);
  const int outcome =
      retry([&] { return ::connect(socket.number(), generic(place), sizeof place); });
  if (outcome < 0 && errno != EINPROGRESS) {
    return system_error("connect to", text_of(address, port), errno);
  }
  return socket;
}

}  // namespace

Result<Descriptor> bind_datagrams(const std::string& address, std::uint16_t port) {
  Descriptor socket = TRY(bound(SOCK_DGRAM, address, port));
  ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
               sizeof receive_buffer_bytes);
  return socket;
}

Result<Descriptor> listen_on(const std::string& address, std::uint16_t port) {
  Descriptor socket = TRY(bound(SOCK_STREAM, address, port));
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &send_buffer_bytes,
               sizeof send_buffer_bytes);  // its connections inherit it
  if (::listen(socket.number(), backlog_max) < 0) {
    return system_error("listen on", text_of(address, port), errno);
  }
  return socket;
}

Result<std::uint16_t> port_of(const Descriptor& socket) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  if (::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&place), &size) < 0) {
    return system_error("ask for the port of a socket", "", errno);
  }
  return ntohs(place.sin_port);
}

std::optional<Datagram> receive_datagram(const Descriptor& socket) {
  std::array<char, datagram_bytes_max> room;
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const ssize_t count = retry([&] {
    return ::recvfrom(socket.number(), room.data(), room.size(), 0,
                      reinterpret_cast<sockaddr*>(&from), &size);
  });
  if (count < 0) return std::nullopt;
  return Datagram{.from = {.address = from.sin_addr.s_addr, .port = from.sin_port},
                  .bytes = std::string(room.data(), static_cast<std::size_t>(count))};
}

bool send_datagram(const Descriptor& socket, InternetPeer to, std::string_view bytes) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = to.port;
  place.sin_addr.s_addr = to.address;
  return retry([&] {
           return ::sendto(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL,
                           generic(place), sizeof place);
         }) >= 0;
}

Result<Descriptor> connect_datagrams(const std::string& address, std::uint16_t port) {
  return connected(SOCK_DGRAM, address, port);
}

Result<Descriptor> connect_stream(const std::string& address, std::uint16_t port) {
  return connected(SOCK_STREAM, address, port);
}

std::optional<std::string> connection_failure(const Descriptor& socket) {
  int failure = 0;
  socklen_t size = sizeof failure;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &failure, &size) < 0) failure = errno;
  if (failure == 0) return std::nullopt;
  std::string words = std::generic_category().message(failure);
  if (!words.empty()) words.front() = static_cast<char>(std::tolower(words.front()));
  return words;
}

Result<InternetPeer> peer_of(const Descriptor& socket) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  if (::getpeername(socket.number(), reinterpret_cast<sockaddr*>(&place), &size) < 0) {
    return system_error("ask who is at the other end of a socket", "", errno);
  }
  return InternetPeer{.address = place.sin_addr.s_addr, .port = place.sin_port};
}

bool is_broken(const Descriptor& socket) {
  pollfd asked{.fd = socket.number(), .events = 0, .revents = 0};
  const int count = retry([&] { return ::poll(&asked, 1, 0); });
  return count > 0 && (asked.revents & (POLLHUP | POLLERR)) != 0;
}

Result<std::size_t> read_stream(const Descriptor& socket, std::string& into) {
  std::array<char, piece_bytes> room;
  const ssize_t count = retry([&] { return ::recv(socket.number(), room.data(), room.size(), 0); });
  if (count == 0) return Error{ErrorCode::unavailable, "the other end closed the connection"};
  if (count < 0 && errno == EAGAIN) return std::size_t{0};
  if (count < 0) return system_error("read from a socket", "", errno);
  into.append(room.data(), static_cast<std::size_t>(count));
  return static_cast<std::size_t>(count);
}

Result<std::size_t> write_stream(const Descriptor& socket, std::string_view bytes) {
  const ssize_t count =
      retry([&] { return ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
  if (count < 0 && errno == EAGAIN) return std::size_t{0};
  if (count < 0) return system_error("write to a socket", "", errno);
  return static_cast<std::size_t>(count);
}

}  // namespace muster
