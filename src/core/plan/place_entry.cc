// Room on the nodes for a gang whose quota fits, where its queue wants places to be checked or
// pinned: for the whole gang, or for nobody of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/placement/place_gang.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

// The places of a pod set in the slice that the entry replaces: its pods stay where they are.
struct StandingPods {
  std::vector<PlacedPods> places;
  std::int64_t total = 0;
};

StandingPods standing_places(const Tables& tables, const Decision& entry,
                             std::string_view pod_set) {
  StandingPods standing;
  if (entry.assignment->replaced_slice.is_none()) return standing;
  const WorkloadRow& slice = tables.workloads[entry.assignment->replaced_slice];
  if (slice.reservation->slots.empty()) {  // another scheduler places its pods
    for (const PodSetAssignment& assigned : slice.spec.admission->pod_sets) {
      if (assigned.name == pod_set) standing.total = assigned.count;
    }
    return standing;
  }
  for (const Slot& slot : slice.reservation->slots) {
    if (slice.spec.pod_sets[slot.pod_set].name != pod_set) continue;
    const std::int64_t count = std::min(slot.count, slot.bound + slot.kept);
    if (count > 0) standing.places.push_back({slot.node, count});
    standing.total += count;
  }
  return standing;
}

// The places of before and the new ones, by the names of the nodes. A set that is smaller now gives
// up the last of its places.
PlacedPart joined(const Tables& tables, const StandingPods& standing, const PlacedPart& added,
                  std::int64_t count) {
  PlacedPart places = added;
  std::int64_t left = count;
  for (const PlacedPods& each : added) left -= each.count;
  for (const PlacedPods& each : standing.places) {
    const std::int64_t kept = std::min(each.count, left);
    if (kept <= 0) break;
    left -= kept;
    const auto same = std::ranges::find(places, each.node, &PlacedPods::node);
    if (same != places.end()) {
      same->count += kept;
    } else {
      places.push_back({each.node, kept});
    }
  }
  std::ranges::sort(places, {}, [&](const PlacedPods& each) -> const std::string& {
    return tables.nodes.key(each.node);
  });
  return places;
}

// From a topology, now or when its checks are ready: the pod set needs no place of ours.
bool has_domains(const PodSetFlavors& assigned) {
  return assigned.topology || assigned.delayed_topology == DelayedTopology::pending;
}

// Into the cycle's list, whose memory serves them all.
std::span<const GangPart> parts_of(Cycle& cycle, const Decision& entry) {
  const Tables& tables = cycle.tables;
  const Workload& workload = tables.workloads[entry.workload].spec;
  const NamespaceId name_space = tables.workloads[entry.workload].name_space;
  std::vector<GangPart>& parts = cycle.parts;
  parts.clear();
  for (const PodSetFlavors& assigned : entry.assignment->pod_sets) {
    const GangPodSet& set = workload.pod_sets[assigned.index];
    GangPart& part = parts.emplace_back();
    part.pod_set = set.name;
    part.requests = &set.requests;
    const std::int64_t standing = standing_places(tables, entry, set.name).total;
    part.count = has_domains(assigned) ? 0 : std::max<std::int64_t>(assigned.count - standing, 0);
    part.wish.terms = &set.terms;
    part.kind = {tables.namespaces.key(name_space), &set.labels, &set.neighbours};
    part.claims = &set.claims;
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
  std::string claims = failure.objection.empty() ? "" : ": " + failure.objection;
  if (!failure.claim.empty()) {
    claims = fmt::format("; all pods that use the ReadWriteOnce claim \"{}\" go to one node",
                         failure.claim);
  }
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
          .detail = fmt::format("{}{}. Total nodes: {}{}{}", shortage, claims, failure.nodes,
                                excluded.empty() ? "" : "; excluded: ", excluded)};
}

}  // namespace

Placement placement_in(const Cycle& cycle, ClusterQueueId queue) {
  return cycle.tables.cluster_queues[queue].spec.placement.value_or(cycle.policy.placement);
}

std::optional<Reason> place_entry(Cycle& cycle, Trial& trial, Decision& entry) {
  const Placement placement = placement_in(cycle, entry.queue);
  if (placement == Placement::none || entry.is_second_pass) return std::nullopt;
  const std::span<const GangPart> parts = parts_of(cycle, entry);
  for (const GangPart& part : parts) {
    if (!are_claims_taken(cycle, part.kind.name_space, *part.claims)) continue;
    return Reason{.type = Reason::Type::no_place,
                  .pod_set = std::string(part.pod_set),
                  .limit = part.count,
                  .detail = "; a claim that it uses was taken"};
  }
  GangPlacement& placed = cycle.placed;
  place_gang(cycle.tables, trial, parts, &cycle.places, placed);
  if (!placed.fits()) return no_place_reason(cycle.tables, *placed.failure);
  for (const GangPart& part : parts) take_claims(cycle, part.kind.name_space, *part.claims);
  cycle.took_places = true;
  for (std::size_t i = 0; i < placed.parts.size(); ++i) {
    PodSetFlavors& assigned = entry.assignment.edit().pod_sets[i];
    assigned.places = std::move(placed.parts[i]);
    if (has_domains(assigned)) continue;
    const StandingPods standing = standing_places(cycle.tables, entry, assigned.pod_set);
    if (standing.places.empty()) continue;
    assigned.places = joined(cycle.tables, standing, assigned.places, assigned.count);
  }
  entry.is_pinned = placement == Placement::pinned;
  return std::nullopt;
}

std::optional<Reason> place_later(Cycle& cycle, const Decision& entry) {
  const Placement placement = placement_in(cycle, entry.queue);
  if (placement == Placement::none || entry.is_second_pass) return std::nullopt;
  Trial room(cycle.tables.undo);
  give_leaving_room(cycle, room, entry);
  const GangPlacement placed = place_gang(cycle.tables, room, parts_of(cycle, entry));
  if (placed.fits()) return std::nullopt;
  return no_place_reason(cycle.tables, *placed.failure);
}

namespace {

bool concerns(const Tables& tables, const RequiredCheck& check, const Decision& entry) {
  for (const PodSetFlavors& set : entry.assignment->pod_sets) {
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
    // Nobody has judged it yet: who is admitted already stays so.
    if (!is_listed && concerns(tables, check, entry)) return workload.is_admitted;
  }
  const bool are_ready = std::ranges::all_of(workload.extras->checks, [](const CheckState& check) {
    return check.status == CheckStatus::ready;
  });
  const bool waits_for_topology =
      std::ranges::any_of(entry.assignment->pod_sets, [](const PodSetFlavors& set) {
        return !set.topology && set.delayed_topology == DelayedTopology::pending;
      });
  return are_ready && !waits_for_topology;
}

}  // namespace muster::core
