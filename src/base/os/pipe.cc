// SPDX-License-Identifier: Apache-2.0
#include "base/os/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/os/system_error.h"

namespace muster {

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return system_error("make a pipe", "", errno);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Asks first, because a flag that makes reading not wait would be shared with whoever else has the
// same end open.
bool read_available(const Descriptor& from, std::string& into) {
  pollfd question{};
  question.fd = from.number();
  question.events = POLLIN;
  if (retry([&] { return ::poll(&question, 1, 0); }) == 0) return true;
  std::array<char, 65536> buffer;
  const ssize_t got = retry([&] { return ::read(from.number(), buffer.data(), buffer.size()); });
  if (got <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

Result<std::size_t> write_available(const Descriptor& to, std::string_view bytes) {
  ::fcntl(to.number(), F_SETFL, O_NONBLOCK);
  const ssize_t count = retry([&] { return ::write(to.number(), bytes.data(), bytes.size()); });
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN) return std::size_t{0};
  return system_error("write", "", errno);
}

void write_within(const Descriptor& to, std::string_view bytes, Span patience) {
  constexpr std::int64_t nanoseconds_per_millisecond = 1'000'000;
  constexpr int look_milliseconds = 50;
  for (std::int64_t left = patience.nanoseconds / nanoseconds_per_millisecond;
       left > 0 && !bytes.empty();) {
    const auto written = write_available(to, bytes);
    if (!written) return;
    bytes.remove_prefix(*written);
    if (*written > 0) continue;
    pollfd question{};
    question.fd = to.number();
    question.events = POLLOUT;
    ::poll(&question, 1, look_milliseconds);
    left -= look_milliseconds;
  }
}

Result<Descriptor> duplicate(const Descriptor& descriptor) {
  Descriptor copy(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return system_error("duplicate a descriptor", "", errno);
  return copy;
}

void end_sending(const Descriptor& socket) {
  ::shutdown(socket.number(), SHUT_WR);
}

}  // namespace muster
