// The second phase of a search in a topology: which domains take the pods. From the level that was
// asked for the search goes up until one domain takes all (preferred), stays (required) or takes
// several (at the top, or unconstrained); then it goes down level by level with the fewest domains,
// the last of them the smallest that takes the rest.
//
//   std::vector<DomainPick> picks;
//   if (!plain_search(tree, shape, state, picks)) …   // state.shortfall says what fitted
//
// Two searches find the same: plain_search, without leaders, scores and balance, selects by
// counting equal domains and sorts next to nothing; full_search does everything and sorts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/topology_tree.h"
#include "core/placement/topology_shape.h"
#include "core/placement/topology_state.h"

namespace muster::core {

struct DomainPick {
  std::uint32_t domain = 0;
  std::int32_t pods = 0;
  std::int32_t leaders = 0;

  friend bool operator==(const DomainPick&, const DomainPick&) = default;
};

// Where a search ended that found nothing: pods or slices that fit, at which level.
struct Shortfall {
  std::size_t level = 0;
  std::int32_t fit = 0;
};

// Memory that searches use again.
struct SearchScratch {
  struct Keyed {
    std::uint64_t key = 0;
    std::uint32_t domain = 0;

    friend auto operator<=>(const Keyed&, const Keyed&) = default;
  };
  std::vector<std::uint32_t> buckets;
  std::vector<Keyed> keyed;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  std::vector<DomainPick> next;
};

// Leaves with their pods, by rank; false: nothing fits, and why. The state is of fill_plain.
bool plain_search(const TopologyTree& tree, const TopologyShape& shape, const TopologyState& state,
                  SearchScratch& scratch, std::vector<DomainPick>& picks, Shortfall& shortfall);

// The same for any shape. The state is of fill, and is changed.
bool full_search(const TopologyTree& tree, const TopologyShape& shape, TopologyState& state,
                 std::vector<DomainPick>& picks, Shortfall& shortfall);

}  // namespace muster::core
