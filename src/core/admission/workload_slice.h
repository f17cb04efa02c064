// The slice of an elastic job that a workload replaces. A job that grows gets a new Workload for
// all its pods, which names the old one; the new one pays only for what it has more, has to stay
// with the same flavors, and ends the old one when it is admitted.
//
//   const auto slice = find_replaced_slice(tables, policy, workload, queue);
//   if (slice) missing -= amount_of(slice->pod_sets[0].requests, cpu);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/admission/pod_set_requests.h"
#include "core/model/ids.h"

namespace muster::core {

struct Policy;
struct Tables;

struct ReplacedSlice {
  WorkloadId workload;
  std::vector<PodSetRequests> pod_sets;

  // Zero where it has no such pod set or asks for none of it.
  std::int64_t requested(std::string_view pod_set, ResourceId resource) const;

  // The flavor that a pod set of it has; none where it has none.
  FlavorId flavor(const Tables& tables, std::size_t pod_set, ResourceId resource) const;
};

// Nothing unless the old one holds quota in the same queue and namespace.
std::optional<ReplacedSlice> find_replaced_slice(const Tables& tables, const Policy& policy,
                                                 WorkloadId workload, ClusterQueueId queue);

}  // namespace muster::core
