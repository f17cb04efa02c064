// What the nodes will have when those who leave are gone. A preemptor that would find no place then
// must not send anybody away, or both would take turns for ever; one that will find a place waits
// for it and keeps its quota, or those that it sent away would come back first.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// What was taken has its cell; none is made in a trial. Absurd products wrap, as when they were
// taken.
void give_one(Tables& tables, Trial& trial, NodeId node, ResourceId resource, std::int64_t amount) {
  if (!tables.free.has_cell(resource, node)) return;
  trial.add(tables.free.cell(resource, node), amount);
}

void give(Tables& tables, Trial& trial, NodeId node, const Amounts& requests, std::int64_t count) {
  for (const Amount& request : requests) {
    if (request.resource == tables.names.pods()) continue;
    const auto product = static_cast<std::int64_t>(static_cast<std::uint64_t>(request.amount) *
                                                   static_cast<std::uint64_t>(count));
    give_one(tables, trial, node, request.resource, product);
  }
  give_one(tables, trial, node, tables.names.pods(), count);
}

// Whether a gang that stays keeps the place of this pod for its successor.
bool keeps_place(const Tables& tables, const PodRow& pod) {
  const WorkloadId id = tables.workload_of(pod);
  return !id.is_none() && !tables.workloads[id].reservation->slots.empty();
}

void give_slots(Tables& tables, Trial& trial, const WorkloadRow& gang) {
  for (const Slot& slot : gang.reservation->slots) {
    give(tables, trial, slot.node, gang.spec.pod_sets[slot.pod_set].requests, slot.kept);
  }
  for (const PodId id : tables.gang_pods(gang)) {
    const PodRow& pod = tables.pods[id];
    if (pod.counted) give(tables, trial, pod.node, pod.spec.requests, 1);
  }
}

}  // namespace

void give_leaving_room(Cycle& cycle, Trial& trial, const Decision& entry) {
  Tables& tables = cycle.tables;
  std::vector<WorkloadId> gangs = cycle.preempted;
  for (const Target& target : entry.targets) gangs.push_back(target.workload);
  std::erase(gangs, entry.assignment->replaced_slice);  // its pods stay
  std::ranges::sort(gangs);
  gangs.erase(std::unique(gangs.begin(), gangs.end()), gangs.end());
  for (const WorkloadId id : gangs) give_slots(tables, trial, tables.workloads[id]);
  for (const PodId id : tables.leaving_pods) {
    const PodRow& pod = tables.pods[id];
    const WorkloadId gang = tables.workload_of(pod);
    const bool is_given = std::ranges::binary_search(gangs, gang);
    if (!is_given && !keeps_place(tables, pod)) give(tables, trial, pod.node, pod.spec.requests, 1);
  }
}

}  // namespace muster::core
