// A program of this machine that is run to its end, with what it said: for command lines, which may
// wait. Components spawn a ChildProcess and watch it instead.
//
//   const CommandEnd end = TRY(run_command({"skopeo", "copy", from, to}));
//   if (end.status.code != 0) …end.error
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/os/child_process.h"
#include "base/result.h"

namespace muster {

// Of each stream; what a program says beyond it is read and dropped.
inline constexpr std::size_t command_output_bytes_max = std::size_t{16} << 20;

struct CommandEnd {
  ExitStatus status;
  std::string output;
  std::string error;
};

// Where a program of this name lies: in the folders of $PATH, and in those that hold the tools of
// root, which the PATH of a user often lacks. not_found when nowhere.
Result<std::string> find_program(std::string_view name);

// Waits. The program has no input, the environment of this process, and dies with nobody.
Result<CommandEnd> run_command(const std::vector<std::string>& arguments);

}  // namespace muster
