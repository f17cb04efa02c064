// SPDX-License-Identifier: Apache-2.0
#include "server/kind_traits.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace muster::server {

KindTraits traits_of(const objects::Kind& kind) {
  if (kind.style == objects::SchemaStyle::custom) {
    return {.has_generation = true, .unconditional_update = false};
  }
  if (kind.group.empty()) {
    if (kind.kind == "Pod") {
      return {.has_generation = true, .deletes_gracefully = true, .answers_deleted_object = true};
    }
    if (kind.kind == "Node") return {.keeps_status_on_create = true};
    if (kind.kind == "PodTemplate" || kind.kind == "ReplicationController") {
      return {.has_generation = true};
    }
    return {};
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
          .unconditional_update = !is_one_of(conditional) && !is_one_of(both)};
}

}  // namespace muster::server
