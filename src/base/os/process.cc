// SPDX-License-Identifier: Apache-2.0
#include "base/os/process.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>

#include "base/check.h"
#include "base/os/console.h"
#include "base/os/files.h"
#include "base/os/system_error.h"

namespace muster {

std::int64_t process_id() {
  return ::getpid();
}

// The second number of statm counts the resident pages.
Result<std::uint64_t> resident_bytes() {
  constexpr std::size_t statm_bytes_max = 4096;
  const std::string path = "/proc/self/statm";
  const std::string text = TRY(read_whole_file(path, statm_bytes_max));
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return Error::internal("read " + path + ": no second number");
  std::uint64_t pages = 0;
  const char* begin = text.data() + space + 1;
  const auto parsed = std::from_chars(begin, text.data() + text.size(), pages);
  if (parsed.ec != std::errc{}) return Error::internal("read " + path + ": no second number");
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

Result<std::string> working_folder() {
  std::array<char, PATH_MAX> path{};
  if (::getcwd(path.data(), path.size()) == nullptr) {
    return system_error("find", "the working folder", errno);
  }
  return std::string(path.data());
}

void ignore_broken_pipes() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  CHECK(::sigaction(SIGPIPE, &ignore, nullptr) == 0);
}

void ignore_requests_to_end() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) {
    CHECK(::sigaction(number, &ignore, nullptr) == 0);
  }
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

std::uint64_t own_capabilities() {
  constexpr int word_bits = 32;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) < 0) return 0;
  return sets[0].effective | static_cast<std::uint64_t>(sets[1].effective) << word_bits;
}

void close_descriptors_from(int number) {
  ::close_range(static_cast<unsigned>(number), ~0U, 0);
}

void raise_signal(int number) {
  CHECK(::raise(number) == 0, "the signal exists");
}

void exit_hard(std::string_view sentence) {
  write_line(Console::standard_error, "muster: " + std::string(sentence));
  ::_exit(exit_hard_status);
}

}  // namespace muster
