// Whether the nodes, were they empty, could take a gang. One that no node will ever take must not
// hold a start that others have to wait for.
// SPDX-License-Identifier: Apache-2.0
#include "core/placement/place_gang.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// A node that has none of a resource may have no cell for it, and none may be made in a trial.
void empty_nodes(Tables& tables, Trial& trial) {
  tables.nodes.for_each([&](NodeId id, const NodeRow& row) {
    for (const Amount& amount : row.spec.allocatable) {
      if (!tables.free.has_cell(amount.resource, id)) continue;
      trial.set(tables.free.cell(amount.resource, id), amount.amount);
    }
  });
}

bool fits_in(Cycle& cycle, const Workload& workload, const ResourceFlavor* flavor) {
  std::vector<GangPart> parts;
  for (const GangPodSet& set : workload.pod_sets) {
    GangPart& part = parts.emplace_back();
    part.pod_set = set.name;
    part.requests = &set.requests;
    part.count = set.effective_count();
    part.wish.terms = &set.terms;
    if (flavor != nullptr) part.wish.flavors.push_back(flavor);
  }
  Trial trial(cycle.tables.undo);
  empty_nodes(cycle.tables, trial);
  return place_gang(cycle.tables, trial, parts).fits();
}

}  // namespace

bool has_hope(Cycle& cycle, WorkloadId id, ClusterQueueId queue) {
  if (placement_in(cycle, queue) == Placement::none) return true;
  const auto known = cycle.hopes.find(id);
  if (known != cycle.hopes.end()) return known->second;
  const Tables& tables = cycle.tables;
  const Workload& workload = tables.workloads[id].spec;
  const auto& groups = tables.cluster_queues[queue].spec.groups;
  bool fits = false;
  // Flavors of several groups combine in many ways: there only the nodes are asked.
  if (groups.size() != 1) fits = fits_in(cycle, workload, nullptr);
  for (std::size_t i = 0; groups.size() == 1 && !fits && i < groups[0].flavors.size(); ++i) {
    const FlavorId flavor = tables.flavors.find(groups[0].flavors[i].flavor);
    fits = !flavor.is_none() && fits_in(cycle, workload, &tables.flavors[flavor].spec);
  }
  cycle.hopes.emplace(id, fits);
  return fits;
}

}  // namespace muster::core
