// Paths of a pod's fields that say something and that nothing on this node acts upon. The pod runs
// without them, and says so in its condition muster.dev/FieldsIgnored. Fields without which it
// would be another pod are refused instead (agent/start_plan.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::agent {

// Containers that run from images have the rights that they ask for.
std::vector<std::string> ignored_fields(objects::View pod,
                                        const std::set<std::string>& from_images = {});

}  // namespace muster::agent
