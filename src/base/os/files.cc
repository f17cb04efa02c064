// SPDX-License-Identifier: Apache-2.0
#include "base/os/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

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

Result<> write_all(const Descriptor& file, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = retry([&] { return ::write(file.number(), text.data(), text.size()); });
    if (put < 0) return system_error("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return system_error("open", path, errno);
  return read_to_end(file.number(), path, bytes_max);
}

Result<std::string> read_file_end(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return system_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) < 0) return system_error("stat", path, errno);
  const auto most = static_cast<off_t>(bytes_max);
  std::string text(bytes_max, '\0');
  const ssize_t got = retry([&] {
    return ::pread(file.number(), text.data(), text.size(),
                   std::max<off_t>(0, status.st_size - most));
  });
  if (got < 0) return system_error("read", path, errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

Result<> write_private_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  constexpr int mode = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const Descriptor file(retry([&] { return ::open(beside.c_str(), mode, 0600); }));
  if (!file) return system_error("open", beside, errno);
  TRY(write_all(file, beside, text));
  if (::fsync(file.number()) != 0) return system_error("sync", beside, errno);
  if (::rename(beside.c_str(), path.c_str()) != 0) return system_error("rename", beside, errno);
  return {};
}

Result<> make_private_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("make", part, errno);
    }
    if (slash == std::string::npos) return {};
  }
}

bool is_locked(const std::string& path) {
  const Descriptor file(retry([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); }));
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  return file && ::fcntl(file.number(), F_OFD_GETLK, &whole_file) == 0 &&
         whole_file.l_type != F_UNLCK;
}

Result<> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("remove", path, errno);
  return {};
}

Result<std::string> read_standard_input(std::size_t bytes_max) {
  return read_to_end(STDIN_FILENO, "standard input", bytes_max);
}

Result<Descriptor> make_memory_file(const std::string& name, std::string_view text) {
  Descriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!file) return system_error("make a file in memory", name, errno);
  TRY(write_all(file, name, text));
  return file;
}

}  // namespace muster
