// The composition: the only place that creates threads and chooses real clocks, disks and
// terminals.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <span>
#include <string_view>

#include "agent/enter.h"
#include "agent/shim.h"
#include "base/os/heap.h"
#include "base/os/system_clock.h"
#include "cli/command_line.h"
#include "main/controller.h"
#include "main/https_talk.h"
#include "main/serve.h"
#include "main/status.h"
#include "main/token.h"
#include "simulator/house/simulate.h"

namespace {

muster::cli::Sink to(std::FILE* stream) {
  return [stream](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);  // who follows a watch or a log through a pipe sees it at once
  };
}

}  // namespace

int main(int argc, char** argv) {
  // A pod's shim is this program too, and there is one for every pod: it must stay small, so it
  // leaves before anything else is made.
  if (argc > 1 && std::string_view(argv[1]) == "shims") {
    return muster::agent::shim_server_main({argv, static_cast<std::size_t>(argc)});
  }
  if (argc > 1 && std::string_view(argv[1]) == "enter") {
    return muster::agent::enter_main(std::span<const char* const>(argv + 2, argv + argc));
  }
  const muster::cli::Output output{.out = to(stdout), .error = to(stderr)};
  muster::cli::Commands commands;
  commands.serve = [&](const std::string& data, const muster::cli::Settings& settings) {
    muster::keep_free_pieces(argv);
    return muster::serve(data, settings, output);
  };
  commands.status = [&](const std::string& data) { return muster::status(data, output); };
  commands.controller = [&](const muster::cli::ControllerOptions& options) {
    return muster::controller(options, output);
  };
  commands.simulate = [&](const muster::cli::SimulateOptions& options) {
    return muster::simulator::simulate(options, output, muster::SystemClock());
  };
  commands.open_talk = muster::open_https_talk;
  commands.token = [&](const muster::cli::TokenOptions& options) {
    return muster::token(options, output);
  };
  return muster::cli::run(argc, argv, output, commands);
}
