// Resource: which collection of an API an object lives in, and ObjectKey: which object of it. The
// list of all that Muster's own code speaks of is here; kinds of tenants' CRDs are known to the
// server alone.
//
//   api.call({.verb = Verb::get, .resource = resources::pods, .name_space = "a", .name = "p"}, …);
//   const Resource* job = find_resource("batch", "Job");
//
// Assumes: the texts of a Resource live as long as the program. Kueue's kinds are spoken in
// v1beta2, the version they are stored in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>

#include "objects/admit.h"

namespace muster::objects {

struct Resource {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  Scope scope = Scope::namespaced;

  bool is_namespaced() const { return scope == Scope::namespaced; }

  // `v1` or `batch/v1`
  std::string api_version() const;

  // The version does not matter: an object is the same in all of them.
  friend bool operator==(const Resource& a, const Resource& b) {
    if (a.plural.size() != b.plural.size() || a.group.size() != b.group.size()) return false;
    // Mostly both are of the list below: then it is the same text.
    const bool is_same = a.plural.data() == b.plural.data() && a.group.data() == b.group.data();
    return is_same || (a.plural == b.plural && a.group == b.group);
  }
  friend auto operator<=>(const Resource& a, const Resource& b) {
    const auto order = a.group <=> b.group;
    return order != 0 ? order : a.plural <=> b.plural;
  }
};

// The namespace is empty for cluster-scoped kinds.
struct ObjectKey {
  std::string name_space;
  std::string name;

  // `team-a/train` or `n1`
  std::string to_string() const;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

namespace resources {

inline constexpr std::string_view kueue_group = "kueue.x-k8s.io";

inline constexpr Resource pods{"", "v1", "pods", "Pod"};
inline constexpr Resource services{"", "v1", "services", "Service"};
inline constexpr Resource config_maps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource limit_ranges{"", "v1", "limitranges", "LimitRange"};
inline constexpr Resource events{"", "v1", "events", "Event"};
inline constexpr Resource nodes{"", "v1", "nodes", "Node", Scope::cluster};
inline constexpr Resource namespaces{"", "v1", "namespaces", "Namespace", Scope::cluster};
inline constexpr Resource endpoints{"", "v1", "endpoints", "Endpoints"};
inline constexpr Resource persistent_volume_claims{"", "v1", "persistentvolumeclaims",
                                                   "PersistentVolumeClaim"};
inline constexpr Resource replica_sets{"apps", "v1", "replicasets", "ReplicaSet"};
inline constexpr Resource deployments{"apps", "v1", "deployments", "Deployment"};
inline constexpr Resource stateful_sets{"apps", "v1", "statefulsets", "StatefulSet"};
inline constexpr Resource controller_revisions{"apps", "v1", "controllerrevisions",
                                               "ControllerRevision"};
inline constexpr Resource endpoint_slices{"discovery.k8s.io", "v1", "endpointslices",
                                          "EndpointSlice"};
inline constexpr Resource jobs{"batch", "v1", "jobs", "Job"};
inline constexpr Resource leases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource runtime_classes{"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass",
                                          Scope::cluster};
inline constexpr Resource priority_classes{"scheduling.k8s.io", "v1", "priorityclasses",
                                           "PriorityClass", Scope::cluster};
inline constexpr Resource workloads{kueue_group, "v1beta2", "workloads", "Workload"};
inline constexpr Resource local_queues{kueue_group, "v1beta2", "localqueues", "LocalQueue"};
inline constexpr Resource cluster_queues{kueue_group, "v1beta2", "clusterqueues", "ClusterQueue",
                                         Scope::cluster};
inline constexpr Resource cohorts{kueue_group, "v1beta2", "cohorts", "Cohort", Scope::cluster};
inline constexpr Resource resource_flavors{kueue_group, "v1beta2", "resourceflavors",
                                           "ResourceFlavor", Scope::cluster};
inline constexpr Resource admission_checks{kueue_group, "v1beta2", "admissionchecks",
                                           "AdmissionCheck", Scope::cluster};
inline constexpr Resource topologies{kueue_group, "v1beta2", "topologies", "Topology",
                                     Scope::cluster};
inline constexpr Resource workload_priority_classes{
    kueue_group, "v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass", Scope::cluster};

}  // namespace resources

// All of the above.
std::span<const Resource> known_resources();

// Null where it is none of the above.
const Resource* find_resource(std::string_view group, std::string_view kind);

}  // namespace muster::objects
