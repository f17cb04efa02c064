// ClusterState, the part of assumptions: decisions count from the moment they are made, until the
// write is seen as an event or refused.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/tables.h"
#include "core/preemption/candidate_order.h"
#include "objects/edit.h"

namespace muster::core {

void Tables::assume_status(WorkloadId id, const objects::Value& status) {
  WorkloadRow& row = workloads[id];
  row.assumed = objects::with(row.object, {"status"}, status).must();
  show_workload(id, row.assumed);
}

void Tables::assume_evicted(WorkloadId id) {
  workloads[id].assumed_evicted = true;
  refresh_candidate(*this, id);
}

void Tables::assume_bound(PodId id, std::string_view node, std::string_view address) {
  leave_pod(id);
  PodRow& row = pods[id];
  row.assumed_node = std::string(node);
  row.assumed_address = address;
  enter_pod(id);
}

void Tables::assume_unbindable(PodId id, std::string message) {
  const std::pair<Instant, std::string> place(pods[id].spec.created, pods.key(id));
  pods[id].telling = std::move(message);
  if (loose_pods.erase(place) > 0) parked_pods.insert(place);
}

void Tables::forget_workload(std::string_view key, std::string_view uid) {
  const WorkloadId id = workloads.find(key);
  if (id.is_none() || !workloads[id].present) return;
  WorkloadRow& row = workloads[id];
  if (!uid.empty() && row.uid != uid) return;
  if (row.assumed) {
    row.assumed = {};
    show_workload(id, row.object);
    return;
  }
  if (row.assumed_evicted) {
    row.assumed_evicted = false;
    refresh_candidate(*this, id);
    endangered.emplace(workloads.key(id), id);
    return;
  }
  row.telling.clear();
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
