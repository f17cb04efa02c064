// SPDX-License-Identifier: Apache-2.0
#include "base/os/process_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/sandbox_program.h"
#include "base/os/sandbox_root.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

Result<> become_harmless() {
  TRY(enter_empty_root());
  return give_up_rights();
}

// Who is allowed to look into processes can look into this one: there is nothing to be had. It
// holds nothing open, the lock of its pod neither. Children whose end is ignored need not be waited
// for.
[[noreturn]] void be_first_process(int started) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::prctl(PR_SET_NAME, "muster-pause", 0, 0, 0);
  if (const auto harmless = become_harmless(); !harmless) {
    const std::string& text = harmless.error().message;
    [[maybe_unused]] const auto written = ::write(started, text.data(), text.size());
    ::_exit(1);
  }
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::signal(SIGCHLD, SIG_IGN);
  ::close_range(0, ~0U, 0);
  while (true) ::pause();
}

Result<Descriptor> open_namespace(const std::string& process) {
  const std::string path = fmt::format("/proc/{}/ns/pid", process);
  Descriptor space(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!space) return system_error("open", path, errno);
  return space;
}

}  // namespace

Result<ProcessNamespace> ProcessNamespace::start() {
  Pipe started = TRY(make_pipe());
  clone_args arguments{};
  arguments.flags = CLONE_NEWPID | CLONE_NEWNS;
  arguments.exit_signal = SIGCHLD;
  const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) be_first_process(started.write.number());
  if (child < 0) return system_error("make a namespace of processes", "", errno);
  started.write = Descriptor();
  std::array<char, 512> failure{};
  const ssize_t count =
      retry([&] { return ::read(started.read.number(), failure.data(), failure.size()); });
  if (count > 0) {
    return Error::internal({failure.data(), static_cast<std::size_t>(count)});
  }
  ProcessNamespace made;
  made.first_process_ = child;
  return made;
}

Result<InNamespaceOf> InNamespaceOf::enter(std::int64_t process) {
  InNamespaceOf guard;
  guard.own_ = TRY(open_namespace("self"));
  const Descriptor theirs = TRY(open_namespace(fmt::to_string(process)));
  if (::setns(theirs.number(), CLONE_NEWPID) < 0) {
    return system_error("enter the processes of", fmt::to_string(process), errno);
  }
  return guard;
}

InNamespaceOf::~InNamespaceOf() {
  if (own_ && ::setns(own_.number(), CLONE_NEWPID) < 0) {
    exit_hard("this process cannot return to its own namespace");
  }
}

}  // namespace muster
