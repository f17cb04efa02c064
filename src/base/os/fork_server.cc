// SPDX-License-Identifier: Apache-2.0
#include "base/os/fork_server.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/os/process.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr int server_descriptor = 3;
constexpr int descriptor_safe_min = 64;  // above the numbers that a child has
constexpr std::size_t name_room = 512;   // for the arguments of a child, as others see them
constexpr timeval answer_patience{.tv_sec = 10, .tv_usec = 0};

using ControlRoom = std::array<char, CMSG_SPACE(sizeof(int) * fork_descriptors_max)>;

Error gone(std::string_view why) {
  return Error::internal("the process that starts others is gone: " + std::string(why));
}

Result<> send_request(const Descriptor& socket, std::string& text,
                      const std::vector<int>& descriptors) {
  alignas(cmsghdr) ControlRoom room{};
  iovec piece{.iov_base = text.data(), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(int) * descriptors.size());
  const auto sent = retry([&] { return ::sendmsg(socket.number(), &message, MSG_NOSIGNAL); });
  if (sent < 0) return gone(std::strerror(errno));
  return {};
}

struct Request {
  std::string text;  // arguments, each with a zero at its end
  std::vector<Descriptor> descriptors;
};

// Nothing when the other end is closed.
std::optional<Request> receive_request(int socket) {
  alignas(cmsghdr) ControlRoom room{};
  Request request;
  request.text.resize(fork_request_bytes_max);
  iovec piece{.iov_base = request.text.data(), .iov_len = request.text.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const auto count = retry([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
  if (count <= 0) return std::nullopt;
  request.text.resize(static_cast<std::size_t>(count));
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return request;
  std::vector<int> numbers((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  std::memcpy(numbers.data(), CMSG_DATA(header), sizeof(int) * numbers.size());
  for (const int number : numbers) request.descriptors.emplace_back(number);
  return request;
}

std::vector<std::string> arguments_in(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return arguments;
}

// The kernel shows others what stands where main() found its arguments.
void show_arguments(std::span<char* const> own, std::string_view text) {
  if (own.empty()) return;
  char* const begin = own.front();
  const std::size_t room =
      static_cast<std::size_t>(own.back() - begin) + std::strlen(own.back()) + 1;
  std::memset(begin, 0, room);
  std::memcpy(begin, text.data(), std::min(text.size(), room - 1));
}

// Copied out of the way first: their numbers may be among those that are asked for.
void place_descriptors(std::vector<Descriptor> given) {
  std::vector<Descriptor> copies;
  copies.reserve(given.size());
  for (const Descriptor& each : given) {
    copies.emplace_back(::fcntl(each.number(), F_DUPFD_CLOEXEC, descriptor_safe_min));
  }
  given.clear();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    ::dup2(copies[i].number(), static_cast<int>(i));
  }
}

// A fork whose parent is ours.
long fork_beside() {
  clone_args arguments{};
  arguments.flags = CLONE_PARENT;
  return ::syscall(SYS_clone3, &arguments, sizeof arguments);
}

}  // namespace

Result<ForkServer> ForkServer::start(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return system_error("make a pair of sockets", "", errno);
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  ::setsockopt(ours.number(), SOL_SOCKET, SO_RCVTIMEO, &answer_patience, sizeof answer_patience);
  SpawnOptions options;
  options.program = command.front();
  options.arguments = std::move(command);
  options.arguments.push_back(std::string(name_room, ' '));
  options.descriptors = {{theirs.number(), server_descriptor}};
  options.new_session = true;
  return ForkServer(TRY(ChildProcess::spawn(options)), std::move(ours));
}

ForkServer::~ForkServer() {
  if (!socket_) return;  // moved from
  process_.send_signal(SIGKILL);
  process_.reap_wait();
}

Result<ChildProcess> ForkServer::make_child(const std::vector<std::string>& arguments,
                                            const std::vector<int>& descriptors) {
  std::string text;
  for (const std::string& argument : arguments) (text += argument) += '\0';
  if (text.size() > fork_request_bytes_max || descriptors.size() > fork_descriptors_max) {
    return Error::bad_request("too many arguments for a process");
  }
  TRY(send_request(socket_, text, descriptors));
  std::int64_t answer = 0;
  const auto got =
      retry([&] { return ::recv(socket_.number(), &answer, sizeof answer, MSG_WAITALL); });
  if (got != sizeof answer) return gone(got < 0 ? std::strerror(errno) : "it does not answer");
  if (answer < 0) return system_error("fork", arguments.front(), static_cast<int>(-answer));
  return ChildProcess::adopted(answer);
}

std::optional<std::vector<std::string>> serve_forks(std::span<char* const> own) {
  while (auto request = receive_request(server_descriptor)) {
    const long child = fork_beside();
    if (child == 0) {
      ::setsid();
      const auto count = static_cast<int>(request->descriptors.size());
      place_descriptors(std::move(request->descriptors));
      close_descriptors_from(count);
      show_arguments(own, request->text);
      return arguments_in(request->text);
    }
    const std::int64_t answer = child < 0 ? -errno : child;
    if (::send(server_descriptor, &answer, sizeof answer, MSG_NOSIGNAL) < 0) break;
  }
  return std::nullopt;
}

}  // namespace muster
