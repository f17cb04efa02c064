// assign_flavors: which flavor each resource of each pod set gets in a ClusterQueue, or what stands
// in the way. Flavors of a resource group are tried in order; one is taken for all resources of the
// group together. What fits the quota but is in use waits; what exceeds it never fits.
//
//   const Assignment assignment = assign_flavors(tables, queue, workload);
//   if (assignment.mode == AssignmentMode::fit) take_usage(…, assignment.usage);
//
// Assumes: nothing is changed. Pod sets are looked at in order, each with the requests of those
// before it counted. The obstacles and their order are Kueue's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/tables.h"
#include "core/plan/because.h"

namespace muster::core {

enum class AssignmentMode : std::uint8_t {
  no_fit,  // not in this queue as it is, whatever ends
  waits,   // others use what it needs
  fit,
};

struct PodSetFlavors {
  std::string pod_set;
  std::int64_t count = 0;
  Amounts requests;                                      // of all its pods
  std::vector<std::pair<ResourceId, FlavorId>> flavors;  // in the order of the requests
};

struct Assignment {
  AssignmentMode mode = AssignmentMode::fit;
  std::vector<PodSetFlavors> pod_sets;
  Usage usage;
  std::vector<Reason> reasons;  // unless it fits
};

Assignment assign_flavors(const Tables& tables, const ClusterQueueRow& queue,
                          const Workload& workload);

// What the pods of one pod set ask for together; `pods` only where the queue counts them.
// too_large: the product is none that a quota could hold.
Result<Amounts> total_requests(const Tables& tables, const ClusterQueueRow& queue,
                               const GangPodSet& set);

}  // namespace muster::core
