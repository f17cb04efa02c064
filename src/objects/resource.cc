// SPDX-License-Identifier: Apache-2.0
#include "objects/resource.h"

namespace muster::objects {

namespace {

// The last are named by those who read them alone.
constexpr Resource all[] = {
    resources::pods,
    resources::services,
    resources::config_maps,
    resources::limit_ranges,
    resources::events,
    resources::nodes,
    resources::namespaces,
    resources::endpoints,
    resources::persistent_volume_claims,
    resources::replica_sets,
    resources::deployments,
    resources::stateful_sets,
    resources::controller_revisions,
    resources::endpoint_slices,
    resources::jobs,
    resources::leases,
    resources::runtime_classes,
    resources::priority_classes,
    resources::workloads,
    resources::local_queues,
    resources::cluster_queues,
    resources::cohorts,
    resources::resource_flavors,
    resources::admission_checks,
    resources::topologies,
    resources::workload_priority_classes,
    {"", "v1", "resourcequotas", "ResourceQuota"},
    {"", "v1", "persistentvolumes", "PersistentVolume", Scope::cluster},
    {"storage.k8s.io", "v1", "storageclasses", "StorageClass", Scope::cluster},
};

}  // namespace

std::string Resource::api_version() const {
  if (group.empty()) return std::string(version);
  std::string text(group);
  text += '/';
  text += version;
  return text;
}

std::string ObjectKey::to_string() const {
  return name_space.empty() ? name : name_space + "/" + name;
}

std::span<const Resource> known_resources() {
  return all;
}

const Resource* find_resource(std::string_view group, std::string_view kind) {
  for (const Resource& resource : all) {
    if (resource.group == group && resource.kind == kind) return &resource;
  }
  return nullptr;
}

}  // namespace muster::objects
