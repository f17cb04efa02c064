// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/checks.h"

namespace muster::objects {

Check find_check(std::string_view name) {
  const std::span<const NamedCheck> tables[] = {
      access_checks(),       api_service_checks(), autoscaler_checks(), device_checks(),
      device_slice_checks(), flow_checks(),        ingress_checks(),    job_checks(),
      network_checks(),      placement_checks(),   pod_checks(),        quota_checks(),
      storage_checks(),      volume_checks(),      workload_checks()};
  for (const std::span<const NamedCheck> table : tables) {
    for (const NamedCheck& each : table) {
      if (each.name == name) return each.check;
    }
  }
  return nullptr;
}

}  // namespace muster::objects
