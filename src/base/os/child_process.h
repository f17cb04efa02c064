// Child processes without SIGCHLD: each is a descriptor that becomes readable when it ends, so
// there is no handler, no race with a reused id, and nobody waits for the children of others.
//
//   auto child = TRY(ChildProcess::spawn({.program = "/proc/self/exe", .arguments = {"muster"}}));
//   loop.watch(child.descriptor(), Interest::readable, [&] { exit = child.reap(); });
//
// ProcessHandle is the same for a process that somebody else started: it can be signalled and its
// end be seen, while its exit status belongs to its parent.
// Assumes: nothing else in this process calls wait() for any child.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

// How a process ended: by itself with a code, or by a signal (then the code is 128 + signal).
struct ExitStatus {
  int code = 0;
  int signal = 0;
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

struct SpawnOptions {
  std::string program;                 // a path
  std::vector<std::string> arguments;  // with the name of the program first
  std::vector<std::string> environment = {};
  // Descriptors of ours and the numbers under which the child has them; it has no others, but
  // standard input, output and error.
  std::vector<std::pair<int, int>> descriptors = {};
  bool new_session = false;  // survives the end of our terminal and of our process group
};

class ChildProcess {
 public:
  static Result<ChildProcess> spawn(const SpawnOptions& options);

  // One that became ours because its parent went away (adopt_orphans()); nobody waits for it yet.
  static Result<ChildProcess> adopted(std::int64_t id);

  std::int64_t id() const { return id_; }
  int descriptor() const { return handle_.number(); }  // readable when it has ended

  // Nothing happens when it has ended.
  void send_signal(int number) const;

  // How it ended; nothing while it runs. Afterwards its id belongs to nobody.
  std::optional<ExitStatus> reap();

  // The same for one that is about to end: waits for it.
  ExitStatus reap_wait();

 private:
  std::optional<ExitStatus> reap_with(int flags);
  ChildProcess(std::int64_t id, Descriptor handle) : id_(id), handle_(std::move(handle)) {}

  std::int64_t id_;
  Descriptor handle_;
};

class ProcessHandle {
 public:
  // not_found when no process has this id, or another one by now.
  static Result<ProcessHandle> open(std::int64_t id, std::uint64_t start_ticks);

  int descriptor() const { return handle_.number(); }  // readable when it has ended
  Result<> end_at_once() const;                        // SIGKILL

 private:
  explicit ProcessHandle(Descriptor handle) : handle_(std::move(handle)) {}

  Descriptor handle_;
};

// When the process started, in ticks since the machine did: with the id, it names one process.
Result<std::uint64_t> process_start_ticks(std::int64_t id);

// Takes what the kernel says of an ended child apart.
ExitStatus exit_status_of(int wait_status);

}  // namespace muster
