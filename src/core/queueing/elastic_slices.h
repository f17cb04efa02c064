// The slices of an elastic job: Workloads that take each other's place as the job grows. A job that
// shrinks has the count of its slice lowered. One that grows gets a second slice for all its pods;
// the first holds the quota of those that run until the second is admitted, which is charged the
// difference only.
//
//   count lowered ◄─ shrinks ─┐
//   slice, admitted ──────────┴─ grows ─► slice retained + slice waiting
//                                            │                 └─ admitted ─► the only one
//                                            └─ the other admitted ─► Finished
//                                            WorkloadSliceReplaced
//
// Pods are made before there is quota for them. They wait behind the gate `kueue.x-k8s.io/elastic-
// job`, which is taken off as many as the admitted slice counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/edit.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

struct Reconciled;

// The job asks for it, and the gate allows it.
bool is_elastic_job(const Reconciled& given);

bool is_slice(objects::View workload);

// The first of the slices; the Workload itself where it says nothing else.
std::string_view slice_name_of(objects::View workload);

// `namespace/name` of the slice whose place it takes; empty: none.
std::string_view replaced_by(objects::View workload);

struct Slices {
  // What the job is measured against; absent: there is none.
  objects::Value current = {};
  // Holds the quota of the pods that run while `current` waits; absent: `current` does.
  objects::Value retained = {};

  struct Stale {
    objects::Value slice;
    bool is_replaced = false;
  };
  std::vector<Stale> stale = {};  // nobody needs them any more
};

// Of Workloads that have not finished.
Slices slices_of(std::span<const objects::Value> workloads);

bool has_counts_of(const objects::Value& slice, std::span<const PodSet> pod_sets);

// Some pod set is smaller now, and none larger.
bool is_scaled_down(const objects::Value& slice, std::span<const PodSet> pod_sets);

// The slice with as many pods as the job has.
objects::Value with_counts(const objects::Value& slice, std::span<const PodSet> pod_sets);

// Takes the gate off pods that the slice has quota for, the first by name first.
std::vector<Edit> ungated_pods(const objects::Value& slice, std::span<const objects::Value> pods);

}  // namespace muster::core
