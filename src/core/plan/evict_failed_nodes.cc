// A gang that is pinned to a node that is gone or not ready cannot go on: it stops whole. So does
// one of which a pod was told to leave its node (`kubectl drain`): it is placed anew, elsewhere.
// Where a topology gave it its nodes and one of them is gone, a second pass looks for another one
// first.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "core/model/told_to_go.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// Room on the node that a pod of the gang still needs: what has succeeded there needs none.
bool needs(const Tables& tables, const WorkloadRow& row, const Slot& slot) {
  std::int64_t succeeded = 0;
  for (const PodId id : tables.gang_pods(row)) {
    const PodRow& pod = tables.pods[id];
    if (pod.node == slot.node && pod.spec.is_succeeded &&
        tables.pod_set_of(row, pod) == slot.pod_set) {
      ++succeeded;
    }
  }
  return slot.count > succeeded && slot.bound + slot.kept > 0;
}

// A second pass will be asked for, or has been: a flavor of it has a Topology.
bool is_replaced(const Cycle& cycle, const WorkloadRow& row) {
  if (!cycle.policy.kueue.gates.enabled(Gate::tas_failed_node_replacement)) return false;
  for (const PodSetAssignment& set : row.spec.admission->pod_sets) {
    for (const auto& [resource, name] : set.flavors) {
      const FlavorId flavor = cycle.tables.flavors.find(name);
      if (!flavor.is_none() && !cycle.tables.flavors[flavor].spec.topology_name.empty())
        return true;
    }
  }
  return false;
}

// The first pod of the gang that has to leave, or has left already; empty: none has.
std::string leaving_pod(const Tables& tables, const WorkloadRow& row, const std::string& key) {
  const auto left = tables.left.find(key);
  std::string first = left == tables.left.end() ? std::string() : left->second;
  for (const PodId id : tables.gang_pods(row)) {
    const PodRow& pod = tables.pods[id];
    if (pod.node.is_none() || !is_told_to_go(pod.object)) continue;
    std::string words =
        fmt::format("{} has to leave node {}", tables.pods.key(id), tables.nodes.key(pod.node));
    if (first.empty() || words < first) first = std::move(words);
  }
  return first;
}

}  // namespace

void evict_failed_nodes(Cycle& cycle) {
  const Tables& tables = cycle.tables;
  for (const auto& [key, id] : tables.endangered) {
    const WorkloadRow& row = tables.workloads[id];
    const bool runs = row.standing == Standing::reserved && row.spec.is_admitted &&
                      !row.spec.is_evicted && !row.assumed_evicted && !row.assumed;
    // Without places of ours nothing is promised about nodes: Kueue's own way decides.
    if (!runs || placement_in(cycle, row.reserved_in) == Placement::none) continue;
    std::set<std::string> failed;
    for (const Slot& slot : row.reservation->slots) {
      if (tables.has_failed(slot.node) && needs(tables, row, slot)) {
        failed.insert(tables.nodes.key(slot.node));
      }
    }
    const std::string leaving = leaving_pod(tables, row, key);
    if (failed.empty() && leaving.empty()) continue;
    if (!leaving.empty()) {
      Action action = action_on(cycle, Action::Type::evict, id);
      action.because.reasons = {{.type = Reason::Type::node_failed,
                                 .detail = "Workload was evicted as its pod " + leaving}};
      cycle.plan.actions.push_back(std::move(action));
      cycle.evicted.insert(key);
      continue;
    }
    const bool has_topology = is_replaced(cycle, row);
    const NodeId first = tables.nodes.find(*failed.begin());
    if (has_topology && failed.size() == 1 && !tables.nodes[first].present) continue;
    Action action = action_on(cycle, Action::Type::evict, id);
    Reason reason{.type = Reason::Type::node_failed,
                  .name = fmt::format("{}", fmt::join(failed, ","))};
    if (has_topology && failed.size() > 1) {
      reason.detail = fmt::format(
          "Workload eviction triggered due to multiple TAS assigned node failures, including: {}",
          fmt::join(failed, ", "));
    }
    action.because.reasons = {std::move(reason)};
    cycle.plan.actions.push_back(std::move(action));
    cycle.evicted.insert(key);
  }
}

}  // namespace muster::core
