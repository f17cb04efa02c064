// SPDX-License-Identifier: Apache-2.0
#include "base/os/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// Debian 12's header forgets to say that these are functions of C.
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/check.h"
#include "base/os/files.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr int signal_code_base = 128;
constexpr int descriptor_safe_min = 64;  // above the numbers that a child may ask for

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn wants to know, freed at the end.
class SpawnPlan {
 public:
  SpawnPlan() {
    CHECK(::posix_spawn_file_actions_init(&actions_) == 0);
    CHECK(::posix_spawnattr_init(&attributes_) == 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // The child starts with no signal blocked and none ignored.
  void set_flags(bool new_session) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    CHECK(::posix_spawnattr_setsigmask(&attributes_, &none) == 0);
    CHECK(::posix_spawnattr_setsigdefault(&attributes_, &all) == 0);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (new_session) flags |= POSIX_SPAWN_SETSID;
    CHECK(::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)) == 0);
  }

  // Copied out of the way first: the numbers asked for may be the numbers of other sources.
  Result<> pass(int from, int to) {
    Descriptor copy(::fcntl(from, F_DUPFD_CLOEXEC, descriptor_safe_min));
    if (!copy) return system_error("duplicate a descriptor", "", errno);
    CHECK(::posix_spawn_file_actions_adddup2(&actions_, copy.number(), to) == 0);
    copies_.push_back(std::move(copy));
    return {};
  }

  // Whatever else is open here and was not marked to be closed, by us or by whoever started us.
  void close_others(const std::vector<std::pair<int, int>>& passed) {
    int end = STDERR_FILENO + 1;
    for (const auto& [from, to] : passed) end = std::max(end, to + 1);
    for (int number = STDERR_FILENO + 1; number < end; ++number) {
      const bool is_passed = std::any_of(passed.begin(), passed.end(),
                                         [&](const auto& pair) { return pair.second == number; });
      if (!is_passed) CHECK(::posix_spawn_file_actions_addclose(&actions_, number) == 0);
    }
    CHECK(::posix_spawn_file_actions_addclosefrom_np(&actions_, end) == 0);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<Descriptor> copies_;
};

}  // namespace

ExitStatus exit_status_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return {signal_code_base + WTERMSIG(wait_status), WTERMSIG(wait_status)};
  }
  return {WEXITSTATUS(wait_status), 0};
}

Result<ChildProcess> ChildProcess::spawn(const SpawnOptions& options) {
  SpawnPlan plan;
  plan.set_flags(options.new_session);
  for (const auto& [from, to] : options.descriptors) TRY(plan.pass(from, to));
  plan.close_others(options.descriptors);
  const std::vector<char*> arguments = pointers_of(options.arguments);
  const std::vector<char*> environment = pointers_of(options.environment);
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, options.program.c_str(), plan.actions(),
                                    plan.attributes(), arguments.data(), environment.data());
  if (failure != 0) return system_error("start", options.program, failure);
  // The child cannot be reaped yet, so this id is still its own.
  Descriptor handle(::pidfd_open(child, 0));
  if (!handle) {
    const Error error = system_error("watch", options.program, errno);
    ::kill(child, SIGKILL);
    retry([&] { return ::waitpid(child, nullptr, 0); });
    return error;
  }
  return ChildProcess(child, std::move(handle));
}

Result<ChildProcess> ChildProcess::adopted(std::int64_t id) {
  Descriptor handle(::pidfd_open(static_cast<pid_t>(id), 0));
  if (!handle) return system_error("watch process", fmt::to_string(id), errno);
  return ChildProcess(id, std::move(handle));
}

void ChildProcess::send_signal(int number) const {
  ::pidfd_send_signal(handle_.number(), number, nullptr, 0);
}

std::optional<ExitStatus> ChildProcess::reap() {
  return reap_with(WEXITED | WNOHANG);
}

ExitStatus ChildProcess::reap_wait() {
  return reap_with(WEXITED).value_or(ExitStatus{});
}

std::optional<ExitStatus> ChildProcess::reap_with(int flags) {
  siginfo_t ended{};
  const int outcome =
      retry([&] { return ::waitid(P_PIDFD, static_cast<id_t>(handle_.number()), &ended, flags); });
  if (outcome < 0 || ended.si_pid == 0) return std::nullopt;
  if (ended.si_code == CLD_EXITED) return ExitStatus{ended.si_status, 0};
  return ExitStatus{signal_code_base + ended.si_status, ended.si_status};
}

// The start time is read after the handle is open: if both fit, the handle is the right one.
Result<ProcessHandle> ProcessHandle::open(std::int64_t id, std::uint64_t start_ticks) {
  Descriptor handle(::pidfd_open(static_cast<pid_t>(id), 0));
  if (!handle) {
    return Error{ErrorCode::not_found, fmt::format("process {}: {}", id, "is not there")};
  }
  if (TRY(process_start_ticks(id)) != start_ticks) {
    return Error{ErrorCode::not_found, fmt::format("process {}: {}", id, "is another one by now")};
  }
  return ProcessHandle(std::move(handle));
}

Result<> ProcessHandle::end_at_once() const {
  if (::pidfd_send_signal(handle_.number(), SIGKILL, nullptr, 0) == 0) return {};
  return system_error("kill", "", errno);
}

// The twenty-second word; the second is the name in parentheses and may hold anything.
Result<std::uint64_t> process_start_ticks(std::int64_t id) {
  constexpr std::size_t stat_bytes_max = 4096;
  constexpr int words_after_name = 19;
  const std::string path = fmt::format("/proc/{}/stat", id);
  const std::string text = TRY(read_whole_file(path, stat_bytes_max));
  std::string_view rest(text);
  rest.remove_prefix(std::min(rest.size(), rest.rfind(')') + 1));
  for (int word = 0; word < words_after_name; ++word) {
    const std::size_t space = rest.find(' ', 1);
    if (space == std::string_view::npos) return Error::internal("read " + path + ": too short");
    rest.remove_prefix(space);
  }
  rest.remove_prefix(1);
  std::uint64_t ticks = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), ticks);
  if (parsed.ec != std::errc{}) return Error::internal("read " + path + ": no start time");
  return ticks;
}

}  // namespace muster
