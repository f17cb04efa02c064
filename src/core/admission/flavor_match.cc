// SPDX-License-Identifier: Apache-2.0
#include "core/admission/flavor_match.h"

#include <algorithm>

#include "core/model/tables.h"
#include "core/placement/topology.h"
#include "core/plan/policy.h"

namespace muster::core {

namespace {

bool overlaps(const Amounts& requests, std::span<const ResourceId> covered) {
  return std::ranges::any_of(requests, [&](const Amount& each) {
    return std::ranges::find(covered, each.resource) != covered.end();
  });
}

}  // namespace

bool asks_for_topology(const GangPodSet& set, bool is_topology_queue) {
  return is_topology_queue || set.topology.is_explicit();
}

std::optional<std::uint32_t> resource_group_of(const ClusterQueueRow& queue, ResourceId resource) {
  for (std::uint32_t i = 0; i < queue.spec.groups.size(); ++i) {
    const std::vector<ResourceId>& covered = queue.spec.groups[i].covered;
    if (std::ranges::find(covered, resource) != covered.end()) return i;
  }
  return std::nullopt;
}

bool is_topology_queue(const Tables& tables, const ClusterQueueRow& queue) {
  return std::ranges::all_of(queue.groups, [&](const std::vector<GroupFlavor>& group) {
    return std::ranges::all_of(group, [&](const GroupFlavor& each) {
      const FlavorRow& row = tables.flavors[each.flavor];
      return row.present && !row.spec.topology_name.empty();
    });
  });
}

std::optional<Obstacle::Type> FlavorMatch::topology_mismatch(FlavorId flavor,
                                                             const GangPodSet& set) const {
  const bool has_name = !tables.flavors[flavor].spec.topology_name.empty();
  if (!asks_for_topology(set, is_topology_queue)) {
    if (has_name) return Obstacle::Type::topology_only;
    return std::nullopt;
  }
  if (!set.topology.is_explicit()) return std::nullopt;
  if (!has_name) {
    // A flavor for resources that the pods themselves do not ask for (a transformation makes them)
    // gives quota and no nodes.
    if (!overlaps(set.requests, covered)) return std::nullopt;
    return Obstacle::Type::no_topology;
  }
  if (!has_topology(tables, flavor)) return Obstacle::Type::topology_unknown;
  if (!has_levels(tables, flavor, set.topology)) return Obstacle::Type::level_missing;
  return std::nullopt;
}

std::optional<Obstacle> FlavorMatch::mismatch(FlavorId flavor,
                                              std::span<const std::uint32_t> pod_sets) const {
  const FlavorRow& row = tables.flavors[flavor];
  if (!row.present) return Obstacle{.type = Obstacle::Type::flavor_not_found, .flavor = flavor};
  const bool knows_topologies = policy.kueue.gates.enabled(Gate::topology_aware_scheduling);
  for (const std::uint32_t index : pod_sets) {
    const GangPodSet& set = workload.pod_sets[index];
    if (knows_topologies) {
      if (const auto type = topology_mismatch(flavor, set)) {
        return Obstacle{.type = *type, .flavor = flavor};
      }
    }
    const Taint* taint =
        first_untolerated(row.spec.node_taints, {set.terms.tolerations, row.spec.tolerations});
    if (taint != nullptr) {
      return Obstacle{.type = Obstacle::Type::untolerated_taint,
                      .index = static_cast<std::uint16_t>(taint - row.spec.node_taints.data()),
                      .flavor = flavor};
    }
    if (!row.spec.node_labels.empty() && !set.terms.flavor_matches(row.spec.node_labels)) {
      const bool is_readable = set.terms.flavor_complaint(row.spec.node_labels).empty();
      return Obstacle{
          .type = is_readable ? Obstacle::Type::node_affinity : Obstacle::Type::unreadable_affinity,
          .index = static_cast<std::uint16_t>(index),
          .flavor = flavor};
    }
  }
  return std::nullopt;
}

}  // namespace muster::core
