// Assignments that begin with another one: pods of a failed node find a new place near the others;
// a workload that grows keeps its pods where they are and finds places for the new ones.
//
//   const Replacement moved = replace_node(finder, pod_set, existing, "n4");
//   moved.whole     // with the new domains in the place of the failed one
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/placement/topology_place.h"

namespace muster::core {

struct Replacement {
  std::string sentence;                    // why there is none; empty: there is
  std::vector<TopologyDomainUsage> added;  // the new places
  std::vector<TopologyDomainUsage> whole;  // all places, by rank
};

// `existing` are the domains that the pod set has now. Required topology and incomplete slices say
// where the new place must be.
Replacement replace_node(PlaceFinder& finder, const TopologyPodSet& pod_set,
                         const TopologyAssignment& existing, const std::string& failed_node,
                         const SchedulingTerms* terms);

// Leaves of the assignment in its order, with their counts. False: one of them is not there.
bool find_leaves(const TopologyTree& tree, const TopologyAssignment& assignment,
                 std::vector<TopologyDomainUsage>& leaves);

// Both lists as one, by rank; counts of the same leaf added.
std::vector<TopologyDomainUsage> merge(std::vector<TopologyDomainUsage> a,
                                       const std::vector<TopologyDomainUsage>& b);

}  // namespace muster::core
