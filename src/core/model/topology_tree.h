// TopologyTree: the domains of one flavor's topology over its nodes, level by level, and what is
// free in the lowest of them, the leaves. Domains of a level are numbered in the lexicographic
// order of their values, so children are ranges and a number is also a rank: no search compares
// names. A leaf is a host where the lowest level is kubernetes.io/hostname, else all nodes with the
// same values.
//
//   level 0   b1 ───────────┐  b2          first_child: 0 2 3
//   level 1   r1     r2     │  r1          first_child: 0 2 3 4
//   leaves    h1 h2  h3     │  h4          free[resource][leaf], room[resource][leaf]
//
// `free` is what nodes have less what pods outside of topologies take; `room` is also less what
// workloads have been promised, in this flavor and in flavors with the same hosts (`others`).
// Every change of a leaf gives it a stamp that no other state of it ever had, so that counts made
// of a leaf can be kept as long as its stamp stays, even across a Trial that is undone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "core/model/resource_names.h"
#include "core/model/topology_counts.h"
#include "core/model/trial.h"

namespace muster::core {

struct TopologyLevel {
  std::uint32_t width = 0;                 // domains
  std::vector<std::uint32_t> first_child;  // width + 1 of them; none at the lowest level
  std::vector<std::uint32_t> parent;       // in the level above; none at the highest
};

// One node as the tree sees it.
struct TopologyNode {
  NodeId id;
  std::string_view name;
  std::vector<std::string_view> values;  // of its labels, by level
};

class TopologyTree {
 public:
  // Nodes must be sorted by name: of two with one host name the first is the leaf's own.
  TopologyTree(std::uint64_t number, std::string topology, std::vector<std::string> level_keys,
               std::span<const TopologyNode> nodes);

  std::uint64_t number() const { return number_; }
  const std::string& topology() const { return topology_; }
  const std::vector<std::string>& level_keys() const { return level_keys_; }
  bool is_by_host() const { return is_by_host_; }
  std::size_t height() const { return levels_.size(); }
  const TopologyLevel& level(std::size_t at) const { return levels_[at]; }
  std::uint32_t leaves() const { return levels_.back().width; }

  // The level with this label; height() when there is none.
  std::size_t find_level(std::string_view key) const;

  // Values of a leaf by level; the last of them is all that an assignment says of a host.
  std::span<const std::string> values(std::uint32_t leaf) const {
    return {&values_[leaf * height()], height()};
  }
  std::span<const std::string> assigned_values(std::uint32_t leaf) const {
    return is_by_host_ ? values(leaf).last(1) : values(leaf);
  }
  std::span<const std::string> assigned_levels() const {
    const std::span<const std::string> all = level_keys_;
    return is_by_host_ ? all.last(1) : all;
  }

  // By the values of an assignment, joined as Kueue joins them. no_leaf: it is not there.
  static constexpr std::uint32_t no_leaf = 0xffffffffU;
  std::uint32_t find_leaf(std::span<const std::string> values) const;
  std::uint32_t leaf_of(NodeId node) const {
    return node.index() < leaf_of_node_.size() ? leaf_of_node_[node.index()] : no_leaf;
  }
  NodeId node_of(std::uint32_t leaf) const { return node_of_leaf_[leaf]; }  // where is_by_host()

  // The ancestor of a leaf, and the leaves below a domain.
  std::uint32_t ancestor(std::uint32_t leaf, std::size_t level) const;
  std::pair<std::uint32_t, std::uint32_t> leaves_below(std::size_t level,
                                                       std::uint32_t domain) const;

  // Column of a resource that some node has; no_column: always zero.
  static constexpr std::size_t no_column = ~std::size_t{0};
  std::size_t column(ResourceId resource) const {
    return resource.index() < column_of_.size() ? column_of_[resource.index()] : no_column;
  }
  std::span<const std::int64_t> free(std::size_t column) const { return free_[column]; }
  std::span<const std::int64_t> room(std::size_t column) const { return room_[column]; }
  std::span<const std::int64_t> others(std::size_t column) const { return others_[column]; }
  std::span<const std::int64_t> stamps() const { return stamps_; }
  std::span<const std::int64_t> block_stamps() const { return block_stamps_; }

  // Events. Capacity that a node has (resources become columns), what pods outside of topologies
  // take (times −1) or give back, what a workload takes in this flavor or in another one.
  void add_capacity(std::uint32_t leaf, const Amounts& amounts);
  bool has_columns_for(const Amounts& amounts) const;
  void shift_free(std::uint32_t leaf, const Amounts& amounts, std::int64_t times);
  void shift_own(std::uint32_t leaf, const Amounts& amounts, ResourceId pods, std::int64_t times);
  void shift_others(std::uint32_t leaf, const Amounts& amounts, ResourceId pods,
                    std::int64_t times);

  // The same within a trial: promised in this flavor; or assumed for earlier pod sets of one
  // workload, which are there even in an empty cluster.
  void try_shift(Trial& trial, std::uint32_t leaf, const Amounts& amounts, ResourceId pods,
                 std::int64_t times);
  void try_assume(Trial& trial, std::uint32_t leaf, const Amounts& amounts, ResourceId pods,
                  std::int64_t times);

  // Counts and matches that searches keep.
  TopologyCaches& caches() { return caches_; }

 private:
  using Columns = std::vector<std::vector<std::int64_t>>;

  void build_levels();
  std::size_t make_column(ResourceId resource);
  void touch(std::uint32_t leaf);
  void try_touch(Trial& trial, std::uint32_t leaf);

  std::uint64_t number_;
  std::string topology_;
  std::vector<std::string> level_keys_;
  bool is_by_host_;
  std::vector<TopologyLevel> levels_;
  std::vector<std::string> values_;
  std::vector<NodeId> node_of_leaf_;
  std::vector<std::uint32_t> leaf_of_node_;
  std::unordered_map<std::string, std::uint32_t> leaf_ids_;

  std::vector<std::size_t> column_of_;
  Columns free_;
  Columns room_;
  Columns others_;
  std::int64_t last_stamp_ = 0;
  std::vector<std::int64_t> stamps_;
  std::vector<std::int64_t> block_stamps_;
  TopologyCaches caches_;
};

}  // namespace muster::core
