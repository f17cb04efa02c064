// ClusterState, the part of Workloads: what one takes from quota and nodes, and where it waits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/model/incarnation.h"
#include "core/model/second_pass.h"
#include "core/model/tables.h"
#include "core/model/workload_usage.h"
#include "core/preemption/candidate_order.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

bool is_same_condition(View before, View now, std::string_view type) {
  return objects::condition(before, type) == objects::condition(now, type);
}

// Whether a pending workload asks the same as before: then its last answer still holds.
bool asks_the_same(const Workload& before, const Workload& now, View old_object, View object) {
  return before.is_pending() && now.is_pending() && old_object["spec"] == object["spec"] &&
         old_object["status"]["reclaimablePods"] == object["status"]["reclaimablePods"] &&
         is_same_condition(old_object, object, "Evicted") &&
         is_same_condition(old_object, object, "Requeued") &&
         before.priority_boost == now.priority_boost &&
         before.has_closed_preemption_gate == now.has_closed_preemption_gate &&
         before.has_failed_checks == now.has_failed_checks && before.equivalence == now.equivalence;
}

// Whether a priority that may change at run time did.
bool has_new_priority(const Workload& before, const Workload& now, View object) {
  const View reference = object["spec"]["priorityClassRef"];
  return reference["kind"].string_or("") == "WorkloadPriorityClass" &&
         before.effective_priority() != now.effective_priority();
}

bool is_scaled_down(const Workload& before, const Workload& now) {
  bool has_fewer = false;
  for (std::size_t i = 0; i < std::min(before.pod_sets.size(), now.pod_sets.size()); ++i) {
    if (now.pod_sets[i].count > before.pod_sets[i].count) return false;
    has_fewer = has_fewer || now.pod_sets[i].count < before.pod_sets[i].count;
  }
  return has_fewer;
}

// Whether others may start because of what became of this one.
bool makes_way(const Workload& before, const Workload& now, View old_object, View object) {
  if (now.is_finished || !now.is_active) return true;
  if (!before.is_quota_reserved) return false;
  if (!now.is_quota_reserved || is_scaled_down(before, now)) return true;
  if (before.is_admitted && now.is_admitted &&
      !(old_object["status"]["reclaimablePods"] == object["status"]["reclaimablePods"])) {
    return true;
  }
  return has_new_priority(before, now, object);
}

// Whether the reservation that the object shows is another than the one it had.
bool is_decided_anew(View before, View now) {
  const View status = before["status"];
  return !is_true(objects::condition(before, "QuotaReserved")) ||
         is_true(objects::condition(now, "Evicted")) ||
         !(status["admission"] == now["status"]["admission"]) ||
         !(status["unhealthyNodes"] == now["status"]["unhealthyNodes"]);
}

// Those who share quota with the queue that the workload was sent to. Where that way is closed
// Kueue wakes nobody, and so does a plan; a running scheduler must not leave others asleep.
void wake_others(Tables& tables, const WorkloadRow& row, ClusterQueueId reserved_in) {
  if (!row.local_queue.is_none()) {
    const Blocker blocker = tables.blocker_of(row);
    if (blocker == Blocker::none || blocker == Blocker::cluster_queue_inactive) {
      return tables.wake_tree(tables.local_queues[row.local_queue].cluster_queue);
    }
  }
  if (!reserved_in.is_none() && !tables.holds_retries) tables.wake_tree(reserved_in);
}

}  // namespace

