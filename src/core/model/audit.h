// audit: what the state says about itself, counted again from the objects it was told of, one by
// one and without any of the incremental paths. For tests and the simulator: after every event the
// list must be empty.
//
//   ASSERT_TRUE(audit(state).empty());
//   describe(a) == describe(b)      // the same world, whatever order its events came in
//
// Assumes: assumed writes count as done, as they do in decisions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/cluster_state.h"

namespace muster::core {

// One sentence for each figure that differs.
std::vector<std::string> audit(const ClusterState& state);

// Usage, room on nodes, standing of workloads and pods, as sorted lines; without what only says who
// was tried already.
std::string describe(const ClusterState& state);

}  // namespace muster::core
