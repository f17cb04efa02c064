// NodeScores: how well nodes suit pods that may stand on any of them. Preferred node affinity
// speaks for a node, taints that only discourage (PreferNoSchedule) against it, in kube-scheduler's
// proportions: each is worth 0 to 100 by the best and the worst of the nodes that are compared, and
// taints count three times, affinity twice.
//
//   if (has_preferences(tables, wish)) …                    // nearly never
//   const auto scores = score_nodes(tables, wish, nodes);   // one per node
//
// Assumes: the nodes are those that take the pods. Scores of different calls do not compare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/ids.h"
#include "core/model/tables.h"
#include "core/placement/node_filter.h"

namespace muster::core {

// Whether it may matter to the pods which of the nodes that take them they get.
inline bool has_preferences(const Tables& tables, const NodeWish& wish) {
  return tables.discouraging_nodes > 0 || !wish.terms->preferred.empty();
}

std::vector<std::int64_t> score_nodes(const Tables& tables, const NodeWish& wish,
                                      std::span<const NodeId> nodes);

}  // namespace muster::core
