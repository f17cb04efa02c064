// SPDX-License-Identifier: Apache-2.0
#include "server/kind_traits.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace muster::server {

namespace {

template <std::size_t size>
bool contains(const std::string_view (&kinds)[size], std::string_view kind) {
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

// Those whose deletion answers with the object that is gone.
bool answers_deleted_object(const objects::Kind& kind) {
  constexpr std::string_view core[] = {"Namespace", "PersistentVolume", "PersistentVolumeClaim",
                                       "Pod",       "PodTemplate",      "ResourceQuota",
                                       "Service",   "ServiceAccount"};
  constexpr std::string_view storage[] = {"CSIDriver", "CSINode", "StorageClass",
                                          "VolumeAttachment", "VolumeAttributesClass"};
  constexpr std::string_view devices[] = {"DeviceClass", "DeviceTaintRule", "ResourceClaim",
                                          "ResourceClaimTemplate", "ResourceSlice"};
  if (kind.group.empty()) return contains(core, kind.kind);
  if (kind.group == "storage.k8s.io") return contains(storage, kind.kind);
  return kind.group == "resource.k8s.io" && contains(devices, kind.kind);
}

KindTraits native_traits_of(const objects::Kind& kind) {
  if (kind.group.empty()) {
    if (kind.kind == "Pod") return {.has_generation = true, .deletes_gracefully = true};
    if (kind.kind == "Node") return {.keeps_status_on_create = true};
    if (kind.kind == "PodTemplate") return {.has_generation = true};
    if (kind.kind == "ReplicationController") {
      return {.has_generation = true, .propagation = client::Propagation::orphan};
    }
    constexpr std::string_view shown[] = {"PersistentVolume", "PersistentVolumeClaim",
                                          "ResourceQuota", "Service", "ServiceAccount"};
    return {.answers_deleted_object =
                std::find(std::begin(shown), std::end(shown), kind.kind) != std::end(shown)};
  }
  if (kind.kind == "Job") {
    return {.has_generation = true, .propagation = client::Propagation::orphan};
  }
  constexpr std::string_view counted[] = {"CronJob",       "DaemonSet",
                                          "Deployment",    "DeviceClass",
                                          "EndpointSlice", "FlowSchema",
                                          "Ingress",       "IngressClass",
                                          "NetworkPolicy", "PriorityClass",
                                          "ReplicaSet",    "ResourceSlice",
                                          "StatefulSet",   "PriorityLevelConfiguration"};
  constexpr std::string_view conditional[] = {"APIService",         "CSIDriver", "CSINode",
                                              "CSIStorageCapacity", "Lease",     "RuntimeClass",
                                              "VolumeAttachment"};
  constexpr std::string_view both[] = {"CustomResourceDefinition",
                                       "MutatingAdmissionPolicy",
                                       "MutatingAdmissionPolicyBinding",
                                       "MutatingWebhookConfiguration",
                                       "PodDisruptionBudget",
                                       "ValidatingAdmissionPolicy",
                                       "ValidatingAdmissionPolicyBinding",
                                       "ValidatingWebhookConfiguration"};
  const auto is_one_of = [&](const auto& kinds) {
    return std::find(std::begin(kinds), std::end(kinds), kind.kind) != std::end(kinds);
  };
  return {.has_generation = is_one_of(counted) || is_one_of(both),
          .unconditional_update = !is_one_of(conditional) && !is_one_of(both),
          .answers_deleted_object = kind.kind == "StorageClass"};
}

}  // namespace

KindTraits traits_of(const objects::Kind& kind) {
  if (kind.style == objects::SchemaStyle::custom) {
    return {.has_generation = true, .unconditional_update = false};
  }
  constexpr std::string_view made[] = {
      "ClusterRole", "ClusterRoleBinding", "Endpoints",    "Event",  "Lease", "LimitRange",
      "Role",        "RoleBinding",        "RuntimeClass", "Service"};
  KindTraits traits = native_traits_of(kind);
  traits.created_by_update = contains(made, kind.kind);
  traits.answers_deleted_object = answers_deleted_object(kind);
  return traits;
}

}  // namespace muster::server
