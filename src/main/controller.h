// `muster controller`: Muster's queueing and decisions on a Kubernetes that somebody else runs. The
// same controllers as in the platform, over HTTPS; jobs, nodes and pods are the cluster's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command_line.h"

namespace muster {

// Runs until it is asked to end.
int controller(const cli::ControllerOptions& options, const cli::Output& output);

}  // namespace muster
