// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology.h"

#include "core/model/tables.h"
#include "core/plan/policy.h"

namespace muster::core {

TopologyResult assign_topology(Tables&, const Policy&, const Workload&,
                               std::span<const TopologyPodSet> pod_sets, TopologyOptions) {
  TopologyResult result;
  result.pod_sets.resize(pod_sets.size());
  return result;
}

TopologyUsage topology_usage(const Tables&, FlavorId flavor, const Amounts& pod_requests,
                             const TopologyAssignment&, const TopologyAssignment*) {
  return {.flavor = flavor, .requests = pod_requests, .domains = {}};
}

void take_topology(Tables&, Trial&, std::span<const TopologyUsage>) {}
void give_topology(Tables&, Trial&, std::span<const TopologyUsage>) {}

bool topology_fits(const Tables&, const Policy&, std::span<const TopologyUsage>) {
  return true;
}

bool has_topology(const Tables&, FlavorId) {
  return false;
}

bool has_levels(const Tables&, FlavorId, const TopologyRequest&) {
  return false;
}

}  // namespace muster::core
