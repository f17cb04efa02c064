// SPDX-License-Identifier: Apache-2.0
#include "core/placement/topology_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/placement/topology_counts.h"
#include "core/placement/topology_match.h"
#include "core/placement/topology_text.h"
#include "core/plan/explanation.h"

namespace muster::core {

struct SearchMemory {
  TopologyState state;
  SearchScratch scratch;
  std::vector<DomainPick> picks;
};

namespace {

SearchMemory& memory_of(TopologyTree& tree) {
  auto& memory = tree.caches().memory;
  if (!memory) memory = std::make_shared<SearchMemory>();
  return *memory;
}

}  // namespace

TopologyGates topology_gates(const Tables& tables) {
  const FeatureGates& gates = tables.configuration.gates;
  return {.mixed_profile = gates.enabled(Gate::tas_profile_mixed),
          .overlapping_flavors = gates.enabled(Gate::tas_handle_overlapping_flavors),
          .balanced = gates.enabled(Gate::tas_balanced_placement),
          .preferred_affinity = gates.enabled(Gate::tas_respect_node_affinity_preferred),
          .elastic = gates.enabled(Gate::elastic_jobs_via_workload_slices_with_tas),
          .keeps_pod_owned = gates.enabled(Gate::skip_reassignment_for_pod_owned_workloads)};
}

PlaceFinder::PlaceFinder(Tables& tables, TopologyTree& tree, FlavorId flavor,
                         TopologyOptions options, Explanation* explanation)
    : tables_(tables),
      tree_(tree),
      flavor_(flavor),
      gates_(topology_gates(tables)),
      options_(options),
      basis_(options.simulate_empty       ? RoomBasis::empty
             : gates_.overlapping_flavors ? RoomBasis::room
                                          : RoomBasis::own_room),
      explanation_(explanation),
      memory_(memory_of(tree)) {}

FoundPlace PlaceFinder::find(const PlaceWish& wish) {
  const auto made = make_shape(tree_,
                               {.request = wish.request,
                                .count = wish.count,
                                .implied = wish.implied,
                                .has_leader = wish.leader != nullptr},
                               gates_);
  FoundPlace nowhere;
  if (!made) {
    nowhere.sentence = made.error().message;
    return nowhere;
  }
  TopologyShape shape = *made;
  if (!wish.drops_remainder && shape.count % shape.slice_size != 0) {
    nowhere.sentence = fmt::format("the pod count {} is not a multiple of the slice size {}",
                                   shape.count, shape.slice_size);
    return nowhere;
  }
  if (tree_.leaves() == 0) {
    nowhere.sentence =
        fmt::format("no topology domains at level: {}", tree_.level_keys()[shape.level]);
    return nowhere;
  }
  const SchedulingTerms& terms = wish.terms == nullptr ? wish.workers->terms : *wish.terms;
  LeafRoom room;
  room.match = &match_leaves(tables_, tree_, terms, tables_.flavors[flavor_].spec.tolerations,
                             gates_.preferred_affinity);
  shape.scored = !room.match->scores.empty();
  const ResourceId pods = tables_.names.pods();
  room.pods = count_pods(tree_, count_key(tree_, basis_, wish.workers->requests, pods));
  if (wish.leader != nullptr) {
    const Amounts& leader = wish.leader->requests;
    room.leaders = count_pods(tree_, count_key(tree_, basis_, leader, pods));
    room.pods_with_leader =
        count_pods(tree_, count_key(tree_, basis_, wish.workers->requests, pods, &leader));
  }
  room.last = tree_.leaves();
  if (wish.within) std::tie(room.first, room.last) = *wish.within;
  return search(wish, shape, room);
}

FoundPlace PlaceFinder::search(const PlaceWish& wish, const TopologyShape& shape,
                               const LeafRoom& room) {
  std::vector<DomainPick>& picks = memory_.picks;
  picks.clear();
  Shortfall shortfall;
  FoundPlace place;
  if (shape.leaders == 0 && !shape.scored && !shape.balanced) {
    memory_.state.fill_plain(tree_, shape, room);
    place.fits = plain_search(tree_, shape, memory_.state, memory_.scratch, picks, shortfall);
  } else {
    memory_.state.fill(tree_, shape, room);
    place.fits = full_search(tree_, shape, memory_.state, picks, shortfall);
  }
  if (explanation_ != nullptr) explain(wish, shape, shortfall, place.fits);
  if (!place.fits) {
    if (!options_.is_question) place.sentence = shortfall_text(wish, shape, room, shortfall);
    return place;
  }
  place.workers.reserve(picks.size());
  for (const DomainPick& pick : picks) {
    if (pick.pods > 0) place.workers.push_back({pick.domain, pick.pods});
    if (pick.leaders > 0) place.leader.push_back({pick.domain, pick.leaders});
  }
  return place;
}

std::string PlaceFinder::shortfall_text(const PlaceWish& wish, const TopologyShape& shape,
                                        const LeafRoom& room, const Shortfall& shortfall) const {
  LeafExclusions exclusions{.leaves = tree_.leaves(), .by_resource = {}};
  for (std::uint32_t leaf = 0; leaf < tree_.leaves(); ++leaf) {
    if (!room.match->all_match && room.match->matches[leaf] == 0) continue;
    if (leaf < room.first || leaf >= room.last) {
      ++exclusions.by_domain;
    } else if (room.pods[leaf] == 0) {
      const ResourceId least =
          limiting_resource(tree_, basis_, wish.workers->requests, tables_.names, leaf);
      ++exclusions.by_resource[tables_.names.name(least)];
    }
  }
  return not_fit_text(tree_, shape, memory_.state, shortfall) +
         exclusions_text(exclusions, *room.match);
}

// Each level that was looked at, with what its best domain takes.
void PlaceFinder::explain(const PlaceWish& wish, const TopologyShape& shape,
                          const Shortfall& shortfall, bool fits) const {
  Tries& tries = explanation_->of(options_.workload);
  for (std::size_t level = shape.level + 1; level-- > shortfall.level;) {
    const std::int32_t* slices = memory_.state.slices(level);
    const std::int32_t best = *std::max_element(slices, slices + tree_.level(level).width);
    tries.levels.push_back({.pod_set = wish.workers->name,
                            .flavor = flavor_,
                            .level = tree_.level_keys()[level],
                            .fits = best,
                            .wanted = shape.slices(),
                            .chosen = fits && level == shortfall.level});
  }
}

}  // namespace muster::core
