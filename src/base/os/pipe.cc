// SPDX-License-Identifier: Apache-2.0
#include "base/os/pipe.h"

#include <fcntl.h>
#include <poll.h>
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

}  // namespace muster
