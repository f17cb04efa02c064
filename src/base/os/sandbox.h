// A sandbox: a process tree in namespaces of its own that sees this machine's filesystem read-only,
// with a private /tmp, /var/tmp, /run, /dev and /proc, the folders mounted for it, and nothing of
// what is hidden from it. Its first process is an init of ours that starts the program, passes
// signals on to it, and takes the whole tree with it when it ends; it dies with the process that
// made it. The program has no capabilities, cannot gain any, and the calls that a program has no
// business with are refused (base/os/system_call_filter.h).
//
//   enter_shared_namespaces({.isolation = Isolation::full, .hostname = "rank-0"});  // once
//   auto sandbox = TRY(Sandbox::start(spec));
//   loop.watch(sandbox.started_descriptor(), …);   // sandbox.take_start(): running, or why not
//   loop.watch(sandbox.ended_descriptor(), …);     // sandbox.take_end(): its exit status
//
// Assumes: the calling process has one thread; Linux 5.12 or later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/child_process.h"
#include "base/os/control_group.h"
#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

enum class Isolation : std::uint8_t {
  full,            // namespaces by the rights of this process
  user_namespace,  // namespaces below a user namespace: this user has no rights of its own
  none,            // the kernel, or a sandbox around us, permits neither
};

std::string_view to_string(Isolation isolation);
std::optional<Isolation> isolation_from(std::string_view text);

// What sandboxes made here will be. Tries it out in a process of its own; from any thread.
Isolation probe_isolation();

struct SharedNamespaces {
  Isolation isolation = Isolation::full;
  bool own_network = false;  // only with full isolation
  bool own_ipc = true;
  std::string hostname = {};
};

// Moves this process into an uts and, where asked, ipc and network namespaces that all its
// sandboxes share; below a user namespace where it must.
Result<> enter_shared_namespaces(const SharedNamespaces& wanted);

struct SandboxMount {
  std::string source;  // a folder or a file of this machine
  std::string target;  // where it appears; made where it does not exist
  bool read_only = false;
  // Below the source, looked up when the sandbox is made: no link in it leads out of the source.
  // What is not there is made as a folder. Empty: the source itself.
  std::string below = {};
};

// Who a program is; nobody said: who made the sandbox.
struct SandboxUser {
  std::optional<std::uint32_t> user = {};
  std::optional<std::uint32_t> group = {};
  std::vector<std::uint32_t> groups = {};  // others that it is in

  bool is_given() const { return user || group || !groups.empty(); }
};

struct SandboxSpec {
  std::vector<std::string> arguments;    // the program, looked up in the environment's PATH
  std::vector<std::string> environment;  // NAME=value
  std::string working_folder = "/";      // made where it does not exist
  std::vector<SandboxMount> mounts = {};
  std::vector<std::string> hidden = {};  // folders and files that are empty inside
  // Device files of this machine, and what they are called inside, below /dev.
  std::vector<std::pair<std::string, std::string>> devices = {};
  // The process whose namespace of processes it is in; 0: it has one of its own. In one that is
  // shared, what the program leaves behind when it ends runs on, until somebody ends its group.
  std::int64_t processes_of = 0;
  bool own_network = false;
  bool is_read_only = false;  // also the private places; mounts are as they say
  SandboxUser user = {};
  ControlGroup group = {};  // which all of it is in
  // None: it has none, and reads an end.
  Descriptor standard_input = Descriptor();
  bool is_terminal = false;  // the standard input is one: the program's own, for output as well
  std::string terminal_path = {};  // of it on this machine; inside it is /dev/console
  Descriptor standard_output = Descriptor();
  Descriptor standard_error = Descriptor();
};

// Why a program did not start.
struct StartFailure {
  enum class Kind : std::uint8_t { set_up, not_found, not_executable };
  Kind kind = Kind::set_up;
  std::string message;
};

class Sandbox {
 public:
  // Returns when the init exists, which prepares the sandbox meanwhile; the program starts once
  // release() was called.
  static Result<Sandbox> start(const SandboxSpec& spec);

  std::int64_t init_id() const { return init_id_; }

  // Readable once all but the program itself is done, or there is nothing that could be: it waits
  // for release(), or does not wait any more.
  int ready_descriptor() const { return reached_.number(); }

  // Lets the program start.
  void release();

  // Readable once the program runs or could not be started.
  int started_descriptor() const { return started_.number(); }
  std::optional<StartFailure> take_start();

  // Readable once the program has ended and its whole tree is gone.
  int ended_descriptor() const { return init_.number(); }
  ExitStatus take_end();

  // A signal to the program, SIGKILL to the whole tree.
  void ask_to_end(int signal) const;
  void kill_tree() const;

 private:
  Sandbox() = default;
  void send_signal(int number) const;

  std::int64_t init_id_ = 0;
  Descriptor init_;     // a pidfd
  Descriptor gate_;     // a byte lets the program go on
  Descriptor reached_;  // the end of the file: it is there
  Descriptor started_;  // a StartFailure, or the end of the file
  Descriptor ended_;    // the wait status of the program
};

}  // namespace muster
