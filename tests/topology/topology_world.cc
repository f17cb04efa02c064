// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/topology_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/words.h"

namespace muster::core {

TopologyWorld::TopologyWorld(std::size_t height, bool by_host) : by_host_(by_host) {
  for (std::size_t i = 0; i < height; ++i) levels_.push_back(fmt::format("level-{}", i));
  if (by_host) levels_.back() = words::hostname_label;
  cpu_ = tables_->names.intern("cpu").must();
  gpu_ = tables_->names.intern("example.com/gpu").must();
  const TopologyId topology = tables_->topologies.rows.hold("topology");
  tables_->topologies.rows[topology].present = true;
  tables_->topologies.rows[topology].spec.levels = levels_;
  flavor_ = tables_->flavors.hold("flavor");
  tables_->flavors[flavor_].present = true;
  tables_->flavors[flavor_].spec.topology_name = "topology";
}

void TopologyWorld::add_node(const WorldNode& node) {
  const std::string name = fmt::format("n{}", nodes_.size());
  Held held{.node = node, .path = node.path, .outside = {}, .reserved = {}};
  if (by_host_) held.path.push_back(name);
  const NodeId id = tables_->nodes.hold(name);
  NodeRow& row = tables_->nodes[id];
  row.present = true;
  row.spec.is_ready = true;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    row.spec.labels.emplace_back(levels_[i], held.path[i]);
  }
  row.spec.labels.emplace_back("pool", node.pool);
  std::ranges::sort(row.spec.labels);
  if (node.tainted) row.spec.taints.push_back({"maintenance", "", TaintEffect::no_schedule});
  row.spec.allocatable = {{cpu_, node.cpu}, {gpu_, node.gpu}, {tables_->names.pods(), node.pods}};
  row.spec.declared_pods = node.pods;
  tables_->topologies.forget_trees();
  nodes_.push_back(std::move(held));
}

Amounts TopologyWorld::amounts(const WorldPod& pod) const {
  return {{cpu_, pod.cpu}, {gpu_, pod.gpu}};
}

slow::Room TopologyWorld::slow_pod(const WorldPod& pod) {
  return {{"cpu", pod.cpu}, {"gpu", pod.gpu}, {"pods", 1}};
}

void TopologyWorld::add_outside_pod(std::size_t node, const WorldPod& pod) {
  const NodeId id = tables_->nodes.find(fmt::format("n{}", node));
  Amounts requests = amounts(pod);
  requests.push_back({tables_->names.pods(), 1});
  tables_->topologies.change_outside(id, requests, -1);
  for (const auto& [resource, amount] : slow_pod(pod)) nodes_[node].outside[resource] += amount;
}

void TopologyWorld::add_reserved(std::size_t node, const WorldPod& pod, std::int64_t count) {
  const std::string name = fmt::format("w{}", tables_->workloads.size());
  WorkloadRow& row = tables_->workloads[tables_->workloads.hold(name)];
  std::vector<PodSetAssignment> assignments(1);
  TopologyAssignment& topology = assignments[0].topology.emplace();
  const slow::Path& path = nodes_[node].path;
  topology.domains.push_back({by_host_ ? slow::Path{path.back()} : path, count});
  row.spec.admission.edit().pod_sets = SharedList(std::move(assignments));
  TopologyHold& hold = row.reservation.make(tables_->reservations).topology_holds.emplace_back();
  hold.usage.flavor = flavor_;
  hold.usage.requests = amounts(pod);
  tables_->topologies.change_usage(*tables_, row, -1);
  for (const auto& [resource, amount] : slow_pod(pod)) {
    nodes_[node].reserved[resource] += amount * count;
  }
}

GangPodSet TopologyWorld::pod_set(const std::string& name, std::int64_t count,
                                  const WorldPod& pod) const {
  GangPodSet set;
  set.name = name;
  set.count = count;
  set.requests = amounts(pod);
  return set;
}

std::vector<slow::SlowNode> TopologyWorld::slow_nodes(bool empty, const std::string& pool) const {
  std::vector<slow::SlowNode> nodes;
  for (const Held& held : nodes_) {
    slow::SlowNode& node = nodes.emplace_back();
    node.path = held.path;
    node.free = {{"cpu", held.node.cpu}, {"gpu", held.node.gpu}, {"pods", held.node.pods}};
    for (const auto& [resource, amount] : held.outside) node.free[resource] -= amount;
    if (!empty) {
      for (const auto& [resource, amount] : held.reserved) node.free[resource] -= amount;
    }
    // A rack has neither labels nor taints.
    node.matches = !by_host_ || (!held.node.tainted && (pool.empty() || pool == held.node.pool));
  }
  return nodes;
}

}  // namespace muster::core
