// topology_requests(): the pod sets of an assignment that need a place in a topology, each with the
// one flavor that has it. Where a place comes later (another cluster chooses it, or machines are
// still being made) the pod set is marked; where there can be none, it gets an error.
//
//   const auto pod_sets = topology_requests(question, assignment);
//   const TopologyResult found = assign_topology(tables, policy, workload, pod_sets, {});
//
// Assumes: every pod set of the spec has its flavors. The list points into the workload and the
// replaced slice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/admission/flavor_search.h"
#include "core/placement/topology.h"

namespace muster::core {

std::vector<TopologyPodSet> topology_requests(const AssignmentQuestion& question,
                                              Assignment& assignment);

// Whether a node in which the pod set has pods is marked unhealthy.
bool has_unhealthy_node(const Workload& workload, const TopologyAssignment& assignment);

// The places found, into the pod sets that asked.
void give_places(Assignment& assignment, std::span<const TopologyPodSet> pod_sets,
                 TopologyResult found);

}  // namespace muster::core
