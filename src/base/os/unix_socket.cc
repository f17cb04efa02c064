// SPDX-License-Identifier: Apache-2.0
#include "base/os/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr int stream_flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr int backlog_max = 8;

// The folder is opened first and named by its descriptor, which is short.
struct Place {
  Descriptor folder;
  sockaddr_un address;
};

Result<Place> place_of(const std::string& folder, const std::string& name) {
  Place place{Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), {}};
  if (!place.folder) return system_error("open", folder, errno);
  const std::string path = fmt::format("/proc/self/fd/{}/{}", place.folder.number(), name);
  if (path.size() >= sizeof place.address.sun_path) {
    return Error::too_large(fmt::format("the name of socket {} is too long", name));
  }
  place.address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), place.address.sun_path);
  return place;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

Result<std::pair<Descriptor, Descriptor>> connected_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, stream_flags, 0, ends.data()) < 0) {
    return system_error("make a pair of sockets", "", errno);
  }
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

Result<Descriptor> listen_in(const std::string& folder, const std::string& name) {
  const Place place = TRY(place_of(folder, name));
  Descriptor socket(::socket(AF_UNIX, stream_flags, 0));
  if (!socket) return system_error("make a socket", "", errno);
  ::unlinkat(place.folder.number(), name.c_str(), 0);
  if (::bind(socket.number(), generic(place.address), sizeof place.address) < 0 ||
      ::listen(socket.number(), backlog_max) < 0) {
    return system_error("listen", folder + "/" + name, errno);
  }
  return socket;
}

// A full backlog says EAGAIN: somebody is there, and the caller may come again.
Result<Descriptor> connect_in(const std::string& folder, const std::string& name) {
  const Place place = TRY(place_of(folder, name));
  Descriptor socket(::socket(AF_UNIX, stream_flags, 0));
  if (!socket) return system_error("make a socket", "", errno);
  if (::connect(socket.number(), generic(place.address), sizeof place.address) == 0) return socket;
  const int failure = errno;
  Error error = system_error("connect", folder + "/" + name, failure);
  if (failure == ECONNREFUSED) error.code = ErrorCode::not_found;
  return error;
}

std::optional<Descriptor> accept_from(int listener) {
  Descriptor peer(
      retry([&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }));
  if (!peer) return std::nullopt;
  return peer;
}

Result<Descriptor> receive_descriptor(const Descriptor& socket) {
  constexpr int patience_milliseconds = 1000;
  pollfd question{.fd = socket.number(), .events = POLLIN, .revents = 0};
  retry([&] { return ::poll(&question, 1, patience_milliseconds); });
  std::array<char, 4096> said{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  iovec piece{.iov_base = said.data(), .iov_len = said.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const ssize_t count =
      retry([&] { return ::recvmsg(socket.number(), &message, MSG_CMSG_CLOEXEC); });
  const cmsghdr* header = count < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
    return Error::internal("no descriptor came over the socket");
  }
  int number = -1;
  std::memcpy(&number, CMSG_DATA(header), sizeof number);
  return Descriptor(number);
}

}  // namespace muster
