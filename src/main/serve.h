// serve(): runs the platform in this process until it is asked to end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"
#include "cli/settings.h"

namespace muster {

int serve(const std::string& data, const cli::Settings& settings, const cli::Output& output);

}  // namespace muster
