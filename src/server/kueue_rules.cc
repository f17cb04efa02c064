// SPDX-License-Identifier: Apache-2.0
#include "server/kueue_rules.h"

namespace muster::server {

core::Configuration kueue_rules(Context& context) {
  const auto maps = context.registry.find_resource("", "configmaps");
  if (maps == nullptr) return {};
  const CachedObject* map =
      context.cache.find(*maps, core::configuration_namespace, core::configuration_name);
  if (map == nullptr) return {};
  return core::read_configuration_map(context.trees.tree_of(map->bytes))
      .value_or(core::Configuration());
}

}  // namespace muster::server
