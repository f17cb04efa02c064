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

namespace muster {

// Returns only when the program cannot be executed. Where there is a gate, a byte must come through
// it first; all but the program itself is done by then.
StartFailure become_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment,
                            const std::string& working_folder, const SandboxUser& user = {},
                            std::optional<int> gate = std::nullopt);

// The same with all rights of this process, for a program of the machine; a path comes first.
StartFailure execute_as_is(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment);

}  // namespace muster
