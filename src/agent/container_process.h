// ContainerProcess: what a shim knows of a container that it starts: when it runs or why it does
// not, when it has ended and how, and how to end it. A sandbox of this machine's own filesystem
// (HostProcess), or a container that runc makes (agent/oci/oci_process.h).
//
//   loop.watch(process->started_descriptor(), …);   // process->take_start()
//   loop.watch(process->ended_descriptor(), …);     // process->take_end()
//
//   made ──release()──► starting ──take_start()──► runs ──take_end()──► over
//                           └── a failure: over, or take_end() where there is an ended_descriptor()
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/os/sandbox.h"

namespace muster::agent {

class ContainerProcess {
 public:
  virtual ~ContainerProcess() = default;

  // Its first process on this machine; 0 while there is none.
  virtual std::int64_t process_id() const = 0;

  // Readable once it waits for release() alone; -1 where nobody can tell.
  virtual int ready_descriptor() const = 0;
  virtual void release() = 0;

  // Readable once the program runs or could not be started.
  virtual int started_descriptor() const = 0;
  virtual std::optional<StartFailure> take_start() = 0;

  // Readable once the program has ended; -1 while there is nothing that could.
  virtual int ended_descriptor() const = 0;
  virtual ExitStatus take_end() = 0;

  // A signal to the program, SIGKILL to all of it. One that comes too early waits.
  virtual void ask_to_end(int signal) = 0;
  virtual void kill_tree() = 0;
};

class HostProcess final : public ContainerProcess {
 public:
  explicit HostProcess(Sandbox sandbox) : sandbox_(std::move(sandbox)) {}

  std::int64_t process_id() const override { return sandbox_.init_id(); }
  int ready_descriptor() const override { return sandbox_.ready_descriptor(); }
  void release() override { sandbox_.release(); }
  int started_descriptor() const override { return sandbox_.started_descriptor(); }
  std::optional<StartFailure> take_start() override { return sandbox_.take_start(); }
  int ended_descriptor() const override { return sandbox_.ended_descriptor(); }
  ExitStatus take_end() override { return sandbox_.take_end(); }
  void ask_to_end(int signal) override { sandbox_.ask_to_end(signal); }
  void kill_tree() override { sandbox_.kill_tree(); }

 private:
  Sandbox sandbox_;
};

}  // namespace muster::agent
