// assign_flavors(): which flavor each resource of each pod set gets in a ClusterQueue, or what
// stands in the way; and the places in a topology where the flavors have one.
//
//   Assignment assignment;
//   assign_flavors(question, {}, assignment);
//   if (assignment.mode == AssignmentMode::fit) …
//
// Assumes: pod sets are looked at in order, those of one podSetGroupName together, each with the
// requests of those before it counted. Nothing is taken. The obstacles and their order are Kueue's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/admission/assignment.h"
#include "core/admission/flavor_search.h"

namespace muster::core {

// `counts`: pods of each pod set, for a partial admission; empty: as many as the workload asks for.
// Into an assignment that is empty: it is large, and made for every head.
void assign_flavors(const AssignmentQuestion& question, std::span<const std::int64_t> counts,
                    Assignment& assignment);

}  // namespace muster::core
