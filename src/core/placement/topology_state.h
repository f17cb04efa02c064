// TopologyState: how many pods and slices every domain of a tree takes, rolled up from the leaves:
// the first phase of a search. Kept between searches for its memory alone.
//
//   state.fill(tree, shape, leaves);
//   state.slices(level)[domain]
//
// With a leader two more numbers follow each domain: what it takes of the workers beside a leader.
// Assumes: sums stop at the largest int32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/topology_tree.h"
#include "core/placement/topology_shape.h"

namespace muster::core {

// What is known of the leaves before the search. Pointers by leaf.
struct LeafRoom {
  const std::int32_t* pods = nullptr;
  const std::int32_t* leaders = nullptr;           // pods of the leader; null: there is none
  const std::int32_t* pods_with_leader = nullptr;  // workers, once the leader is there
  const MatchColumn* match = nullptr;
  std::uint32_t first = 0;  // only leaves of this range count
  std::uint32_t last = 0;
};

class TopologyState {
 public:
  struct Domains {
    std::vector<std::int32_t> pods;
    std::vector<std::int32_t> slices;  // below the level of slices: zero
    std::vector<std::int32_t> pods_with_leader;
    std::vector<std::int32_t> slices_with_leader;
    std::vector<std::int32_t> leaders;
    std::vector<std::int64_t> scores;
  };

  // Pods and slices alone. Where a slice is one pod, `slices` are the pods themselves.
  void fill_plain(const TopologyTree& tree, const TopologyShape& shape, const LeafRoom& room);
  // Everything.
  void fill(const TopologyTree& tree, const TopologyShape& shape, const LeafRoom& room);

  // The numbers of a range of domains as another state has them.
  void copy_range(const TopologyState& from, std::size_t level, std::uint32_t first,
                  std::uint32_t last);

  // Rolls up anew what is at and below these domains of a level; without inner layers.
  void roll_up_again(const TopologyTree& tree, const TopologyShape& shape, std::size_t level,
                     std::uint32_t domain);

  Domains& at(std::size_t level) { return levels_[level]; }
  const Domains& at(std::size_t level) const { return levels_[level]; }
  const std::int32_t* pods(std::size_t level) const { return levels_[level].pods.data(); }
  const std::int32_t* slices(std::size_t level) const {
    return slices_are_pods_ ? pods(level) : levels_[level].slices.data();
  }

 private:
  void reset(const TopologyTree& tree, bool everything);
  void roll_up_domain(const TopologyTree& tree, const TopologyShape& shape, std::size_t level,
                      std::uint32_t domain, bool with_inner);

  std::vector<Domains> levels_;
  bool slices_are_pods_ = false;
};

}  // namespace muster::core
