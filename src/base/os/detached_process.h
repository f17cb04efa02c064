// Processes beside this one, as a command line needs them: one that goes on after its parent, one
// that is asked to end, and the signal that asks this one.
//
//   auto pid = TRY(start_detached({program, "up", "--foreground"}, data + "/log"));
//   block_termination_signals();     // in main/, before the first thread
//   wait_for_termination_signal();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace muster {

// The file that this process was started from.
Result<std::string> own_program();

// Starts a program in a session of its own: no terminal, no input, its output appended to the
// file. Answers its process id; it is not a child of this process.
Result<std::int64_t> start_detached(const std::vector<std::string>& arguments,
                                    const std::string& output_path);

// Whether a process with this id exists (a zombie does not count).
bool process_exists(std::int64_t process);

// Asks it to end. No error when it is gone already.
Result<> terminate_process(std::int64_t process);

// SIGTERM and SIGINT wait until wait_for_termination_signal() takes them, in every thread made
// afterwards.
void block_termination_signals();
int wait_for_termination_signal();

// Blocks the calling thread: for command lines that wait, never for components.
void pause_thread(Span span);

}  // namespace muster
