// The command line: reads the arguments, runs one command, returns the exit code of the process.
// Exit codes: 0 done, 1 the command failed, 2 the arguments were wrong.
//
//   int main(int argc, char** argv) { return muster::cli::run(argc, argv, stdout_sink,
//   stderr_sink); }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace muster::cli {

// Where text for a person goes; main/ hands in the terminal, tests hand in strings.
using Sink = std::function<void(std::string_view text)>;

struct Output {
  Sink out;
  Sink error;
};

int run(int argc, const char* const* argv, const Output& output);

}  // namespace muster::cli
