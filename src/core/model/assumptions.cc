// ClusterState, the part of assumptions: decisions count from the moment they are made, until the
// write is seen as an event or refused.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/model/tables.h"
#include "core/preemption/candidate_order.h"
#include "core/words.h"

namespace muster::core {

// The row shows the admission as if it had been read.
void Tables::assume_admission(WorkloadId id, ClusterQueueId queue, Admission admission,
                              bool is_admitted) {
  WorkloadRow& row = workloads[id];
  const bool is_new = !row.spec.is_quota_reserved;
  dequeue(id);
  leave_reservation(id);
  row.assumed = true;
  row.assumed_evicted = false;
  row.last_tried = {};
  set_telling(id, {});
  Workload& spec = row.spec;
  if (!spec.is_quota_reserved) spec.reserved_at = now;
  if (is_admitted && !spec.is_admitted) spec.admitted_at = now;
  spec.is_quota_reserved = true;
  spec.is_admitted = is_admitted;
  spec.is_evicted = false;
  spec.was_preempted = false;
  if (!spec.extras->unhealthy_nodes.empty()) spec.extras.edit().unhealthy_nodes.clear();
  spec.admission = std::move(admission);
  row.standing = Standing::reserved;
  enter_reservation(id, queue);
  plan_second_pass(id);
  if (is_new) charge_admission(id);
  refresh_booking(id);
}

// It holds what it has until it has stopped; nobody counts on it to stay.
void Tables::assume_evicted(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  row.assumed_evicted = true;
  row.spec.is_evicted = true;
  row.spec.evicted_at = now;
  plan_second_pass(id);
  refresh_candidate(*this, id);
  refresh_booking(id);
}

void Tables::assume_bound(PodId id, std::string_view node, std::string_view address) {
  leave_pod(id);
  PodRow& row = pods[id];
  row.assumed_node = std::string(node);
  row.assumed_address = address == words::no_address ? std::string_view() : address;
  enter_pod(id);
  note_company();
}

void Tables::assume_unbindable(PodId id, std::string_view message) {
  const std::pair<Instant, std::string> place(pods[id].spec.created, pods.key(id));
  pods[id].telling = message;
  if (loose_pods.erase(place) > 0) parked_pods.insert(place);
}

void Tables::assume_refused(PodId id) {
  pods[id].assumed_refused = true;
  look_at_arrived(id);
}

void Tables::forget_workload(std::string_view key, std::string_view uid) {
  const WorkloadId id = workloads.find(key);
  if (id.is_none() || !workloads[id].present) return;
  WorkloadRow& row = workloads[id];
  if (!uid.empty() && row.uid != uid) return;
  set_telling(id, {});  // nothing is under way any more
  if (row.assumed) {
    row.assumed = false;
    row.assumed_evicted = false;
    row.is_wanted_gone = false;
    forgive_admission(row.local_queue, id);
    show_workload_again(id);
    return;
  }
  if (row.assumed_evicted) {
    row.assumed_evicted = false;
    show_workload_again(id);
    endangered.emplace(workloads.key(id), id);
    if (!row.reserved_in.is_none()) stir_tree(row.reserved_in);
    return;
  }
  if (row.standing == Standing::waiting || row.standing == Standing::stranded) {
    dequeue(id);
    enqueue(id, false);
  } else if (row.standing == Standing::invalid) {
    untold.emplace(workloads.key(id), id);
  }
}

void Tables::forget_pod(std::string_view key, std::string_view uid) {
  const PodId id = pods.find(key);
  if (id.is_none() || !pods[id].present) return;
  PodRow& row = pods[id];
  if (!uid.empty() && row.uid != uid) return;
  if (std::exchange(row.assumed_refused, false)) return look_at_arrived(id);
  if (!row.assumed_node) {
    row.telling.clear();
    parked_pods.erase({row.spec.created, std::string(key)});
    look_at_loose(id);
    return;
  }
  leave_pod(id);
  row.assumed_node.reset();
  row.assumed_address.clear();
  enter_pod(id);
  wake_for_places();
}

}  // namespace muster::core
