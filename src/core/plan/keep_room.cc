// Where gangs are only checked against the nodes and another scheduler places them, an admitted
// gang has no nodes to its name until its pods are bound. Room for those pods is set aside first,
// so that the next gang is not admitted to the same room.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/placement/place_gang.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// Pods of the set that stand on no node yet.
std::int64_t floating(const Tables& tables, const WorkloadRow& row, std::uint32_t index,
                      std::int64_t count) {
  for (const PodId id : tables.gang_pods(row)) {
    const PodRow& pod = tables.pods[id];
    const bool needs_none = pod.counted || pod.spec.is_succeeded;
    if (needs_none && tables.pod_set_of(row, pod) == index) --count;
  }
  return std::max<std::int64_t>(count, 0);
}

void keep_room_of(Cycle& cycle, const WorkloadRow& row) {
  Tables& tables = cycle.tables;
  for (const PodSetAssignment& assignment : row.spec.admission->pod_sets) {
    const auto set = std::ranges::find(row.spec.pod_sets, assignment.name, &GangPodSet::name);
    if (set == row.spec.pod_sets.end() || assignment.pinned) continue;
    const auto index = static_cast<std::uint32_t>(set - row.spec.pod_sets.begin());
    GangPart part{.pod_set = set->name, .requests = &set->requests, .wish = {}, .count = 0};
    part.wish.terms = &set->terms;
    for (const auto& [resource, name] : assignment.flavors) {
      const FlavorId flavor = tables.flavors.find(name);
      if (!flavor.is_none()) part.wish.flavors.push_back(&tables.flavors[flavor].spec);
    }
    part.count = floating(tables, row, index, std::min(assignment.count, set->effective_count()));
    if (part.count == 0) continue;
    // Where the nodes have changed since, as many as still find room.
    const GangPlacement placed = place_gang(tables, cycle.trial, {&part, 1});
    if (placed.fits()) continue;
    part.count = placed.failure->fit;
    place_gang(tables, cycle.trial, {&part, 1});
  }
}

}  // namespace

void keep_room(Cycle& cycle) {
  if (cycle.keeps_room) return;
  cycle.keeps_room = true;
  std::map<std::string, WorkloadId> floating_gangs;
  cycle.tables.cluster_queues.for_each([&](ClusterQueueId queue, const ClusterQueueRow& row) {
    if (placement_in(cycle, queue) != Placement::checked) return;
    for (const WorkloadId id : row.reserving) {
      if (cycle.tables.workloads[id].reservation->slots.empty()) {
        floating_gangs.emplace(cycle.tables.workloads.key(id), id);
      }
    }
  });
  for (const auto& [key, id] : floating_gangs) keep_room_of(cycle, cycle.tables.workloads[id]);
}

}  // namespace muster::core
