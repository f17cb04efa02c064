// run_workload: what becomes of one Workload by the passing of time and by its queues, whatever
// kind of job it is for: deactivated, out of time, its pods not ready in time, its queue stopped,
// its back-off over, kept long enough. Level-triggered like reconcile_workload, which is about the
// job beside it; the two write different things.
//
//   pods not ready in time ──► Evicted, requeueState ──(job stopped)──► Requeued=False
//        │ too often                                                        │ requeueAt is over
//        ▼                                                                  ▼
//   DeactivationTarget ──► spec.active=false ──► Evicted, Deactivated…   Requeued=True
//   maximum execution time over ──┘
//   queue stopped and drained ──► Evicted ──► Requeued=False ──(queue restarted)──► Requeued=True
//
//   const WorkloadStep step = run_workload({.workload = w, .local_queue = queue, …});
//
// Assumes: views as for reconcile_workload. Look again at `look_again`, and when the Workload, its
// queues or the configuration change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "core/model/configuration.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

struct ObservedWorkload {
  objects::Value workload;
  objects::Value local_queue = {};    // that it names; absent: there is none
  objects::Value cluster_queue = {};  // where its reservation is, else that of its LocalQueue
  // Its owner, where that is known: it is removed when it was deactivated for good.
  objects::Resource job_resource = {};
  objects::Value job = {};
  // Of the nodes that a topology gave it, those that are gone.
  std::set<std::string> failed_nodes = {};
  const Configuration& configuration;
  Instant now = {};
};

struct WorkloadStep {
  std::vector<Edit> edits = {};
  std::optional<Instant> look_again = {};
};

WorkloadStep run_workload(const ObservedWorkload& given);

}  // namespace muster::core
