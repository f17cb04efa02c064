// The sentence that a preempted workload is told, and the path of a queue in it. Users match on it.
//
//   preemption_message(tables, preemptor, target)
//   // Preempted to accommodate a workload (UID: …, JobUID: …) due to reclamation within the
//   cohort;
//   // preemptor path: /research/team-a; preemptee path: /research/team-b
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/ids.h"
#include "core/preemption/target.h"

namespace muster::core {

struct Tables;

// "/root/…/parent/queue".
std::string cluster_queue_path(const Tables& tables, ClusterQueueId queue);

// `queue`: of the preemptor. The target's is the one in which it holds quota.
std::string preemption_message(const Tables& tables, WorkloadId preemptor, ClusterQueueId queue,
                               const Target& target);

}  // namespace muster::core