void Tables::enter_reservation(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  row.reserved_in = cluster_queues.hold(row.spec.admission.cluster_queue);
  row.holds = usage_of_admission(*this, row.spec);
  ClusterQueueRow& queue = cluster_queues[row.reserved_in];
  queue.reserving.insert(id);
  enter_candidates(*this, id);
  if (!queue.node.is_none()) {
    for (const FlavorUsage& hold : row.holds) {
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
    for (const FlavorUsage& hold : row.holds) {
      quota.remove_usage(queue.node, hold.flavor_resource, hold.amount);
    }
  }
  ++queue.removals;
  leave_candidates(*this, id);
  count_unready(id, false);
  row.holds.clear();
  leave_topologies(id);
  for (const Slot& slot : row.slots) {
    const std::int64_t empty = std::max<std::int64_t>(slot.count - slot.bound, 0);
    add_to_node(slot.node, row.spec.pod_sets[slot.pod_set].requests, empty);
    free.add(names.pods(), slot.node, empty);
    if (!row.spec.pod_sets[slot.pod_set].neighbours.unwanted.empty()) --distance_keepers;
    nodes.release(slot.node);
  }
  row.slots.clear();
  queue.reserving.erase(id);
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

void Tables::plan_second_pass(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.second_pass_at) second_passes.erase({*row.second_pass_at, id});
  // Kueue looks at a deactivated one too, and so does a plan.
  const bool is_there =
      row.standing == Standing::reserved || (row.standing == Standing::resting && holds_retries);
  const bool is_needed =
      is_there && !row.assumed && !row.assumed_evicted && needs_second_pass(row.spec);
  if (!is_needed) {
    row.second_pass_at.reset();
    if (!row.assumed) row.second_pass_tries = 0;
    return;
  }
  if (!row.second_pass_at) row.second_pass_at = now;
  second_passes.emplace(*row.second_pass_at, id);
}

// Slots are taken from their nodes, less those in which a pod of the gang stands.
void Tables::enter_slots(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  for (const PodSetAssignment& assignment : row.spec.admission.pod_sets) {
    const auto set = std::ranges::find(row.spec.pod_sets, assignment.name, &GangPodSet::name);
    if (set == row.spec.pod_sets.end()) continue;
    const auto index = static_cast<std::uint32_t>(set - row.spec.pod_sets.begin());
    for (const AssignedDomain& domain : assignment.domains) {
      row.slots.push_back({nodes.hold(domain.node), index, domain.count, 0});
      if (!set->neighbours.unwanted.empty()) ++distance_keepers;
    }
  }
  if (row.slots.empty()) return;
  for (const PodId pod_id : gang_pods(row)) {
    const PodRow& pod = pods[pod_id];
    if (!pod.counted) continue;
    const auto set = pod_set_of(row, pod);
    for (Slot& slot : row.slots) {
      if (set && slot.pod_set == *set && slot.node == pod.node) {
        ++slot.bound;
        break;
      }
    }
  }
  for (const Slot& slot : row.slots) {
    const std::int64_t empty = std::max<std::int64_t>(slot.count - slot.bound, 0);
    add_to_node(slot.node, row.spec.pod_sets[slot.pod_set].requests, -empty);
    free.add(names.pods(), slot.node, -empty);
    if (has_failed(slot.node)) endangered.emplace(workloads.key(id), id);
  }
}

// Its namespace, queue and owner, which seldom change with its status.
void Tables::enter_names(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const objects::ObjectKey object = object_key(workloads.key(id));
  row.name_space = namespaces.hold(object.name_space);
  row.local_queue = local_queues.hold(object.name_space + "/" + row.spec.queue_name);
  if (row.spec.owner_uid.empty()) return;
  row.owner = owners.hold(row.spec.owner_uid);
  owners[row.owner].workloads.insert(id);
  for (const PodId pod : owners[row.owner].pods) look_at_loose(pod);
}

void Tables::leave_names(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.name_space.is_none()) return;
  list_in_queue(id, false);
  local_queues.release(row.local_queue);
  row.local_queue = LocalQueueId::none();
  namespaces.release(row.name_space);
  row.name_space = NamespaceId::none();
  if (row.owner.is_none()) return;
  owners[row.owner].workloads.erase(id);
  for (const PodId pod : owners[row.owner].pods) look_at_loose(pod);
  owners.release(row.owner);
  row.owner = OwnerId::none();
}

void Tables::list_in_queue(WorkloadId id, bool is_listed) {
  WorkloadRow& row = workloads[id];
  if (row.is_listed == is_listed) return;
  row.is_listed = is_listed;
  std::set<WorkloadId>& list = local_queues[row.local_queue].workloads;
  if (is_listed) {
    list.insert(id);
  } else {
    list.erase(id);
  }
}

void Tables::enter(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (row.name_space.is_none()) enter_names(id);
  list_in_queue(id, row.invalid.empty() && !row.spec.is_finished);
  if (!row.invalid.empty()) {
    row.standing = Standing::invalid;
    untold.emplace(key, id);
    return;
  }
  if (row.spec.is_finished) {
    row.standing = Standing::finished;
    return;
  }
  row.standing = Standing::resting;
  if (row.spec.holds_quota()) {
    row.standing = Standing::reserved;
    enter_reservation(id);
    bind_candidates.emplace(key, id);
  }
  plan_second_pass(id);
}

void Tables::leave(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  dequeue(id);
  leave_reservation(id);
  bind_candidates.erase(key);
  endangered.erase(key);
  if (row.second_pass_at) second_passes.erase({*row.second_pass_at, id});
  row.standing = Standing::absent;
}

