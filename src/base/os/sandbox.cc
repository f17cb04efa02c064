// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Debian 12's header forgets to say that these are functions of C.
extern "C" {
#include <sys/pidfd.h>
}

#include <array>

#include "base/os/pipe.h"
#include "base/os/process_namespace.h"
#include "base/os/sandbox_init.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr std::array<std::string_view, 3> isolation_names = {"full", "user-namespace", "none"};
constexpr int killed_code = 128 + SIGKILL;

Result<> write_small_file(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return system_error("open", path, errno);
  if (::write(file.number(), text.data(), text.size()) < 0) {
    return system_error("write", path, errno);
  }
  return {};
}

// Maps this user, and no other, to itself.
Result<> enter_user_namespace() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  if (::unshare(CLONE_NEWUSER) < 0) return system_error("make a user namespace", "", errno);
  TRY(write_small_file("/proc/self/setgroups", "deny"));
  TRY(write_small_file("/proc/self/uid_map", fmt::format("{} {} 1", user, user)));
  return write_small_file("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
}

int wait_for(pid_t child) {
  int status = 0;
  if (retry([&] { return ::waitpid(child, &status, 0); }) < 0) return -1;
  return status;
}

// The child of a process with threads may only make system calls: no memory, no locks.
bool can_isolate(int extra_namespaces) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child > 0) return wait_for(child) == 0;
  constexpr int wanted = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  if (::unshare(wanted | extra_namespaces) < 0) ::_exit(1);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0) ::_exit(1);
  const pid_t first = ::fork();  // in the new pid namespace, whose /proc it may mount
  if (first < 0) ::_exit(1);
  if (first > 0) ::_exit(wait_for(first) == 0 ? 0 : 1);
  ::_exit(::mount("proc", "/proc", "proc", 0, nullptr) < 0 ? 1 : 0);
}

}  // namespace

std::string_view to_string(Isolation isolation) {
  return isolation_names[static_cast<std::size_t>(isolation)];
}

std::optional<Isolation> isolation_from(std::string_view text) {
  for (std::size_t i = 0; i < isolation_names.size(); ++i) {
    if (isolation_names[i] == text) return static_cast<Isolation>(i);
  }
  return std::nullopt;
}

Isolation probe_isolation() {
  if (can_isolate(0)) return Isolation::full;
  return can_isolate(CLONE_NEWUSER) ? Isolation::user_namespace : Isolation::none;
}

Result<> enter_shared_namespaces(const SharedNamespaces& wanted) {
  if (wanted.isolation == Isolation::none) {
    return Error{ErrorCode::forbidden,
                 "this machine lets Muster make no namespaces, neither with its own rights nor in "
                 "a user namespace, so nothing would separate a pod from this machine"};
  }
  if (wanted.isolation == Isolation::user_namespace) TRY(enter_user_namespace());
  const int network = wanted.own_network ? CLONE_NEWNET : 0;
  const int ipc = wanted.own_ipc ? CLONE_NEWIPC : 0;
  if (::unshare(CLONE_NEWUTS | ipc | network) < 0) {
    return system_error("make namespaces", "", errno);
  }
  if (::sethostname(wanted.hostname.data(), wanted.hostname.size()) < 0) {
    return system_error("set the host name", wanted.hostname, errno);
  }
  return {};
}

// All signals are blocked around the clone: one that is sent to the init before it listens waits.
Result<Sandbox> Sandbox::start(const SandboxSpec& spec) {
  Pipe gate = TRY(make_pipe());
  Pipe reached = TRY(make_pipe());
  Pipe started = TRY(make_pipe());
  Pipe ended = TRY(make_pipe());
  std::optional<InNamespaceOf> shared;
  if (spec.processes_of > 0) shared = TRY(InNamespaceOf::enter(spec.processes_of));
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  int handle = -1;
  clone_args arguments{};
  const std::uint64_t own_processes = shared ? 0 : CLONE_NEWPID;
  arguments.flags = own_processes | CLONE_NEWNS | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&handle);
  arguments.exit_signal = SIGCHLD;
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) {
    run_sandbox_init(spec, {.gate = gate.read.number(),
                            .reached = reached.write.number(),
                            .started = started.write.number(),
                            .ended = ended.write.number()});
  }
  const int failure = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return system_error("make a sandbox", "", failure);
  Sandbox sandbox;
  sandbox.init_id_ = child;
  sandbox.init_ = Descriptor(handle);
  sandbox.gate_ = std::move(gate.write);
  sandbox.reached_ = std::move(reached.read);
  sandbox.started_ = std::move(started.read);
  sandbox.ended_ = std::move(ended.read);
  return sandbox;
}

// A write that fails means that the init is gone, which its descriptor tells as well.
void Sandbox::release() {
  const char go = 1;
  [[maybe_unused]] const auto written = ::write(gate_.number(), &go, 1);
  gate_ = Descriptor();
}

std::optional<StartFailure> Sandbox::take_start() {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got =
        retry([&] { return ::read(started_.number(), buffer.data(), buffer.size()); });
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (text.empty()) return std::nullopt;
  return StartFailure{static_cast<StartFailure::Kind>(text.front()), text.substr(1)};
}

// The init writes the status before it ends; an init that was killed writes none.
ExitStatus Sandbox::take_end() {
  siginfo_t ignored{};
  retry([&] { return ::waitid(P_PIDFD, static_cast<id_t>(init_.number()), &ignored, WEXITED); });
  int status = 0;
  const ssize_t got = retry([&] { return ::read(ended_.number(), &status, sizeof status); });
  if (got != static_cast<ssize_t>(sizeof status)) return {killed_code, SIGKILL};
  return exit_status_of(status);
}

void Sandbox::send_signal(int number) const {
  ::pidfd_send_signal(init_.number(), number, nullptr, 0);
}

void Sandbox::ask_to_end(int signal) const {
  send_signal(signal);
}

void Sandbox::kill_tree() const {
  send_signal(SIGKILL);
}

}  // namespace muster
