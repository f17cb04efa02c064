// reconcile_stateful_set: Kueue's part for a StatefulSet in a queue. It has one Workload, as large
// as the set, and its pods are a group under that Workload's name: the first pod stands for all,
// and none of them finishes. What a group does (gates, owners, evictions) is reconcile_pods'.
//
//   set ──► Workload ──► (plan() admits it) ──► pods join as they come, and their gates go
//   replicas 0 ──► the last pod is gone ──► QuotaReserved=False, OnHold: no quota, no place in the
//   queue ──► replicas n ──► the Workload of n pods waits again
//
//   auto step = reconcile_stateful_set({.workload = workload, .pods = pods, .rest = {.job = set}});
//
// Assumes: as reconcile_workload; the set and its pods were admitted by admit_app and admit_pod. A
// set whose template does not tell its pods to wait is left alone. When the set is gone, its
// Workload goes with the last of its pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "core/queueing/reconcile_workload.h"
#include "objects/value.h"

namespace muster::core {

struct ReconciledSet {
  objects::Value workload = {};               // of the set's name; absent where there is none
  std::span<const objects::Value> pods = {};  // that the set controls
  Reconciled rest = {};                       // its job is the set
};

struct StatefulSetStep {
  std::vector<Edit> edits = {};
  std::optional<Instant> look_again = {};
};

StatefulSetStep reconcile_stateful_set(const ReconciledSet& given);

}  // namespace muster::core
