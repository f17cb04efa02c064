// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox_init.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/os/sandbox_program.h"
#include "base/os/sandbox_root.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

// The numbers under which the init keeps what it needs; all others are closed.
enum Kept : int {
  kept_input = 3,
  kept_output,
  kept_error,
  kept_gate,
  kept_reached,
  kept_started,
  kept_ended,
  kept_end
};
constexpr int out_of_the_way = 100;

[[noreturn]] void fail(StartFailure::Kind kind, std::string_view message) {
  const std::string text = static_cast<char>(kind) + std::string(message);
  [[maybe_unused]] const auto written = ::write(kept_started, text.data(), text.size());
  ::_exit(StartFailure::Kind::not_found == kind ? 127 : 126);
}

// In two steps, because a number that is asked for may be the number of another source.
void keep_descriptors(const SandboxSpec& spec, const InitPipes& pipes) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int input = spec.standard_input ? spec.standard_input.number() : nothing.number();
  std::array<int, kept_end - kept_input> sources = {input,
                                                    spec.standard_output.number(),
                                                    spec.standard_error.number(),
                                                    pipes.gate,
                                                    pipes.reached,
                                                    pipes.started,
                                                    pipes.ended};
  for (int& source : sources) source = ::fcntl(source, F_DUPFD_CLOEXEC, out_of_the_way);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ::dup3(sources[i], kept_input + static_cast<int>(i), O_CLOEXEC);
  }
  ::close_range(kept_end, ~0U, 0);
}

// By the name that it has inside, so that the program can tell which terminal it is on.
void take_console() {
  const int console = ::open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);
  for (const int kept : {kept_input, kept_output, kept_error}) {
    if (console >= 0) ::dup3(console, kept, O_CLOEXEC);
  }
  ::ioctl(kept_input, TIOCSCTTY, 0);
}

[[noreturn]] void run_program(const SandboxSpec& spec) {
  ::setsid();
  if (spec.is_terminal) take_console();
  ::dup2(kept_input, STDIN_FILENO);
  ::dup2(kept_output, STDOUT_FILENO);
  ::dup2(kept_error, STDERR_FILENO);
  const StartFailure failure =
      become_program(spec.arguments, spec.environment, spec.working_folder, spec.user,
                     ProgramGate{.opens = kept_gate, .reached = kept_reached});
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
  if (const auto joined = spec.group.join(); !joined) {
    fail(StartFailure::Kind::set_up, joined.error().message);
  }
  if (const auto root = build_sandbox_root(spec); !root) {
    fail(StartFailure::Kind::set_up, root.error().message);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // nobody inside may look into it
  const pid_t program = ::fork();
  if (program < 0) {
    fail(StartFailure::Kind::set_up, system_error("make a process", "", errno).message);
  }
  if (program == 0) run_program(spec);
  ::close_range(kept_input, kept_started, 0);  // so that their ends are seen
  watch_over(program);
}

}  // namespace muster
