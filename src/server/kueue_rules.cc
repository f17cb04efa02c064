// SPDX-License-Identifier: Apache-2.0
#include "server/kueue_rules.h"

#include "server/webhooks.h"

namespace muster::server {

SharedConfiguration KueueRules::current(Context& context) {
  const auto maps = context.registry.find_resource("", "configmaps");
  const CachedObject* map =
      maps == nullptr
          ? nullptr
          : context.cache.find(*maps, core::configuration_namespace, core::configuration_name);
  if (map == nullptr) {
    if (!seen_.is_none()) *this = {};
    return rules_;
  }
  if (map->revision == seen_) return rules_;
  seen_ = map->revision;
  auto read = core::read_configuration_map(context.trees.tree_of(map->bytes));
  if (read) rules_ = std::make_shared<const core::Configuration>(*std::move(read));
  return rules_;
}

SharedConfiguration kueue_rules(Context& context) {
  if (context.webhooks != nullptr) return context.webhooks->kueue_rules();
  return KueueRules().current(context);
}

}  // namespace muster::server
