// The sentences about pods that have no place in a topology, as Kueue writes them.
//
//   topology "default" allows to fit only 3 out of 4 pod(s). Total nodes: 5; excluded: taint
//   "gpu:NoSchedule": 1, resource "cpu": 1
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/model/topology_tree.h"
#include "core/placement/topology_search.h"

namespace muster::core {

// Leaves that were no candidates, by what excluded them.
struct LeafExclusions {
  std::int64_t leaves = 0;
  std::int64_t by_domain = 0;                       // not in the domain of a replacement
  std::map<std::string, std::int64_t> by_resource;  // too little for one pod
};

std::string not_fit_text(const TopologyTree& tree, const TopologyShape& shape,
                         const TopologyState& state, const Shortfall& shortfall);

// `. Total nodes: …`, or nothing where none was excluded.
std::string exclusions_text(const LeafExclusions& exclusions, const MatchColumn& match);

}  // namespace muster::core
