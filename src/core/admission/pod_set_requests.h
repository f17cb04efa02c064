// PodSetRequests: what the pods of one pod set ask of quota together, as Kueue counts it: for a
// workload that waits, the effective requests of one pod times the pods that are left; for one that
// holds quota, what its admission says, less the pods that are reclaimable.
//
//   std::vector<PodSetRequests> sets = pod_set_requests(workload);
//   scale(sets[0], 3);                  // as if it had three pods
//
// Assumes: the workload outlives the list. Products stop at the ends of int64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/read_workload.h"
#include "core/model/resource_names.h"

namespace muster::core {

struct PodSetRequests {
  std::string_view name;
  std::int64_t count = 0;
  Amounts requests;
  const PodSetAssignment* admitted = nullptr;  // where the workload holds quota
};

std::vector<PodSetRequests> pod_set_requests(const Workload& workload);

// The same one by one: how many there are, and each of them.
std::size_t pod_set_count(const Workload& workload);
PodSetRequests pod_set_requests(const Workload& workload, std::size_t at);

// With another number of pods. A pod set that stands in a topology stays as it is.
void scale(PodSetRequests& set, std::int64_t count);

}  // namespace muster::core
