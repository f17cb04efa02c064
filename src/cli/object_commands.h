// The commands about objects, for those without kubectl: get, describe, apply, delete, logs, exec,
// wait, events. Declares them on the command line; each opens a session and ends with 0, or with 1
// and kubectl's line of what went wrong.
//
//   add_object_commands(app, output, commands.open_talk, chosen);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/command_line.h"
#include "cli/talk.h"

namespace CLI {
class App;
}

namespace muster::cli {

void add_object_commands(CLI::App& app, const Output& output, const OpenTalk& open_talk,
                         std::function<int()>& chosen);

}  // namespace muster::cli
