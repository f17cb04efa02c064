// A small cluster with a topology for tests of placement: nodes with labels for each level, what
// pods outside of topologies and reserved workloads take, made without objects. The same cluster as
// plain numbers for SlowTopology.
//
//   TopologyWorld world(2, true);
//   world.add_node({.path = {"r1"}, .cpu = 4});
//   world.tree()
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/tables.h"
#include "tests/topology/slow_topology.h"

namespace muster::core {

struct WorldNode {
  std::vector<std::string> path;  // of the levels above the host, or of all
  std::int64_t cpu = 8;           // thousandths
  std::int64_t gpu = 0;
  std::int64_t pods = 10;
  std::string pool = "a";
  bool tainted = false;
};

// What a pod asks for, in the same units.
struct WorldPod {
  std::int64_t cpu = 1;
  std::int64_t gpu = 0;
};

class TopologyWorld {
 public:
  // With hosts the lowest of the levels is kubernetes.io/hostname.
  TopologyWorld(std::size_t height, bool by_host);

  void add_node(const WorldNode& node);
  void add_outside_pod(std::size_t node, const WorldPod& pod);
  // `count` pods in the leaf of this node, as a workload that was admitted has them.
  void add_reserved(std::size_t node, const WorldPod& pod, std::int64_t count);

  Amounts amounts(const WorldPod& pod) const;
  GangPodSet pod_set(const std::string& name, std::int64_t count, const WorldPod& pod) const;

  Tables& tables() { return *tables_; }
  FlavorId flavor() const { return flavor_; }
  TopologyTree& tree() { return *tables_->topologies.tree(*tables_, flavor_); }
  std::size_t height() const { return levels_.size(); }
  const std::vector<std::string>& levels() const { return levels_; }

  // As the tree should be: `empty` without reserved workloads. A node matches where its pool is
  // wanted (or none is) and it is not tainted.
  std::vector<slow::SlowNode> slow_nodes(bool empty, const std::string& pool = "") const;
  static slow::Room slow_pod(const WorldPod& pod);

 private:
  struct Held {
    WorldNode node;
    slow::Path path;
    slow::Room outside;
    slow::Room reserved;
  };

  std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
  std::vector<std::string> levels_;
  bool by_host_;
  FlavorId flavor_;
  ResourceId cpu_;
  ResourceId gpu_;
  std::vector<Held> nodes_;
};

}  // namespace muster::core
