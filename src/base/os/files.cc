// SPDX-License-Identifier: Apache-2.0
#include "base/os/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/os/descriptor.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

// Asks for one byte more than allowed: that is how it learns that there is more.
Result<std::string> read_to_end(int number, const std::string& path, std::size_t bytes_max) {
  constexpr std::size_t step_bytes = std::size_t{64} * 1024;
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + std::min(step_bytes, bytes_max - before) + 1);
    const ssize_t got =
        retry([&] { return ::read(number, text.data() + before, text.size() - before); });
    if (got < 0) return system_error("read", path, errno);
    text.resize(before + static_cast<std::size_t>(got));
    if (text.size() > bytes_max) {
      return Error::too_large(fmt::format("read {}: longer than {} bytes", path, bytes_max));
    }
    if (got == 0) return text;
  }
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return system_error("open", path, errno);
  return read_to_end(file.number(), path, bytes_max);
}

Result<std::string> read_standard_input(std::size_t bytes_max) {
  return read_to_end(STDIN_FILENO, "standard input", bytes_max);
}

}  // namespace muster
