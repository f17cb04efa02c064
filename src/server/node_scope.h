// CachedNodeScope: which objects concern a node, from the pods that are bound to it: the pods
// themselves, the secrets, config maps, claims and service accounts they name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/kind_registry.h"
#include "server/node_access.h"
#include "server/object_cache.h"
#include "server/tree_cache.h"

namespace muster::server {

class CachedNodeScope final : public NodeScope {
 public:
  CachedNodeScope(const objects::KindRegistry& registry, const ObjectCache& cache, TreeCache& trees)
      : registry_(registry), cache_(cache), trees_(trees) {}

  bool concerns(std::string_view node, std::string_view resource, std::string_view name_space,
                std::string_view name) const override;

 private:
  bool has_volume(std::string_view node, std::string_view name) const;

  const objects::KindRegistry& registry_;
  const ObjectCache& cache_;
  TreeCache& trees_;
};

// Whether the pod refers to that object of its namespace.
bool pod_refers_to(objects::View pod, std::string_view resource, std::string_view name);

}  // namespace muster::server
