// reconcile_pods: Kueue's part for a plain pod or a pod group. What only pods need comes first:
// finalizers, pods that are too many or replaced, owners of the Workload; the rest is
// reconcile_workload's, as for every kind.
//
//   single:  gated ──► Workload ──► admitted: gates gone ──► ended: Workload Finished, finalizer
//   gone group:   all pods there ──► one Workload ──► admitted: all gates gone at once ──► …
//            a pod failed ──► WaitingForReplacementPods ──► its replacement starts in its place
//   evicted: pods get TerminationTarget and are deleted; the group waits for others in their place.
//
//   auto edits = reconcile_pods({.group = "train", .pods = pods, .rest = {.workloads = …}});
//
// Assumes: as reconcile_workload. `pods` is all that is left of the pod or the group, in the order
// of names; for a group `rest.workloads` holds the Workload that has its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/edit.h"
#include "core/queueing/reconcile_workload.h"
#include "objects/value.h"

namespace muster::core {

struct ReconciledPods {
  std::string group;  // empty: one pod on its own
  std::span<const objects::Value> pods;
  bool is_kept = false;  // the Workload has an owner that makes others in place of pods that go
  Reconciled rest;       // without a job
};

std::vector<Edit> reconcile_pods(const ReconciledPods& given);

// When a pod that does not go is given up: time to look again.
std::optional<Instant> next_given_up(std::span<const objects::Value> pods, Instant now);

}  // namespace muster::core
