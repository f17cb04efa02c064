// place_gang: a node for every pod of a gang, or none for any. The rule (docs/internals/
// placement.md): pod sets in order; for each, if one node takes all that is left, the fullest such
// node; else the node that takes the most; ties by name. So a gang stands on the fewest nodes that
// greedy packing finds, and the last of them is the best fit. Pods that would rather be on some
// nodes (node_scores.h) get the best first, unless the gang then has no place. Pods that care about
// their neighbours (affinity between pods, host ports) get their nodes one by one, each on the node
// of the last one as long as that takes more.
//
//   Trial trial(tables.undo);
//   auto placed = place_gang(tables, trial, parts);
//   if (placed.fits()) trial.commit();
//
// Assumes: what is taken is written into the trial only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/tables.h"
#include "core/placement/neighbour_filter.h"
#include "core/placement/node_filter.h"
#include "core/placement/placed_part.h"

namespace muster::core {

// Equal pods that need a place.
struct GangPart {
  std::string_view pod_set;
  const Amounts* requests = nullptr;  // of one pod, without `pods`
  NodeWish wish;
  std::int64_t count = 0;
  PodKind kind = {};                   // without neighbours: nobody cares beside whom they stand
  const ClaimNames* claims = nullptr;  // of the kind's namespace; null: none
};

// The first part that has no place.
struct NoPlace {
  std::string pod_set;
  std::int64_t fit = 0;
  std::int64_t wanted = 0;
  std::int64_t nodes = 0;  // all there are
  Exclusions exclusions;   // of those that take none

  // What the nodes are short of, and by how much for all pods that have no place; none where it is
  // not room that is missing.
  ResourceId short_resource = {};
  std::int64_t missing = 0;

  std::string objection = {};  // why no node at all will do, whatever room it has; empty: some may
  std::string claim = {};      // that keeps the pods on one node, which has no room for all; empty:
                               // they may spread
};

struct GangPlacement {
  std::vector<PlacedPart> parts;  // each sorted by the name of the node
  std::optional<NoPlace> failure;

  bool fits() const { return !failure.has_value(); }
};

// What a cycle has placed, for those who care beside whom they stand; and how far the nodes were
// looked through for one that takes a part whole: those before it do not, and as long as room is
// only taken they never will. So a thousand equal pods look at each node once, not a thousand
// times.
class PlaceMemory {
 public:
  // Room was given back.
  void forget() { searches_.clear(); }

  NeighbourFilter::Earlier& placed() { return placed_; }

 private:
  friend class WholePart;
  static constexpr std::size_t searches_max = 64;

  // What was looked for; the pointers are only compared.
  struct Search {
    const Amounts* requests = nullptr;
    const SchedulingTerms* terms = nullptr;
    ShortList<const ResourceFlavor*, 2> flavors = {};
    std::int64_t count = 0;
    bool spares = false;   // nodes that discourage
    std::size_t next = 0;  // in the order of names
  };

  std::vector<Search> searches_;
  NeighbourFilter::Earlier placed_;
};

// `memory`: of this cycle, in which nobody takes back what was placed; null: none.
GangPlacement place_gang(Tables& tables, Trial& trial, std::span<const GangPart> parts,
                         PlaceMemory* memory = nullptr);
// The same into what an earlier call has left, whose memory serves again.
void place_gang(Tables& tables, Trial& trial, std::span<const GangPart> parts, PlaceMemory* memory,
                GangPlacement& result);

}  // namespace muster::core
