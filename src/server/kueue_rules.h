// kueue_rules: Kueue's Configuration as admission needs it, from the ConfigMap that the controllers
// follow too (kueue-system/kueue-manager-config). Where there is none, or one that cannot be read
// (the controllers say so on it), Kueue's defaults hold.
//
//   const core::Configuration rules = kueue_rules(context);
//
// Assumes: the house thread. It reads the text each time: ask once for a write that needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/configuration.h"
#include "server/context.h"

namespace muster::server {

core::Configuration kueue_rules(Context& context);

}  // namespace muster::server
