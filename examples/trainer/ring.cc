// SPDX-License-Identifier: Apache-2.0
#include "examples/trainer/ring.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace muster::trainer {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw RingBroken(what + ": " + std::strerror(errno));
}

// Where a rank listens for the one before it. Network byte order, as it travels.
struct Place {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
  std::uint16_t rank = 0;
};

sockaddr_in internet(std::uint32_t address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = address;
  result.sin_port = port;
  return result;
}

Socket listen_on(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in at = internet(INADDR_ANY, htons(port));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) fail("bind");
  if (::listen(socket.get(), 128) != 0) fail("listen");
  return socket;
}

std::uint16_t port_of(const Socket& socket) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) fail("port");
  return at.sin_port;
}

std::uint32_t peer_address(const Socket& socket) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  if (::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) fail("peer");
  return at.sin_addr.s_addr;
}

void without_delay(const Socket& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Socket accept_within(const Socket& listener, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) throw RingBroken("the other ranks did not come in time");
    pollfd wait{listener.get(), POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(left.count())) <= 0) continue;
    Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0) continue;
    without_delay(socket);
    return socket;
  }
}

// The other side may not listen yet: asks again every few milliseconds.
Socket connect_within(std::uint32_t address, std::uint16_t port, Clock::time_point deadline) {
  const sockaddr_in at = internet(address, port);
  while (Clock::now() < deadline) {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) {
      without_delay(socket);
      return socket;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw RingBroken("nobody listens where a rank should be");
}

std::uint32_t look_up(const RingOptions& options, int& lookups) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  for (lookups = 1; lookups <= options.lookups_max; ++lookups) {
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(options.master.c_str(), nullptr, &hints, &found);
    if (code == 0) {
      const auto address = reinterpret_cast<sockaddr_in*>(found->ai_addr)->sin_addr.s_addr;
      ::freeaddrinfo(found);
      return address;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw RingBroken("cannot find " + options.master);
}

std::string printed(std::uint32_t address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// Rank 0: learns where everybody listens, and tells each one where its neighbour is. The place of
// rank 0 itself is sent without an address: the others know it.
Place introduce(const Socket& door, std::uint16_t own_port, int size, Clock::time_point deadline) {
  std::vector<Place> places(static_cast<std::size_t>(size));
  std::vector<Socket> visitors(static_cast<std::size_t>(size));
  places[0].port = own_port;
  for (int i = 1; i < size; ++i) {
    Socket visitor = accept_within(door, deadline);
    Place place;
    visitor.receive_all(bytes_of(place));
    if (place.rank == 0 || place.rank >= size) throw RingBroken("a stranger called");
    place.address = peer_address(visitor);
    visitors[place.rank] = std::move(visitor);
    places[place.rank] = place;
  }
  for (std::size_t i = 1; i < visitors.size(); ++i) {
    Place& neighbour = places[(i + 1) % places.size()];
    if (visitors[i].get() < 0) throw RingBroken("two ranks have the same number");
    visitors[i].send_all(bytes_of(neighbour));
  }
  return places[1];
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Socket::send_all(std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail("send to a rank");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void Socket::receive_all(std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) throw RingBroken("a rank went away");
    if (got < 0) fail("receive from a rank");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

Ring Ring::join(const RingOptions& options) {
  const auto deadline = Clock::now() + options.patience;
  Ring ring;
  ring.rank_ = options.rank;
  ring.size_ = options.size;
  if (options.size == 1) return ring;
  const Socket own = listen_on(0);
  Place neighbour;
  if (options.rank == 0) {
    const Socket door = listen_on(options.port);
    neighbour = introduce(door, port_of(own), options.size, deadline);
  } else {
    const std::uint32_t master = look_up(options, ring.lookups_);
    ring.master_address_ = printed(master);
    const Socket call = connect_within(master, htons(options.port), deadline);
    Place self{0, port_of(own), static_cast<std::uint16_t>(options.rank)};
    call.send_all(bytes_of(self));
    call.receive_all(bytes_of(neighbour));
    if (neighbour.address == 0) neighbour.address = master;
  }
  // Everybody connects first and accepts then: the listening queues hold the callers meanwhile.
  ring.next_ = connect_within(neighbour.address, neighbour.port, deadline);
  ring.previous_ = accept_within(own, deadline);
  return ring;
}

// Sends and receives at once, so that two full socket buffers cannot wait for each other.
void Ring::exchange(std::span<const std::byte> out, std::span<std::byte> in) const {
  while (!out.empty() || !in.empty()) {
    std::array<pollfd, 2> wait{{{next_.get(), static_cast<short>(out.empty() ? 0 : POLLOUT), 0},
                                {previous_.get(), static_cast<short>(in.empty() ? 0 : POLLIN), 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) fail("poll");
    if (!out.empty() && (wait[0].revents & (POLLOUT | POLLERR | POLLHUP)) != 0) {
      const ssize_t sent = ::send(next_.get(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) fail("send to the next rank");
      if (sent > 0) out = out.subspan(static_cast<std::size_t>(sent));
    }
    if (!in.empty() && (wait[1].revents & (POLLIN | POLLERR | POLLHUP)) != 0) {
      const ssize_t got = ::recv(previous_.get(), in.data(), in.size(), MSG_DONTWAIT);
      if (got == 0) throw RingBroken("the rank before went away");
      if (got < 0 && errno != EAGAIN && errno != EINTR) fail("receive from the rank before");
      if (got > 0) in = in.subspan(static_cast<std::size_t>(got));
    }
  }
}

void Ring::all_reduce(std::span<float> values) const {
  if (size_ == 1) return;
  const auto size = static_cast<std::size_t>(size_);
  const auto rank = static_cast<std::size_t>(rank_);
  const auto piece = [&](std::size_t index) {
    const std::size_t from = values.size() * (index % size) / size;
    const std::size_t to = values.size() * (index % size + 1) / size;
    return values.subspan(from, to - from);
  };
  std::vector<float> room(values.size() / size + 1);
  // First round: every piece collects its sum while it travels; afterwards rank r owns piece r + 1.
  for (std::size_t turn = 0; turn + 1 < size; ++turn) {
    const auto out = piece(rank + size - turn);
    const auto in = piece(rank + size - turn - 1);
    const auto incoming = std::span(room).first(in.size());
    exchange(std::as_bytes(out), std::as_writable_bytes(incoming));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] += incoming[i];
  }
  // Second round: the sums travel on, and replace.
  for (std::size_t turn = 0; turn + 1 < size; ++turn) {
    const auto out = piece(rank + size - turn + 1);
    const auto in = piece(rank + size - turn);
    exchange(std::as_bytes(out), std::as_writable_bytes(in));
  }
}

void Ring::broadcast(std::span<std::byte> bytes) const {
  if (size_ == 1) return;
  if (rank_ != 0) previous_.receive_all(bytes);
  if (rank_ + 1 != size_) next_.send_all(bytes);
}

void Ring::barrier() const {
  float one = 1;
  all_reduce(std::span(&one, 1));
}

}  // namespace muster::trainer
