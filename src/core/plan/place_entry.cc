// Room on the nodes for a gang whose quota fits, where its queue wants places to be checked or
// pinned: for the whole gang, or for nobody of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/placement/place_gang.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// Pod sets that have their domains from a topology, or will when their checks are ready, need no
// place of ours; theirs is empty.
std::vector<GangPart> parts_of(const Tables& tables, const Decision& entry) {
  const Workload& workload = tables.workloads[entry.workload].spec;
  const std::string& key = tables.workloads.key(entry.workload);
  const std::string_view name_space = std::string_view(key).substr(0, key.find('/'));
  std::vector<GangPart> parts;
  for (const PodSetFlavors& assigned : entry.assignment.pod_sets) {
    const GangPodSet& set = workload.pod_sets[assigned.index];
    GangPart& part = parts.emplace_back();
    part.pod_set = set.name;
    part.requests = &set.requests;
    const bool has_domains =
        assigned.topology || assigned.delayed_topology == DelayedTopology::pending;
    part.count = has_domains ? 0 : assigned.count;
    part.wish.terms = &set.terms;
    part.kind = {name_space, &set.labels, &set.neighbours};
    for (const FlavorAssignment& flavor : assigned.flavors) {
      const ResourceFlavor* spec = &tables.flavors[flavor.flavor].spec;
      if (std::ranges::find(part.wish.flavors, spec) == part.wish.flavors.end()) {
        part.wish.flavors.push_back(spec);
      }
    }
  }
  return parts;
}

// What the nodes are short of is part of the answer: `; 6 more nvidia.com/gpu needed`.
Reason no_place_reason(const Tables& tables, const NoPlace& failure) {
  const std::string excluded = failure.exclusions.tally();
  std::string resource;
  std::string shortage;
  if (!failure.short_resource.is_none()) {
    resource = tables.names.name(failure.short_resource);
    shortage = fmt::format("; {} more {} needed", amount_text(resource, failure.missing), resource);
  }
  return {.type = Reason::Type::no_place,
          .pod_set = failure.pod_set,
          .resource = resource,
          .amount = failure.fit,
          .limit = failure.wanted,
          .detail = fmt::format("{}. Total nodes: {}{}{}", shortage, failure.nodes,
                                excluded.empty() ? "" : "; excluded: ", excluded)};
}

}  // namespace

Placement placement_in(const Cycle& cycle, ClusterQueueId queue) {
  return cycle.tables.cluster_queues[queue].spec.placement.value_or(cycle.policy.placement);
}

std::optional<Reason> place_entry(Cycle& cycle, Trial& trial, Decision& entry) {
  const Placement placement = placement_in(cycle, entry.queue);
  if (placement == Placement::none || entry.is_second_pass) return std::nullopt;
  GangPlacement placed =
      place_gang(cycle.tables, trial, parts_of(cycle.tables, entry), &cycle.places);
  if (!placed.fits()) return no_place_reason(cycle.tables, *placed.failure);
  cycle.took_places = true;
  entry.places = std::move(placed.parts);
  entry.is_pinned = placement == Placement::pinned;
  return std::nullopt;
}

std::optional<Reason> place_later(Cycle& cycle, const Decision& entry) {
  const Placement placement = placement_in(cycle, entry.queue);
  if (placement == Placement::none || entry.is_second_pass) return std::nullopt;
  Trial room(cycle.tables.undo);
  give_leaving_room(cycle, room, entry);
  const GangPlacement placed = place_gang(cycle.tables, room, parts_of(cycle.tables, entry));
  if (placed.fits()) return std::nullopt;
  return no_place_reason(cycle.tables, *placed.failure);
}

namespace {

bool concerns(const Tables& tables, const RequiredCheck& check, const Decision& entry) {
  for (const PodSetFlavors& set : entry.assignment.pod_sets) {
    for (const FlavorAssignment& assigned : set.flavors) {
      const std::string& flavor = tables.flavors.key(assigned.flavor);
      if (check.on_flavors.empty() ||
          std::ranges::find(check.on_flavors, flavor) != check.on_flavors.end()) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool is_admitted_at_once(const Tables& tables, const Decision& entry) {
  const Workload& workload = tables.workloads[entry.workload].spec;
  for (const RequiredCheck& check : tables.cluster_queues[entry.queue].spec.checks) {
    const bool is_listed = std::ranges::find(workload.extras->checks, check.name,
                                             &CheckState::name) != workload.extras->checks.end();
    if (!is_listed && concerns(tables, check, entry)) return false;
  }
  const bool are_ready = std::ranges::all_of(workload.extras->checks, [](const CheckState& check) {
    return check.status == CheckStatus::ready;
  });
  const bool waits_for_topology =
      std::ranges::any_of(entry.assignment.pod_sets, [](const PodSetFlavors& set) {
        return !set.topology && set.delayed_topology == DelayedTopology::pending;
      });
  return are_ready && !waits_for_topology;
}

}  // namespace muster::core
