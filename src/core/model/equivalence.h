// Scheduling equivalence: a number that is the same for Workloads of which one answer of the
// scheduler is the answer to all: same priority, same pods, same counts, same topology request.
// What the inadmissible set is woken and filled by (SchedulingEquivalenceHashing).
//
//   std::uint64_t equivalence = equivalence_of(object, workload, resources);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/effective_requests.h"
#include "core/model/gang.h"
#include "objects/value.h"

namespace muster::core {

struct Workload;

// `resources`: of the pod sets, in the order of the spec. Never 0.
std::uint64_t equivalence_of(objects::View object, const Workload& workload,
                             const GangPodSets& pod_sets,
                             const std::vector<PodResources>& resources,
                             const ResourceNames& names);

}  // namespace muster::core
