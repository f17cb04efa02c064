// `muster token create|list|revoke`: tokens of people and programs outside the cluster. The API
// keeps a digest of each as a Secret (server/account_keeper.h); the token itself is shown once, to
// who makes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command_line.h"

namespace muster {

int token(const cli::TokenOptions& options, const cli::Output& output);

}  // namespace muster
