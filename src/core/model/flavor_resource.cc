// SPDX-License-Identifier: Apache-2.0
#include "core/model/flavor_resource.h"

#include "core/model/limits.h"

namespace muster::core {

std::int64_t usage_of(const Usage& usage, FlavorResourceId flavor_resource) {
  for (const FlavorUsage& entry : usage) {
    if (entry.flavor_resource == flavor_resource) return entry.amount;
  }
  return 0;
}

FlavorResourceId FlavorResources::find(FlavorId flavor, ResourceId resource) const {
  if (flavor.is_none() || flavor.index() >= by_flavor_.size()) return FlavorResourceId::none();
  for (const Entry& entry : by_flavor_[flavor.index()]) {
    if (entry.resource == resource) return entry.id;
  }
  return FlavorResourceId::none();
}

FlavorResourceId FlavorResources::intern(FlavorId flavor, ResourceId resource) {
  const FlavorResourceId known = find(flavor, resource);
  if (!known.is_none() || pairs_.size() >= flavor_resources_max) return known;
  const FlavorResourceId id(static_cast<std::uint32_t>(pairs_.size()));
  pairs_.emplace_back(flavor, resource);
  if (by_flavor_.size() <= flavor.index()) by_flavor_.resize(flavor.index() + 1);
  by_flavor_[flavor.index()].push_back({resource, id});
  return id;
}

}  // namespace muster::core
