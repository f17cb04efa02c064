// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/version.h"

namespace muster::cli {

namespace {

constexpr int exit_done = 0;
constexpr int exit_usage = 2;

}  // namespace

int run(int argc, const char* const* argv, const Output& output) {
  CLI::App app(
      "Muster runs distributed training on shared accelerators: all present, or nobody "
      "marches.",
      "muster");
  bool version = false;
  app.add_flag("--version", version, "Print the version and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    output.out(app.help());
    return exit_done;
  } catch (const CLI::ParseError& error) {
    output.error(fmt::format("muster: {}\nRun 'muster --help' for what there is.\n", error.what()));
    return exit_usage;
  }
  output.out(version ? version_line() + "\n" : app.help());
  return exit_done;
}

}  // namespace muster::cli
