// The nodes that a topology gave a Workload, and what it says of those that failed. A flavor with a
// Topology lets the pods of one lost node be placed anew while the others run on (the scheduler's
// second pass); where pods are merely pinned, the gang stops whole.
//
//   Value next = with_unhealthy(workload, failed);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string>

#include "objects/value.h"

namespace muster::core {

// By name; none where no flavor of its admission has a Topology, or nodes are not its lowest level.
std::set<std::string> topology_nodes(const objects::Value& workload,
                                     std::span<const objects::Value> flavors);

// status.unhealthyNodes is that one node, or nothing where none failed.
objects::Value with_unhealthy(const objects::Value& workload, const std::set<std::string>& failed);

}  // namespace muster::core
