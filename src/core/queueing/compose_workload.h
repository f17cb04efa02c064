// compose_workload: the Workload of a job, as Kueue makes it: its pod sets, queue, priority, owner
// and finalizer. And what an admission adds to the pods of a job that starts.
//
//   Value workload = TRY(compose_workload(shape, given, pod_sets));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

struct Priority {
  objects::Value class_reference = {};  // spec.priorityClassRef; absent where no class gave it
  std::int64_t value = 0;
};

// The label's WorkloadPriorityClass, the first PriorityClass of a pod set, the cluster's default
// PriorityClass, or 0. A class that does not exist is not_found.
Result<Priority> priority_of(const Reconciled& given, std::span<const PodSet> pod_sets);

// `replaced`: the slice of an elastic job that the Workload is to take the place of.
Result<objects::Value> compose_workload(const Shape& shape, const Reconciled& given,
                                        std::span<const PodSet> pod_sets,
                                        const objects::Value* replaced = nullptr);

// The Workload with the job as its controller: one that somebody else made for it.
objects::Value with_controller(const Shape& shape, const objects::Value& job,
                               const objects::Value& workload);

// What the admission of the Workload adds to each pod set: node labels and tolerations of the
// flavors, and who they belong to. Nothing while one of the flavors is unknown.
std::optional<std::vector<PodSetInjection>> injections_of(const objects::Value& workload,
                                                          std::span<const objects::Value> flavors);

}  // namespace muster::core
