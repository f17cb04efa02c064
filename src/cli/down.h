// `muster down`: ends the platform of a data folder, and the pods that it left running. What is
// stored stays; `muster up` on the same folder resumes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"

namespace muster::cli {

int down(const std::string& data, const Output& output);

}  // namespace muster::cli
