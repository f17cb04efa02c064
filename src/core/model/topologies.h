// Topologies: the trees of all flavors that have one, kept current event by event. A tree is made
// anew, when somebody asks for it, after nodes came or went, changed labels, taints or readiness,
// or a Topology or a flavor changed; everything else moves numbers in the leaves.
//
//   TopologyTree* tree = tables.topologies.tree(tables, flavor);     // null: it has none
//
// Assumes: no tree is made while a Trial has changed one: events and trials do not mix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.h"
#include "core/model/node_columns.h"
#include "core/model/read_topology.h"
#include "core/model/registry.h"
#include "core/model/rows.h"
#include "core/model/topology_tree.h"
#include "core/model/topology_usage.h"

namespace muster::core {

struct Tables;

struct TopologyRow : Incarnation {
  Topology spec;
};

class Topologies {
 public:
  Registry<TopologyId, TopologyRow> rows;

  // Null where the flavor has no topology, or the topology is not there.
  TopologyTree* tree(const Tables& tables, FlavorId flavor) const;
  // Every tree there is, by flavor id; null where there is none.
  const std::vector<std::unique_ptr<TopologyTree>>& trees(const Tables& tables) const;

  // The Topology of this name is there and can be read.
  bool has(std::string_view name) const;

  // The next question makes the trees anew.
  void forget_trees() { are_current_ = false; }

  // The node is as it was but for what it has.
  void change_capacity(const ResourceNames& names, NodeId node, const Node& before,
                       const Node& after);
  // Pods that belong to no topology take room on a node (times −1) or give it back.
  void change_outside(NodeId node, const Amounts& requests, std::int64_t times);
  // The domains of a reserved workload: taken (−1), given back (1).
  void change_usage(const Tables& tables, const WorkloadRow& row, std::int64_t times) const;

  // The usage of one pod set in the tree of its flavor, by names.
  TopologyUsage resolve(const Tables& tables, FlavorId flavor, const Amounts& requests,
                        const TopologyAssignment& assignment) const;
  // The usage that a reserved workload has in one of its flavors.
  const TopologyUsage& usage_of(const Tables& tables, const Workload& workload,
                                TopologyHold& hold) const;

 private:
  void make_trees(const Tables& tables) const;
  std::unique_ptr<TopologyTree> make_tree(const Tables& tables, FlavorId flavor) const;
  void apply(const Tables& tables, FlavorId flavor, const Amounts& requests,
             const TopologyAssignment& assignment, std::int64_t times) const;

  NodeColumns outside_;  // what pods outside of topologies take, by node
  // Made when asked for, from what the tables have.
  mutable std::vector<std::unique_ptr<TopologyTree>> trees_;
  mutable bool are_current_ = false;
  mutable std::uint64_t last_number_ = 0;
};

}  // namespace muster::core
