// SPDX-License-Identifier: Apache-2.0
#include "base/os/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/check.h"
#include "base/os/descriptor.h"
#include "base/os/files.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

sigset_t termination_signals() {
  sigset_t set{};
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Runs in the grandchild, between fork and exec: nothing here may allocate.
[[noreturn]] void become(char* const* arguments, int output, int report) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  sigset_t none{};
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(output, STDERR_FILENO) >= 0) {
    ::execv(arguments[0], arguments);
  }
  const int failure = errno;
  const ssize_t written = ::write(report, &failure, sizeof failure);
  ::_exit(written > 0 ? 127 : 126);
}

// The child makes a session and a grandchild, tells its id and leaves.
[[noreturn]] void found_session(char* const* arguments, int output, int report) {
  ::setsid();
  const pid_t grandchild = ::fork();
  if (grandchild == 0) become(arguments, output, report);
  const std::int64_t id = grandchild;
  const ssize_t written = ::write(report, &id, sizeof id);
  ::_exit(written == sizeof id ? 0 : 1);
}

}  // namespace

Result<std::string> own_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return system_error("read", "/proc/self/exe", errno);
  return std::string(path.data(), static_cast<std::size_t>(size));
}

Result<std::int64_t> start_detached(const std::vector<std::string>& arguments,
                                    const std::string& output_path) {
  constexpr int mode = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  const Descriptor output(::open(output_path.c_str(), mode, 0600));
  if (!output) return system_error("open", output_path, errno);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", arguments[0], errno);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& each : arguments) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return system_error("fork", arguments[0], errno);
  if (child == 0) found_session(pointers.data(), output.number(), to.number());
  to = Descriptor();
  retry([&] { return ::waitpid(child, nullptr, 0); });
  std::int64_t id = 0;
  if (retry([&] { return ::read(from.number(), &id, sizeof id); }) != sizeof id || id <= 0) {
    return Error::internal("start " + arguments[0] + ": no process");
  }
  // The pipe closes without a word when exec succeeds.
  int failure = 0;
  if (retry([&] { return ::read(from.number(), &failure, sizeof failure); }) == sizeof failure) {
    return system_error("start", arguments[0], failure);
  }
  return id;
}

bool process_exists(std::int64_t process) {
  if (process <= 0) return false;
  constexpr std::size_t stat_bytes_max = 8192;
  const auto stat = read_whole_file("/proc/" + std::to_string(process) + "/stat", stat_bytes_max);
  if (!stat) return false;
  const std::size_t state = stat->rfind(") ");
  return state != std::string::npos && stat->compare(state + 2, 1, "Z") != 0;
}

Result<> terminate_process(std::int64_t process) {
  if (::kill(static_cast<pid_t>(process), SIGTERM) != 0 && errno != ESRCH) {
    return system_error("terminate", "process " + std::to_string(process), errno);
  }
  return {};
}

void block_termination_signals() {
  const sigset_t set = termination_signals();
  CHECK(::sigprocmask(SIG_BLOCK, &set, nullptr) == 0);
}

int wait_for_termination_signal() {
  const sigset_t set = termination_signals();
  int number = 0;
  while (::sigwait(&set, &number) != 0) {
  }
  return number;
}

void pause_thread(Span span) {
  timespec left{span.nanoseconds / 1'000'000'000, span.nanoseconds % 1'000'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace muster
