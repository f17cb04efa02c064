// The last step into a program of a sandbox: no capabilities, none to gain, signals as a new
// process has them, dangerous system calls refused, and then the program itself in this process'
// place.
//
//   const StartFailure failure = become_program({"sh", "-c", "…"}, {"PATH=/bin"}, "/workspace");
//
// Assumes: a process with one thread that is in the sandbox already; its standard descriptors are
// those that the program shall have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/os/sandbox.h"
#include "base/result.h"

namespace muster {

// What a program waits at when all but itself is done.
struct ProgramGate {
  int opens = -1;    // a byte comes through it
  int reached = -1;  // closed by who is there
};

// Returns only when the program cannot be executed. Where there is a gate, it waits there first.
StartFailure become_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment,
                            const std::string& working_folder, const SandboxUser& user = {},
                            std::optional<ProgramGate> gate = std::nullopt);

// The same with all rights of this process, for a program of the machine; a path comes first.
StartFailure execute_as_is(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment);

// All that a program in a sandbox does not have: capabilities, ways to gain any, dangerous calls.
Result<> give_up_rights();

}  // namespace muster
