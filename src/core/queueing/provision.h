// provision: Kueue's controller of ProvisioningRequests. A Workload that reserved quota and has a
// check of `kueue.x-k8s.io/provisioning-request` gets one request per check and try; what becomes
// of the request is written into the state of the check.
//
//   reserved ──► PodTemplates, ProvisioningRequest ──► Provisioned ──► check Ready, podSetUpdates
//                                                  └─► Failed, BookingExpired ──► Retry, or
//                                                  Rejected
//   finished or evicted ──► its requests are deleted
//
//   auto edits = provision({.workload = workload, .requests = its, …});
//
// Assumes: `requests` and `templates` are those that the Workload, or a request of it, owns. Look
// again when one of them, a check or a configuration changes; there are no timers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr objects::Resource provisioning_requests{
    "autoscaling.x-k8s.io", "v1", "provisioningrequests", "ProvisioningRequest"};
inline constexpr objects::Resource provisioning_request_configs{
    objects::resources::kueue_group, "v1beta2", "provisioningrequestconfigs",
    "ProvisioningRequestConfig", objects::Scope::cluster};
inline constexpr objects::Resource pod_templates{"", "v1", "podtemplates", "PodTemplate"};

struct Provisioning {
  objects::Value workload;
  std::span<const objects::Value> requests = {};
  std::span<const objects::Value> templates = {};
  std::span<const objects::Value> checks = {};   // AdmissionChecks
  std::span<const objects::Value> configs = {};  // ProvisioningRequestConfigs
  std::span<const objects::Value> flavors = {};
  Instant now = {};
};

std::vector<Edit> provision(const Provisioning& given);

// The condition Active of a check that is this controller's; nothing for those of others.
std::vector<Edit> judge_provisioning_check(const objects::Value& check,
                                           std::span<const objects::Value> configs, Instant now);

// `<workload>-<check>-<attempt>`, and `ppt-<request>-<pod set>`; long ones end with a hash.
std::string provisioning_request_name(std::string_view workload, std::string_view check,
                                      std::int64_t attempt);
std::string pod_template_name(std::string_view request, std::string_view pod_set);

}  // namespace muster::core
