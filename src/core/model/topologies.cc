// SPDX-License-Identifier: Apache-2.0
#include "core/model/topologies.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "core/model/tables.h"

namespace muster::core {

namespace {

// What a node has, with as many pods as it says itself.
Amounts declared(const Node& node, const ResourceNames& names) {
  Amounts amounts = node.allocatable;
  const auto is_pods = [&](const Amount& entry) { return entry.resource == names.pods(); };
  amounts.erase(std::remove_if(amounts.begin(), amounts.end(), is_pods), amounts.end());
  if (node.declared_pods > 0) amounts.push_back({names.pods(), node.declared_pods});
  return amounts;
}

bool matches(const Node& node, const ResourceFlavor& flavor,
             const std::vector<std::string>& levels) {
  const bool has_labels = std::ranges::all_of(flavor.node_labels, [&](const auto& label) {
    return find_label(node.labels, label.first).value_or("") == label.second;
  });
  return has_labels && std::ranges::all_of(levels, [&](const std::string& level) {
           return find_label(node.labels, level).has_value();
         });
}

std::int32_t narrow(std::int64_t count) {
  return saturating_cast<std::int32_t>(count);
}

}  // namespace

bool Topologies::has(std::string_view name) const {
  const TopologyId id = rows.find(name);
  return !id.is_none() && rows[id].present && rows[id].invalid.empty();
}

TopologyTree* Topologies::tree(const Tables& tables, FlavorId flavor) const {
  if (!are_current_) make_trees(tables);
  return flavor.index() < trees_.size() ? trees_[flavor.index()].get() : nullptr;
}

const std::vector<std::unique_ptr<TopologyTree>>& Topologies::trees(const Tables& tables) const {
  if (!are_current_) make_trees(tables);
  return trees_;
}

std::unique_ptr<TopologyTree> Topologies::make_tree(const Tables& tables, FlavorId flavor) const {
  const FlavorRow& row = tables.flavors[flavor];
  if (!row.present || row.spec.topology_name.empty() || !has(row.spec.topology_name)) return {};
  const std::vector<std::string>& levels = rows[rows.find(row.spec.topology_name)].spec.levels;
  std::vector<TopologyNode> nodes;
  tables.nodes.for_each([&](NodeId id, const NodeRow& node) {
    const bool takes_pods =
        node.present && node.invalid.empty() && node.spec.is_ready && !node.spec.is_unschedulable;
    if (!takes_pods || !matches(node.spec, row.spec, levels)) return;
    TopologyNode& member = nodes.emplace_back(TopologyNode{id, tables.nodes.key(id), {}});
    for (const std::string& level : levels) {
      member.values.push_back(*find_label(node.spec.labels, level));
    }
  });
  std::ranges::sort(nodes, {}, &TopologyNode::name);
  auto tree = std::make_unique<TopologyTree>(++last_number_, row.spec.topology_name, levels, nodes);
  for (const TopologyNode& node : nodes) {
    const std::uint32_t leaf = tree->leaf_of(node.id);
    tree->add_capacity(leaf, declared(tables.nodes[node.id].spec, tables.names));
  }
  for (const TopologyNode& node : nodes) {
    Amounts taken;
    for (std::size_t i = 0; i < tables.names.size(); ++i) {
      const ResourceId resource(static_cast<std::uint32_t>(i));
      const std::int64_t amount = outside_.at(resource, node.id);
      if (amount != 0) taken.push_back({resource, amount});
    }
    if (!taken.empty()) tree->shift_free(tree->leaf_of(node.id), taken, -1);
  }
  return tree;
}

void Topologies::make_trees(const Tables& tables) const {
  are_current_ = true;
  trees_.clear();
  if (!tables.configuration.gates.enabled(Gate::topology_aware_scheduling)) return;
  tables.flavors.for_each([&](FlavorId id, const FlavorRow&) {
    auto tree = make_tree(tables, id);
    if (!tree) return;
    if (id.index() >= trees_.size()) trees_.resize(id.index() + 1);
    trees_[id.index()] = std::move(tree);
  });
  tables.workloads.for_each([&](WorkloadId, const WorkloadRow& row) {
    if (!row.reservation->topology_holds.empty()) change_usage(tables, row, -1);
  });
}

void Topologies::change_capacity(const ResourceNames& names, NodeId node, const Node& before,
                                 const Node& after) {
  if (!are_current_ || before.allocatable == after.allocatable) return;
  const Amounts had = declared(before, names);
  const Amounts has = declared(after, names);
  for (const auto& tree : trees_) {
    const std::uint32_t leaf = tree ? tree->leaf_of(node) : TopologyTree::no_leaf;
    if (leaf == TopologyTree::no_leaf) continue;
    if (!tree->has_columns_for(has)) {
      forget_trees();
      return;
    }
    tree->shift_free(leaf, had, -1);
    tree->shift_free(leaf, has, 1);
  }
}

void Topologies::change_outside(NodeId node, const Amounts& requests, std::int64_t times) {
  for (const Amount& entry : requests) {
    outside_.add(entry.resource, node, times < 0 ? entry.amount : -entry.amount);
  }
  if (!are_current_) return;
  for (const auto& tree : trees_) {
    const std::uint32_t leaf = tree ? tree->leaf_of(node) : TopologyTree::no_leaf;
    if (leaf != TopologyTree::no_leaf) tree->shift_free(leaf, requests, times);
  }
}

// In the flavor's own tree, and in every other tree with the same hosts.
void Topologies::apply(const Tables& tables, FlavorId flavor, const Amounts& requests,
                       const TopologyAssignment& assignment, std::int64_t times) const {
  TopologyTree* own = flavor.index() < trees_.size() ? trees_[flavor.index()].get() : nullptr;
  if (own == nullptr) return;
  for (const TopologyDomain& domain : assignment.domains) {
    const std::int64_t count = times * domain.count;
    for (const auto& tree : trees_) {
      if (!tree || (tree.get() != own && !(own->is_by_host() && tree->is_by_host()))) continue;
      const std::uint32_t leaf = tree->find_leaf(domain.values);
      if (leaf == TopologyTree::no_leaf) continue;
      if (tree.get() == own) {
        tree->shift_own(leaf, requests, tables.names.pods(), count);
      } else {
        tree->shift_others(leaf, requests, tables.names.pods(), count);
      }
    }
  }
}

void Topologies::change_usage(const Tables& tables, const WorkloadRow& row,
                              std::int64_t times) const {
  if (!are_current_) return;
  for (const TopologyHold& hold : row.reservation->topology_holds) {
    const auto& assignment = row.spec.admission->pod_sets[hold.pod_set].topology;
    apply(tables, hold.usage.flavor, hold.usage.requests, *assignment, times);
  }
}

TopologyUsage Topologies::resolve(const Tables& tables, FlavorId flavor, const Amounts& requests,
                                  const TopologyAssignment& assignment) const {
  TopologyUsage usage{.flavor = flavor, .tree = 0, .requests = requests, .domains = {}};
  const TopologyTree* tree = this->tree(tables, flavor);
  if (tree == nullptr) {
    usage.is_stale = true;
    return usage;
  }
  usage.tree = tree->number();
  usage.domains.reserve(assignment.domains.size());
  for (const TopologyDomain& domain : assignment.domains) {
    const std::uint32_t leaf = tree->find_leaf(domain.values);
    if (leaf == TopologyTree::no_leaf) {
      usage.is_stale = true;
    } else {
      usage.domains.push_back({leaf, narrow(domain.count)});
    }
  }
  return usage;
}

const TopologyUsage& Topologies::usage_of(const Tables& tables, const Workload& workload,
                                          TopologyHold& hold) const {
  const TopologyTree* tree = this->tree(tables, hold.usage.flavor);
  if (tree != nullptr && hold.usage.tree != tree->number()) {
    const auto& assignment = workload.admission->pod_sets[hold.pod_set].topology;
    hold.usage = resolve(tables, hold.usage.flavor, hold.usage.requests, *assignment);
  }
  return hold.usage;
}

}  // namespace muster::core
