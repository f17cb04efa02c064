// reconcile_workload: Kueue's part for one job: its Workload exists and matches, the job runs only
// while its Workload is admitted, and both end together. Level-triggered: it looks at the job and
// its Workloads as they are, and answers the edits that bring them one step nearer to agreement.
// No edits: they agree, or wait for somebody else. It is the same on every control plane.
//
//   job suspended ──► Workload created ──► (plan() admits it) ──► job started with the flavor's
//   nodes ──► job finished ──► Workload Finished.
//   Workload Evicted ──► job stopped ──► no pod active ──► reservation cleared, Requeued.
//
// An elastic job may have two Workloads for a while (elastic_slices.h).
//
//   auto edits = reconcile_workload(job_shape(), {.job = job, .workloads = mine, .now = now});
//
// Assumes: the views are at least as new as what earlier edits for this job wrote. Then a second
// look at the same world gives the same edits, and edits from an old look are refused by their
// resourceVersion. Look again when the job, one of its Workloads, a flavor, a priority class or the
// configuration changes; there are no timers. What time and queues do to a Workload is
// run_workload's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "core/model/configuration.h"
#include "core/model/feature_gates.h"
#include "core/queueing/shape.h"
#include "core/queueing/workload_status.h"
#include "objects/value.h"

namespace muster::core {

struct Reconciled {
  // Absent: it is gone, and its Workloads go too.
  objects::Value job;
  std::span<const objects::Value> workloads;  // those that the job owns
  std::span<const objects::Value> flavors;    // ResourceFlavors
  std::span<const objects::Value> workload_priority_classes = {};
  std::span<const objects::Value> priority_classes = {};  // of scheduling.k8s.io
  // Which jobs are managed; null: those that name a queue.
  const JobScope* scope = nullptr;
  objects::Value name_space = {};  // the job's Namespace
  Words words = Words::usual;
  const FeatureGates* gates = nullptr;        // null: the usual ones
  std::span<const objects::Value> pods = {};  // of an elastic job; of others nobody asks
  Instant now = {};
};

std::vector<Edit> reconcile_workload(const Shape& shape, const Reconciled& given);

}  // namespace muster::core
