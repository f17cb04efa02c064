// SPDX-License-Identifier: Apache-2.0
#include "core/admission/obstacle.h"

#include "core/model/tables.h"

namespace muster::core {

namespace {

Reason::Type type_of(Obstacle::Type type) {
  switch (type) {
    case Obstacle::Type::resource_unavailable:
      return Reason::Type::resource_unavailable;
    case Obstacle::Type::flavor_not_found:
      return Reason::Type::flavor_not_found;
    case Obstacle::Type::no_topology:
      return Reason::Type::flavor_without_topology;
    case Obstacle::Type::topology_unknown:
      return Reason::Type::flavor_topology_unknown;
    case Obstacle::Type::level_missing:
      return Reason::Type::level_missing;
    case Obstacle::Type::topology_only:
      return Reason::Type::flavor_for_topology_only;
    case Obstacle::Type::untolerated_taint:
      return Reason::Type::untolerated_taint;
    case Obstacle::Type::node_affinity:
    case Obstacle::Type::unreadable_affinity:
      return Reason::Type::node_affinity;
    case Obstacle::Type::exceeds_maximum:
      return Reason::Type::exceeds_maximum;
    case Obstacle::Type::quota_in_use:
      return Reason::Type::quota_in_use;
    case Obstacle::Type::other_flavor_in_slice:
      return Reason::Type::other_flavor_in_slice;
    case Obstacle::Type::not_nominated:
      return Reason::Type::flavor_not_nominated;
  }
  return Reason::Type::invalid;
}

// The taint is looked up when it is told: the flavor is as it was when the cycle began.
std::string name_in(const Tables& tables, const Obstacle& obstacle) {
  if (obstacle.type == Obstacle::Type::untolerated_taint) {
    return tables.flavors[obstacle.flavor].spec.node_taints[obstacle.index].to_string();
  }
  if (obstacle.type == Obstacle::Type::other_flavor_in_slice && !obstacle.other.is_none()) {
    return tables.flavors.key(obstacle.other);
  }
  return {};
}

}  // namespace

std::string_view name_of(NoFitCause cause) {
  switch (cause) {
    case NoFitCause::none:
      return "";
    case NoFitCause::topology_placement_failed:
      return "TopologyPlacementFailed";
    case NoFitCause::waiting_for_quota:
      return "WaitingForQuota";
    case NoFitCause::exceeds_max_quota:
      return "ExceedsMaxQuota";
    case NoFitCause::no_matching_flavor:
      return "NoMatchingFlavor";
  }
  return "";
}

Reason reason_of(const Tables& tables, std::string_view pod_set, const Obstacle& obstacle) {
  Reason reason{.type = type_of(obstacle.type),
                .pod_set = std::string(pod_set),
                .name = name_in(tables, obstacle),
                .amount = obstacle.amount,
                .limit = obstacle.limit,
                .assumed = obstacle.assumed};
  if (!obstacle.flavor.is_none()) reason.flavor = tables.flavors.key(obstacle.flavor);
  if (!obstacle.resource.is_none()) reason.resource = tables.names.name(obstacle.resource);
  return reason;
}

}  // namespace muster::core