// The row shows this object from now on, the one that was seen or the one that is assumed.
void Tables::show_workload(WorkloadId id, const Value& object) {
  WorkloadRow& row = workloads[id];
  const Value old_object = row.object;
  const Standing standing = row.standing;
  const bool for_place = waiting_for_place.contains(workloads.key(id));
  const bool was_parked = pending.place_of(id) == PendingPlace::inadmissible;
  const bool was_active = pending.place_of(id) == PendingPlace::active;
  const bool was_told = !untold.contains(workloads.key(id));
  const auto preemptor = pending.preemptor(id);
  const ClusterQueueId queued_in = row.queued_in;
  const LocalQueueId local_queue = row.local_queue;
  const std::size_t slots = row.slots.size();
  const ClusterQueueId reserved_in = row.reserved_in;
  if (!reserved_in.is_none()) cluster_queues.hold(reserved_in);
  leave(id);
  row.object = object;  // also where `object` is the row's own
  Workload before = std::move(row.spec);
  const RequestRules rules = request_rules(objects::namespace_of(row.object));
  auto read = row.rules_version == rules_version
                  ? read_workload_again(row.object, names, rules, old_object, before)
                  : read_workload(row.object, names, rules);
  row.rules_version = rules_version;
  if (read) {
    row.spec = *std::move(read);
    row.invalid.clear();
  } else {
    row.spec = {};
    row.invalid = read.error().to_string();
  }
  if (row.spec.queue_name != before.queue_name || row.spec.owner_uid != before.owner_uid) {
    leave_names(id);
  }
  enter(id);
  const bool was_there = standing != Standing::absent;
  if (was_there &&
      (row.local_queue != local_queue || !row.spec.is_active || row.spec.is_finished)) {
    forgive_admission(local_queue, id);
  }
  if (row.assumed_evicted) row.spec.is_evicted = true;
  // A search through the flavors goes on as long as it is the same search.
  if (!configuration.gates.enabled(Gate::flavor_fungibility_preserve_scan_progress) ||
      (row.spec.equivalence != before.equivalence && row.spec.equivalence != 0 &&
       before.equivalence != 0)) {
    row.last_tried = {};
  }
  if (row.standing == Standing::resting) {
    const bool same = asks_the_same(before, row.spec, old_object, row.object);
    enqueue(id, same && was_parked);
    if (was_active && row.queued_in == queued_in) pending.unpark(id);
    if (preemptor && row.queued_in == queued_in) pending.set_preemptor(id, *preemptor);
    if (same && for_place && row.standing == Standing::waiting) {
      waiting_for_place.emplace(workloads.key(id), id);
    }
    if (same && was_told && standing == row.standing) untold.erase(workloads.key(id));
  }
  if (was_there && makes_way(before, row.spec, old_object, row.object)) {
    wake_others(*this, row, reserved_in);
  }
  if (!reserved_in.is_none()) cluster_queues.release(reserved_in);
  if (slots > 0 && row.slots.size() != slots) wake_for_places();
}

void Tables::remove_workload(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const bool had_slots = !row.slots.empty();
  if (row.standing != Standing::absent) wake_others(*this, row, row.reserved_in);
  forgive_admission(row.local_queue, id);
  leave(id);
  leave_names(id);
  if (had_slots) wake_for_places();
  std::set<PodId> members = std::move(row.pods);
  row = WorkloadRow();
  row.pods = std::move(members);
}

void Tables::apply_workload(const Event& event) {
  const std::string key = row_key(event.object);
  WorkloadId id = workloads.find(key);
  if (id.is_none() && event.type == EventType::remove) return;
  const Step step = id.is_none() ? Step::update : next_step(workloads[id], event);
  if (step == Step::ignore) return;
  if (step == Step::remove || step == Step::replace) {
    remove_workload(id);
    if (step == Step::remove) workloads.release(id);
  }
  if (step == Step::remove) return;
  if (id.is_none()) {
    id = workloads.hold(key);
  } else if (step == Step::update && !workloads[id].present) {
    workloads.hold(id);
  }
  WorkloadRow& row = workloads[id];
  const std::string invalid = row.invalid;
  take_identity(row, event);
  row.invalid = invalid;
  const View reserved = objects::condition(event.object, "QuotaReserved");
  const bool is_over = is_true(objects::condition(event.object, "Finished"));
  if (is_over || !is_true(reserved) || is_true(objects::condition(event.object, "Evicted"))) {
    row.assumed_evicted = false;
    refresh_candidate(*this, id);
  }
  const bool is_told =
      is_over || is_true(reserved) || reserved["message"].string_or("") == row.telling;
  // An assumed admission stands until its own write is seen, or forget() says it was refused.
  const bool is_seen = is_over || (is_true(reserved) && is_decided_anew(row.object, event.object));
  if (row.assumed && !is_seen) {
    row.object = event.object;
    return;
  }
  row.assumed = false;
  const bool was_seen = row.object.view().is_object();
  const bool was_admitted = is_true(objects::condition(row.object, "Admitted"));
  show_workload(id, event.object);
  row.object = event.object;
  if (was_seen && !was_admitted && row.standing == Standing::reserved && row.spec.is_admitted) {
    settle_admission(id);
  }
  if (is_told && !row.telling.empty()) end_telling(id);
}

}  // namespace muster::core
