// `muster status`: whether the platform of a folder is up, and what is on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace muster {

// Exit code 0 when it is up, 1 when it is not.
int status(const std::string& data, const cli::Output& output);

}  // namespace muster
