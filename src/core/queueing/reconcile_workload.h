// reconcile_workload: Kueue's part for one job: its Workload exists and matches, the job runs only
// while its Workload is admitted, and both end together. Level-triggered: it looks at the job and
// its Workloads as they are, and answers the edits that bring them one step nearer to agreement.
// No edits: they agree. It is the same on every control plane.
//
//   job suspended ──► Workload created ──► (plan() admits it) ──► job started with the flavor's
//   nodes ──► job finished ──► Workload Finished.
//   Workload Evicted ──► job stopped ──► no pod active ──► reservation cleared, Requeued.
//
//   auto edits = reconcile_workload(job_shape, {.job = job, .workloads = mine, .now = now});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

struct Reconciled {
  objects::Value job;                                // absent: it is gone
  std::span<const objects::Value> workloads;         // those that the job owns
  std::span<const objects::Value> flavors;           // ResourceFlavors
  std::span<const objects::Value> priority_classes;  // WorkloadPriorityClasses and PriorityClasses
  bool has_local_queue = false;                      // the queue it names exists
  Instant now;
};

std::vector<Edit> reconcile_workload(const Shape& shape, const Reconciled& given);

}  // namespace muster::core
