// SPDX-License-Identifier: Apache-2.0
#include "core/admission/workload_slice.h"

#include <algorithm>

#include "core/model/tables.h"
#include "core/plan/policy.h"

namespace muster::core {

std::int64_t ReplacedSlice::requested(std::string_view pod_set, ResourceId resource) const {
  const auto set = std::ranges::find(pod_sets, pod_set, &PodSetRequests::name);
  return set == pod_sets.end() ? 0 : amount_of(set->requests, resource);
}

FlavorId ReplacedSlice::flavor(const Tables& tables, std::size_t pod_set,
                               ResourceId resource) const {
  if (pod_set >= pod_sets.size() || pod_sets[pod_set].admitted == nullptr) return FlavorId::none();
  for (const auto& [name, flavor] : pod_sets[pod_set].admitted->flavors) {
    if (name == resource) return tables.flavors.find(flavor);
  }
  return FlavorId::none();
}

std::optional<ReplacedSlice> find_replaced_slice(const Tables& tables, const Policy& policy,
                                                 WorkloadId workload, ClusterQueueId queue) {
  const std::string& key = tables.workloads[workload].spec.extras->replacement_for;
  if (key.empty() || !policy.kueue.gates.enabled(Gate::elastic_jobs_via_workload_slices)) {
    return std::nullopt;
  }
  const WorkloadId id = tables.workloads.find(key);
  if (id.is_none()) return std::nullopt;
  const WorkloadRow& old = tables.workloads[id];
  const bool holds_quota_here = old.standing == Standing::reserved && old.reserved_in == queue;
  if (!holds_quota_here || old.name_space != tables.workloads[workload].name_space) {
    return std::nullopt;
  }
  return ReplacedSlice{.workload = id, .pod_sets = pod_set_requests(old.spec)};
}

}  // namespace muster::core
