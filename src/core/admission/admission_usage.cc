// SPDX-License-Identifier: Apache-2.0
#include "core/admission/admission_usage.h"

#include <algorithm>

#include "core/model/workload_usage.h"
#include "core/placement/topology.h"

namespace muster::core {

namespace {

// The flavor of the pod set that has a topology; none where several have.
FlavorId topology_flavor(const Tables& tables, const PodSetFlavors& set) {
  FlavorId found;
  for (const FlavorAssignment& assigned : set.flavors) {
    if (assigned.flavor == found || !has_topology(tables, assigned.flavor)) continue;
    if (!found.is_none()) return FlavorId::none();
    found = assigned.flavor;
  }
  return found;
}

std::vector<TopologyUsage> topology_of(const Tables& tables, const Decision& decision) {
  std::vector<TopologyUsage> usage;
  const Workload& workload = tables.workloads[decision.workload].spec;
  for (const PodSetFlavors& set : decision.assignment->pod_sets) {
    if (!set.topology) continue;
    const FlavorId flavor = topology_flavor(tables, set);
    if (flavor.is_none()) continue;
    const auto before =
        std::ranges::find(workload.admission->pod_sets, set.pod_set, &PodSetAssignment::name);
    const bool has_before = before != workload.admission->pod_sets.end() && before->topology;
    usage.push_back(topology_usage(tables, flavor, workload.pod_sets[set.index].requests,
                                   *set.topology, has_before ? &*before->topology : nullptr));
  }
  return usage;
}

}  // namespace

AdmissionUsage net_usage(const Tables& tables, const Decision& decision) {
  AdmissionUsage usage;
  if (!decision.is_second_pass) usage.quota = decision.assignment->usage;
  usage.topology = topology_of(tables, decision);
  return usage;
}

AdmissionUsage usage_to_reserve(const Tables& tables, const Decision& decision) {
  AdmissionUsage usage = net_usage(tables, decision);
  if (decision.assignment->mode != AssignmentMode::preempt) return usage;
  const QuotaNodeId node = tables.cluster_queues[decision.queue].node;
  for (FlavorUsage& each : usage.quota) {
    const FlavorResourceId pair = each.flavor_resource;
    const std::int64_t nominal = tables.quota.nominal(node, pair);
    const std::int64_t used = tables.quota.usage(node, pair);
    if (decision.assignment->borrow == 0) {
      each.amount = std::max<std::int64_t>(0, std::min(each.amount, amount_minus(nominal, used)));
    } else if (const auto limit = tables.quota.borrowing_limit(node, pair)) {
      each.amount = std::min(each.amount, amount_minus(amount_plus(nominal, *limit), used));
    }
  }
  return usage;
}

FitCheck check_fit(const Tables& tables, const Policy& policy, ClusterQueueId queue,
                   const AdmissionUsage& usage) {
  if (!usage_fits(tables, queue, usage.quota)) return FitCheck::no_quota;
  if (!usage.topology.empty() && !topology_fits(tables, policy, usage.topology)) {
    return FitCheck::no_topology;
  }
  return FitCheck::fits;
}

void take(Tables& tables, Trial& trial, ClusterQueueId queue, const AdmissionUsage& usage) {
  take_usage(tables, trial, queue, usage.quota);
  if (!usage.topology.empty()) take_topology(tables, trial, usage.topology);
}

void give(Tables& tables, Trial& trial, ClusterQueueId queue, const AdmissionUsage& usage) {
  give_usage(tables, trial, queue, usage.quota);
  if (!usage.topology.empty()) give_topology(tables, trial, usage.topology);
}

}  // namespace muster::core
