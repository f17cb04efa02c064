// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox_init.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/os/sandbox_root.h"
#include "base/os/system_call_filter.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

// The numbers under which the init keeps what it needs; all others are closed.
enum Kept : int { kept_output = 3, kept_error, kept_gate, kept_started, kept_ended, kept_end };
constexpr int out_of_the_way = 100;
constexpr int capability_sets_max = 64;
constexpr const char* path_default = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

[[noreturn]] void fail(StartFailure::Kind kind, std::string_view message) {
  const std::string text = static_cast<char>(kind) + std::string(message);
  [[maybe_unused]] const auto written = ::write(kept_started, text.data(), text.size());
  ::_exit(StartFailure::Kind::not_found == kind ? 127 : 126);
}

// In two steps, because a number that is asked for may be the number of another source.
void keep_descriptors(const SandboxSpec& spec, const InitPipes& pipes) {
  std::array<int, kept_end - kept_output> sources = {spec.standard_output.number(),
                                                     spec.standard_error.number(), pipes.gate,
                                                     pipes.started, pipes.ended};
  for (int& source : sources) source = ::fcntl(source, F_DUPFD_CLOEXEC, out_of_the_way);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ::dup3(sources[i], kept_output + static_cast<int>(i), O_CLOEXEC);
  }
  ::close_range(kept_end, ~0U, 0);
}

Result<> drop_capabilities() {
  for (unsigned long capability = 0; capability < capability_sets_max; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) break;  // past the last one
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) < 0) {
    return system_error("drop capabilities", "", errno);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
    return system_error("renounce privileges", "", errno);
  }
  return {};
}

void reset_signals() {
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &normal, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string search_path(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return path_default;
}

// Where the program may be: at its own path, or in each folder of the search path.
std::vector<std::string> candidates_of(const SandboxSpec& spec) {
  const std::string& program = spec.arguments.front();
  if (program.find('/') != std::string::npos) return {program};
  std::vector<std::string> candidates;
  const std::string path = search_path(spec.environment);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) candidates.push_back(path.substr(begin, end - begin) + "/" + program);
    begin = end + 1;
  }
  return candidates;
}

// Returns only when the program cannot be executed.
StartFailure execute(const SandboxSpec& spec) {
  const std::vector<char*> arguments = pointers_of(spec.arguments);
  const std::vector<char*> environment = pointers_of(spec.environment);
  const std::string& program = spec.arguments.front();
  int worst = ENOENT;
  for (const std::string& candidate : candidates_of(spec)) {
    ::execve(candidate.c_str(), arguments.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR) worst = errno;
  }
  if (worst != ENOENT) {
    return {StartFailure::Kind::not_executable, system_error("exec", program, worst).message};
  }
  const bool has_path = program.find('/') != std::string::npos;
  return {StartFailure::Kind::not_found,
          has_path ? fmt::format("exec {}: no such file in this machine's filesystem", program)
                   : fmt::format("exec {}: executable file not found in $PATH", program)};
}

[[noreturn]] void run_program(const SandboxSpec& spec) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(kept_output, STDOUT_FILENO);
  ::dup2(kept_error, STDERR_FILENO);
  ::umask(022);
  if (::chdir(spec.working_folder.c_str()) < 0) {
    fail(StartFailure::Kind::not_executable,
         system_error("enter working folder", spec.working_folder, errno).message);
  }
  if (const auto dropped = drop_capabilities(); !dropped) {
    fail(StartFailure::Kind::set_up, dropped.error().message);
  }
  reset_signals();
  if (const auto filtered = refuse_dangerous_calls(); !filtered) {
    fail(StartFailure::Kind::set_up, filtered.error().message);
  }
  const StartFailure failure = execute(spec);
  fail(failure.kind, failure.message);
}

// Until the program has ended. Signals that nobody can pass on, such as SIGCHLD, are ours.
[[noreturn]] void watch_over(pid_t program) {
  sigset_t all;
  ::sigfillset(&all);
  while (true) {
    siginfo_t signal{};
    if (::sigwaitinfo(&all, &signal) < 0) continue;
    if (signal.si_signo != SIGCHLD) {
      ::kill(program, signal.si_signo);
      continue;
    }
    int status = 0;
    while (const pid_t ended = ::waitpid(-1, &status, WNOHANG)) {
      if (ended < 0) break;
      if (ended != program) continue;
      [[maybe_unused]] const auto written = ::write(kept_ended, &status, sizeof status);
      ::_exit(0);
    }
  }
}

}  // namespace

void run_sandbox_init(const SandboxSpec& spec, const InitPipes& pipes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::prctl(PR_SET_NAME, "muster-init", 0, 0, 0);
  keep_descriptors(spec, pipes);
  if (const auto root = build_sandbox_root(spec); !root) {
    fail(StartFailure::Kind::set_up, root.error().message);
  }
  // If our maker died before it could take us with it, the gate is closed.
  char go = 0;
  if (retry([&] { return ::read(kept_gate, &go, 1); }) != 1) ::_exit(1);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // nobody inside may look into it
  const pid_t program = ::fork();
  if (program < 0) {
    fail(StartFailure::Kind::set_up, system_error("make a process", "", errno).message);
  }
  if (program == 0) run_program(spec);
  ::close_range(kept_output, kept_started, 0);  // so that their ends are seen
  watch_over(program);
}

}  // namespace muster
