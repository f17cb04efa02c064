// This process: its id, memory, environment, signals and its two ends.
//
//   ignore_broken_pipes();                      // once, in main/
//   if (!synced) exit_hard("sync data/log: Input/output error");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

// Left behind by exit_hard, and by nothing else of ours: EX_IOERR of sysexits.h.
inline constexpr int exit_hard_status = 74;

std::int64_t process_id();

// Physical memory that this process occupies now.
Result<std::uint64_t> resident_bytes();

// Nothing when unset; an empty string when set to nothing. The environment is never written to.
std::optional<std::string> environment_variable(const std::string& name);

// All of it, NAME=value, for programs that shall have the same.
std::vector<std::string> own_environment();

// Where relative paths begin.
Result<std::string> working_folder();

// Writing to a closed socket or pipe becomes an error of the write instead of the end.
void ignore_broken_pipes();

// SIGHUP, SIGINT and SIGTERM, with which terminals and service managers end what they started, do
// nothing any more: for a process that has others in its care and ends by order.
void ignore_requests_to_end();

// Orphans among its descendants become its children: for who starts a program through another one
// that goes away, and waits for it.
void adopt_orphans();

// The capabilities that this process may use, a bit each by the kernel's numbers.
std::uint64_t own_capabilities();

// All from this number on.
void close_descriptors_from(int number);

// Sends this process a signal, as a test of a handler or a clean end needs it.
void raise_signal(int number);

// The end of a process that must not continue (a failed sync: nobody knows what is on disk). Says
// why on standard error and leaves without running destructors, which might write more.
[[noreturn]] void exit_hard(std::string_view sentence);

}  // namespace muster
