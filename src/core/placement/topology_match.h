// Which leaves of a topology may take pods with some scheduling terms: taints that the pods or the
// flavor tolerate, node selector, required node affinity; and how many are excluded by what. Only
// leaves that are hosts are looked at: a rack has no taints.
//
//   const MatchColumn& match = match_leaves(tables, tree, set.terms, flavor.tolerations, false);
//
// Assumes: the answer is kept with the tree, which is made anew when a node's labels or taints
// change. The tolerations of the flavor are always the same for one tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/model/scheduling_terms.h"
#include "core/model/tables.h"
#include "core/model/topology_tree.h"

namespace muster::core {

const MatchColumn& match_leaves(const Tables& tables, TopologyTree& tree,
                                const SchedulingTerms& terms,
                                std::span<const Toleration> flavor_tolerations,
                                bool counts_preferences);

}  // namespace muster::core
