// `muster up`: brings up the embedded platform, and returns when it is ready. The platform itself
// is a background process (or this one, with --foreground) that main/ composes.
//
//   exit_code = up(options, output, serve);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cli/command_line.h"
#include "cli/settings.h"

namespace muster::cli {

// Runs the platform in this process until it is told to end; its exit code.
using Serve = std::function<int(const std::string& data, const Settings& settings)>;

int up(const UpOptions& options, const Output& output, const Serve& serve);

}  // namespace muster::cli
