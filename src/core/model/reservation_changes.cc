// ClusterState, the part of reservations: what a workload that holds quota takes from its queue,
// from nodes and from topologies, and gives back.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/model/tables.h"
#include "core/model/workload_usage.h"
#include "core/preemption/candidate_order.h"

namespace muster::core {

void Tables::enter_reservation(WorkloadId id, ClusterQueueId in) {
  WorkloadRow& row = workloads[id];
  row.reserved_in = in.is_none() ? cluster_queues.hold(row.spec.admission->cluster_queue)
                                 : cluster_queues.hold(in);
  Reservation& reservation = row.reservation.make(reservations);
  reservation.holds = usage_of_admission(*this, row.spec);
  ClusterQueueRow& queue = cluster_queues[row.reserved_in];
  queue.reserving.add(
      id, [&](WorkloadId each) -> std::uint32_t& { return place_in(reserving_places_, each); });
  enter_candidates(*this, id);
  if (!queue.node.is_none()) {
    for (const FlavorUsage& hold : reservation.holds) {
      quota.add_usage(queue.node, hold.flavor_resource, hold.amount);
    }
  }
  count_unready(id, !queue.node.is_none() && !row.spec.are_pods_ready);
  enter_slots(id);
  enter_topologies(id);
}

void Tables::leave_reservation(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.reserved_in.is_none()) return;
  ClusterQueueRow& queue = cluster_queues[row.reserved_in];
  if (!queue.node.is_none()) {
    for (const FlavorUsage& hold : row.reservation->holds) {
      quota.remove_usage(queue.node, hold.flavor_resource, hold.amount);
    }
  }
  ++queue.removals;
  leave_candidates(*this, id);
  count_unready(id, false);
  leave_topologies(id);
  for (Slot& slot : row.reservation.edit().slots) {
    keep_room(row, slot, 0);
    if (!row.spec.pod_sets[slot.pod_set].neighbours.unwanted.empty()) --distance_keepers;
    nodes.release(slot.node);
  }
  row.reservation.reset();
  queue.reserving.remove(
      id, [&](WorkloadId each) -> std::uint32_t& { return place_in(reserving_places_, each); });
  cluster_queues.release(row.reserved_in);
  row.reserved_in = ClusterQueueId::none();
}

// Where admissions wait for ready pods, the last one that gets ready lets them go on.
void Tables::count_unready(WorkloadId id, bool counts) {
  WorkloadRow& row = workloads[id];
  if (row.is_counted_unready == counts) return;
  row.is_counted_unready = counts;
  if (counts) {
    ++not_ready_count;
  } else if (--not_ready_count == 0 && configuration.wait_for_pods_ready.block_admission) {
    cluster_queues.for_each([&](ClusterQueueId queue, const ClusterQueueRow&) { stir(queue); });
  }
}

// Slots are taken from their nodes, less those in which a pod of the gang stands.
void Tables::enter_slots(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  ShortList<Slot, 1>& slots = row.reservation.edit().slots;
  for (const PodSetAssignment& assignment : row.spec.admission->pod_sets) {
    const auto set = std::ranges::find(row.spec.pod_sets, assignment.name, &GangPodSet::name);
    if (set == row.spec.pod_sets.end()) continue;
    const auto index = static_cast<std::uint32_t>(set - row.spec.pod_sets.begin());
    for (const AssignedDomain& domain : assignment.domains) {
      slots.push_back({nodes.hold(domain.node), index, domain.count});
      if (!set->neighbours.unwanted.empty()) ++distance_keepers;
    }
  }
  if (slots.empty()) return;
  note_company();
  for (const PodId pod_id : gang_pods(row)) {
    const PodRow& pod = pods[pod_id];
    if (!pod.counted) continue;
    const auto set = pod_set_of(row, pod);
    for (Slot& slot : slots) {
      if (set && slot.pod_set == *set && slot.node == pod.node) {
        ++slot.bound;
        break;
      }
    }
  }
  for (Slot& slot : slots) {
    if (row.spec.is_elastic) {
      keep_room_for_set(row, slot.pod_set);
    } else {
      keep_room(row, slot, std::max<std::int64_t>(slot.count - slot.bound, 0));
    }
    if (has_failed(slot.node)) endangered.emplace(workloads.key(id), id);
  }
}

}  // namespace muster::core
