// What a reserved workload takes from quota: from its admission, less the pods that it has given
// back; and taking that out of the state and putting it back while something is tried.
//
//   Trial trial(tables.undo);
//   release_usage(tables, trial, victim);
//   if (tables.quota.available(node, pair) >= wanted) …
//
// Assumes: the workload holds quota (WorkloadRow::reserved_in). Its room in topologies goes and
// comes with its usage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/tables.h"

namespace muster::core {

// From the admission: usage of each pod set, with the flavor of each resource. Where fewer pods are
// left than were admitted, the usage of one pod times those. A resource without a flavor counts
// under the flavor without a name, as in Kueue. Interns the pairs.
Usage usage_of_admission(Tables& tables, const Workload& workload);

// One that is released is gone: no search for targets of a preemption finds it.
void release_usage(Tables& tables, Trial& trial, WorkloadId workload);
void restore_usage(Tables& tables, Trial& trial, WorkloadId workload);

// Any list of amounts, in the name of a queue.
void take_usage(Tables& tables, Trial& trial, ClusterQueueId queue, const Usage& usage);
void give_usage(Tables& tables, Trial& trial, ClusterQueueId queue, const Usage& usage);

// Whether all of it is available to the queue. Zero always is, also where more is in use than there
// is.
bool usage_fits(const Tables& tables, ClusterQueueId queue, const Usage& usage);

}  // namespace muster::core
