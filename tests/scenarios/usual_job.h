// The job, Workload and flavor that scenarios of queueing start from, so that each says only what
// is special about its own: `{like: admitted, spec: {active: false}, andConditions: […]}` is the
// usual admitted Workload with a merge patch and more conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "objects/value.h"

namespace muster::scenarios {

// like: waiting (suspended, two ranks, queue main) or started (as admission started it).
Result<objects::Value> job_like(objects::View special);

// like: waiting or admitted (in ClusterQueue cq, flavor spot).
Result<objects::Value> workload_like(objects::View special);

// ResourceFlavor spot.
objects::Value usual_flavor();

}  // namespace muster::scenarios
