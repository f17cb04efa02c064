// The orders in which a search looks at domains, and the steps that are the same for every search
// with leaders, scores or balance. Numbers are of one level of a TopologyState.
//
//   DomainOrder order(tree, shape, state, level);
//   std::vector<std::uint32_t> sorted = order.sorted(domains);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/placement/topology_search.h"

namespace muster::core {

// What is handed out: slices, or single pods.
enum class Unit : std::uint8_t { slices, pods };

// How much, and for how many leaders.
struct Share {
  std::int32_t count = 0;  // pods
  std::int32_t leaders = 0;
  std::int32_t size = 1;  // pods of a unit
  Unit unit = Unit::slices;
};

class DomainOrder {
 public:
  using List = std::vector<std::uint32_t>;

  DomainOrder(const TopologyShape& shape, TopologyState& state, std::size_t level)
      : shape_(shape), at_(state.at(level)) {}

  // Score first where scores count, then slices (the most first, or the fewest), pods (the fewest
  // first), rank. With leaders: those that take one before all, and what is left beside it.
  List sorted(List domains) const;
  List sorted_for_leaders(List domains) const;

  // Of a sorted list the first with the fewest units that are enough; the first of all when none
  // has enough.
  std::uint32_t best_fit(std::span<const std::uint32_t> sorted, std::int32_t needed,
                         std::int32_t leaders, Unit unit) const;

  // A domain whose leader costs no more than there is to spare comes first.
  List leader_first(List sorted, const Share& share) const;

  // The fewest domains, in this order, that take the share. Nothing when they do not.
  std::vector<DomainPick> fewest(List sorted, const Share& share) const;

  std::int32_t units(std::uint32_t domain, Unit unit) const {
    return unit == Unit::slices ? at_.slices[domain] : at_.pods[domain];
  }
  std::int32_t units_with_leader(std::uint32_t domain, Unit unit) const {
    return unit == Unit::slices ? at_.slices_with_leader[domain] : at_.pods_with_leader[domain];
  }
  TopologyState::Domains& numbers() const { return at_; }

 private:
  std::span<const std::uint32_t> best_scored(std::span<const std::uint32_t> sorted) const;

  const TopologyShape& shape_;
  TopologyState::Domains& at_;
};

// The domains from `first` up to `last`.
std::vector<std::uint32_t> domains_between(std::uint32_t first, std::uint32_t last);

}  // namespace muster::core
