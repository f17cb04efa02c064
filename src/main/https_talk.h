// HttpsTalk: cli::Talk over HTTPS, for the commands about objects.
//
//   commands.open_talk = open_https_talk;
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/talk.h"

namespace muster {

// The kubeconfig: as given, $KUBECONFIG, that of the platform on this machine, ~/.kube/config.
Result<std::unique_ptr<cli::Talk>> open_https_talk(const cli::TalkOptions& options);

}  // namespace muster
