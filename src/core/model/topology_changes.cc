// ClusterState, the part of topologies: which events change the trees of flavors, and how.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/model/incarnation.h"
#include "core/model/tables.h"

namespace muster::core {

void Tables::apply_topology(const Event& event) {
  const std::string key = row_key(event.object);
  TopologyId id = topologies.rows.find(key);
  if (id.is_none() && event.type == EventType::remove) return;
  const Step step = id.is_none() ? Step::update : next_step(topologies.rows[id], event);
  if (step == Step::ignore) return;
  if (id.is_none()) id = topologies.rows.hold(key);
  TopologyRow& row = topologies.rows[id];
  if (step == Step::remove) {
    row = TopologyRow();
    topologies.rows.release(id);
  } else {
    take_identity(row, event);
    auto read = read_topology(event.object);
    if (read && row.spec == *read) return;
    if (!read) row.invalid = read.error().to_string();
    row.spec = read ? *std::move(read) : Topology();
  }
  topologies.forget_trees();
  cluster_queues.for_each([&](ClusterQueueId queue, const ClusterQueueRow& queue_row) {
    const bool names_it = std::ranges::any_of(queue_row.groups, [&](const auto& group) {
      return std::ranges::any_of(group, [&](const GroupFlavor& flavor) {
        return flavors[flavor.flavor].spec.topology_name == key;
      });
    });
    if (!names_it) return;
    refresh_activity(queue);
    requeue_all_of(queue);
  });
}

void Tables::note_node_change(NodeId id, const Node& before, bool was_present, bool was_valid) {
  const NodeRow& row = nodes[id];
  const Node& now_ = row.spec;
  const bool stands_as_before = was_present && row.present && was_valid && row.invalid.empty() &&
                                before.is_ready == now_.is_ready &&
                                before.is_unschedulable == now_.is_unschedulable &&
                                before.labels == now_.labels && before.taints == now_.taints;
  if (stands_as_before) {
    topologies.change_capacity(names, id, before, now_);
  } else {
    topologies.forget_trees();
  }
  wake_for_topologies();
}

// Queues whose flavors have topologies: room for their workloads may have come. (Kueue asks all
// active queues, and so does a plan: ClusterState::apply.)
void Tables::wake_for_topologies() {
  if (topologies.rows.size() == 0 || holds_retries) return;
  cluster_queues.for_each([&](ClusterQueueId queue, const ClusterQueueRow& row) {
    const bool has_one = std::ranges::any_of(row.groups, [&](const auto& group) {
      return std::ranges::any_of(group, [&](const GroupFlavor& flavor) {
        return !flavors[flavor.flavor].spec.topology_name.empty();
      });
    });
    if (has_one) wake_tree(queue);
  });
}

// One hold for each flavor of a pod set that has a topology, as Kueue counts the usage.
void Tables::enter_topologies(WorkloadId id) {
  if (topology_flavors == 0) return;
  WorkloadRow& row = workloads[id];
  for (std::size_t i = 0; i < row.spec.admission->pod_sets.size(); ++i) {
    const PodSetAssignment& assignment = row.spec.admission->pod_sets[i];
    if (!assignment.topology) continue;
    const auto set = std::ranges::find(row.spec.pod_sets, assignment.name, &GangPodSet::name);
    if (set == row.spec.pod_sets.end()) continue;
    for (const auto& [resource, name] : assignment.flavors) {
      const FlavorId flavor = flavors.find(name);
      if (flavor.is_none() || flavors[flavor].spec.topology_name.empty()) continue;
      std::vector<TopologyHold>& holds = row.reservation.edit().topology_holds;
      const bool is_seen = std::ranges::any_of(holds, [&](const TopologyHold& hold) {
        return hold.pod_set == i && hold.usage.flavor == flavor;
      });
      if (is_seen) continue;
      TopologyHold& hold = holds.emplace_back();
      hold.pod_set = i;
      hold.usage.flavor = flavors.hold(name);
      hold.usage.requests = set->requests;
    }
  }
  topologies.change_usage(*this, row, -1);
}

void Tables::leave_topologies(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  if (row.reservation->topology_holds.empty()) return;
  topologies.change_usage(*this, row, 1);
  for (const TopologyHold& hold : row.reservation->topology_holds)
    flavors.release(hold.usage.flavor);
  row.reservation.edit().topology_holds.clear();
}

// A flavor has got a topology, or has none any more: whoever was admitted to it holds that anew.
void Tables::renew_topology_holds() {
  workloads.for_each([&](WorkloadId id, const WorkloadRow& row) {
    if (row.reserved_in.is_none()) return;
    leave_topologies(id);
    enter_topologies(id);
  });
}

}  // namespace muster::core
