// A visit to a sandbox: a program that runs beside the one that a sandbox was made for, in all its
// namespaces and under the same restrictions, with standard descriptors of its own or a terminal.
//
//   // in a process made for it, which waits:
//   const SandboxVisit visit{.init_id = 4711, .arguments = {"sh"}, .has_terminal = true};
//   const Result<VisitEnd> end = visit_sandbox(visit);
//
// Assumes: the calling process has one thread and was made for this; it is in the sandbox
// afterwards. Standard descriptors are the visitor's; `control` brings lines "COLUMNS ROWS", and
// its end means that nobody wants the visit any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/os/child_process.h"
#include "base/os/sandbox.h"
#include "base/result.h"

namespace muster {

struct SandboxVisit {
  std::int64_t init_id = 0;  // the first process of the sandbox
  std::vector<std::string> arguments = {};
  std::vector<std::string> environment = {};
  std::string working_folder = "/";
  SandboxUser user = {};
  bool has_terminal = false;
  int control = -1;
  // The arguments are a program of this machine that goes in by itself (runc) and writes the id of
  // the process that it starts there into this file. Empty: the visit enters the sandbox.
  std::string process_file = {};
};

struct VisitEnd {
  std::optional<StartFailure> failure = {};
  ExitStatus status = {};
};

// Returns when the program has ended.
Result<VisitEnd> visit_sandbox(const SandboxVisit& visit);

// A connection to a port on the loopback of the network that a process is in, or to that address
// where it shares ours; non-blocking. The calling thread is in its own network again when this
// returns.
Result<Descriptor> connect_inside(std::int64_t process_id, const std::string& shared_address,
                                  std::uint16_t port);

}  // namespace muster
