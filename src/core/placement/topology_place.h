// One search in one tree, from the pod set's own words to leaves: shape, matching leaves, counts,
// search, and the sentence when there is no place.
//
//   PlaceFinder finder(tables, tree, flavor, options);
//   const FoundPlace place = finder.find({.workers = &set, .request = &set.topology, .count = 8});
//   if (place.fits) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/tables.h"
#include "core/model/topology_usage.h"
#include "core/placement/topology.h"
#include "core/placement/topology_search.h"
#include "core/placement/topology_shape.h"

namespace muster::core {

struct Explanation;

TopologyGates topology_gates(const Tables& tables);

struct PlaceWish {
  const GangPodSet* workers = nullptr;
  const TopologyRequest* request = nullptr;
  std::int64_t count = 0;
  bool implied = false;
  const GangPodSet* leader = nullptr;      // one pod, in the same domains
  const SchedulingTerms* terms = nullptr;  // null: those of the workers
  // Only leaves of this range; an empty one: none at all.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> within = {};
  // Pods beyond the last whole slice get no place; else nobody gets one.
  bool drops_remainder = true;
};

struct FoundPlace {
  bool fits = false;
  std::vector<TopologyDomainUsage> workers;  // by rank
  std::vector<TopologyDomainUsage> leader;
  std::string sentence = {};  // why it does not fit; empty where only that was asked
};

class PlaceFinder {
 public:
  PlaceFinder(Tables& tables, TopologyTree& tree, FlavorId flavor, TopologyOptions options,
              Explanation* explanation = nullptr);

  FoundPlace find(const PlaceWish& wish);

  TopologyTree& tree() { return tree_; }

 private:
  FoundPlace search(const PlaceWish& wish, const TopologyShape& shape, const LeafRoom& room);
  std::string shortfall_text(const PlaceWish& wish, const TopologyShape& shape,
                             const LeafRoom& room, const Shortfall& shortfall) const;
  void explain(const PlaceWish& wish, const TopologyShape& shape, const Shortfall& shortfall,
               bool fits) const;

  Tables& tables_;
  TopologyTree& tree_;
  FlavorId flavor_;
  TopologyGates gates_;
  TopologyOptions options_;
  RoomBasis basis_;
  Explanation* explanation_;
  SearchMemory& memory_;
};

}  // namespace muster::core
