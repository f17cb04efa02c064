// SPDX-License-Identifier: Apache-2.0
#include "core/model/workload_usage.h"

#include <algorithm>

#include "base/checked.h"
#include "core/placement/topology.h"

namespace muster::core {

namespace {

// How many pods of the set still count, after those that were given back.
std::int64_t count_left(const Workload& workload, const PodSetAssignment& assignment) {
  const auto set = std::ranges::find(workload.pod_sets, assignment.name, &GangPodSet::name);
  return set == workload.pod_sets.end() ? 0 : set->effective_count();
}

std::int64_t scaled(std::int64_t amount, std::int64_t count, std::int64_t left) {
  if (left >= count) return amount;  // no more pods than were admitted, which may be a part of them
  return saturating_multiply(amount / count, left);
}

}  // namespace

Usage usage_of_admission(Tables& tables, const Workload& workload) {
  Usage usage;
  for (const PodSetAssignment& assignment : workload.admission->pod_sets) {
    const std::int64_t left = count_left(workload, assignment);
    for (const Amount& entry : assignment.usage) {
      std::string_view flavor;
      for (const auto& [resource, name] : assignment.flavors) {
        if (resource == entry.resource) flavor = name;
      }
      FlavorId id = tables.flavor_named(flavor);
      const bool is_known = !id.is_none();
      if (!is_known) id = tables.flavors.hold(flavor);
      const FlavorResourceId pair = tables.flavor_resource(id, entry.resource);
      if (!is_known) tables.flavors.release(id);
      if (pair.is_none()) continue;
      const std::int64_t amount = scaled(entry.amount, assignment.count, left);
      const auto at = std::ranges::find(usage, pair, &FlavorUsage::flavor_resource);
      if (at == usage.end()) {
        usage.push_back({pair, amount});
      } else {
        at->amount = amount_plus(at->amount, amount);
      }
    }
  }
  if (usage.size() < 2) return usage;
  std::ranges::sort(usage, [&](const FlavorUsage& a, const FlavorUsage& b) {
    const FlavorResources& pairs = tables.flavor_resources;
    const std::string& left = tables.flavors.key(pairs.flavor(a.flavor_resource));
    const std::string& right = tables.flavors.key(pairs.flavor(b.flavor_resource));
    if (left != right) return left < right;
    return tables.names.name(pairs.resource(a.flavor_resource)) <
           tables.names.name(pairs.resource(b.flavor_resource));
  });
  return usage;
}

void take_usage(Tables& tables, Trial& trial, ClusterQueueId queue, const Usage& usage) {
  const QuotaNodeId node = tables.cluster_queues[queue].node;
  if (node.is_none()) return;
  for (const FlavorUsage& entry : usage) {
    tables.quota.add_usage(trial, node, entry.flavor_resource, entry.amount);
  }
}

void give_usage(Tables& tables, Trial& trial, ClusterQueueId queue, const Usage& usage) {
  const QuotaNodeId node = tables.cluster_queues[queue].node;
  if (node.is_none()) return;
  for (const FlavorUsage& entry : usage) {
    tables.quota.remove_usage(trial, node, entry.flavor_resource, entry.amount);
  }
}

void release_usage(Tables& tables, Trial& trial, WorkloadId workload) {
  WorkloadRow& row = tables.workloads[workload];
  trial.add(row.reservation.edit().released, 1);
  trial.add(tables.released, 1);
  give_usage(tables, trial, row.reserved_in, row.reservation->holds);
  give_topology(tables, trial, workload);
}

void restore_usage(Tables& tables, Trial& trial, WorkloadId workload) {
  WorkloadRow& row = tables.workloads[workload];
  trial.add(row.reservation.edit().released, -1);
  trial.add(tables.released, -1);
  take_usage(tables, trial, row.reserved_in, row.reservation->holds);
  take_topology(tables, trial, workload);
}

bool usage_fits(const Tables& tables, ClusterQueueId queue, const Usage& usage) {
  const QuotaNodeId node = tables.cluster_queues[queue].node;
  if (node.is_none()) return usage.empty();
  return std::ranges::all_of(usage, [&](const FlavorUsage& entry) {
    const std::int64_t left = tables.quota.available(node, entry.flavor_resource);
    return std::max<std::int64_t>(0, left) >= entry.amount;
  });
}

}  // namespace muster::core
