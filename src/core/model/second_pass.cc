// SPDX-License-Identifier: Apache-2.0
#include "core/model/second_pass.h"

#include <algorithm>

namespace muster::core {

bool has_unhealthy_place(const Workload& workload) {
  if (workload.extras->unhealthy_nodes.empty() || !workload.is_admitted) return false;
  for (const PodSetAssignment& set : workload.admission->pod_sets) {
    if (!set.topology) continue;
    for (const TopologyDomain& domain : set.topology->domains) {
      if (domain.values.empty()) continue;
      if (std::ranges::find(workload.extras->unhealthy_nodes, domain.values.back()) !=
          workload.extras->unhealthy_nodes.end()) {
        return true;
      }
    }
  }
  return false;
}

bool has_pending_topology(const Workload& workload) {
  return std::ranges::any_of(workload.admission->pod_sets, [](const PodSetAssignment& set) {
    return !set.topology && set.delayed == DelayedTopology::pending;
  });
}

bool needs_second_pass(const Workload& workload) {
  if (workload.is_finished || workload.is_evicted || !workload.is_quota_reserved) return false;
  const bool was_put_off =
      !workload.extras->checks.empty() && !workload.is_admitted && has_pending_topology(workload) &&
      std::ranges::all_of(workload.extras->checks, [](const CheckState& check) {
        return check.status == CheckStatus::ready;
      });
  return was_put_off || has_unhealthy_place(workload);
}

Span second_pass_delay(int tries) {
  constexpr int tries_to_the_end = 5;  // 1, 2, 4, 8, 16, then 30
  if (tries > tries_to_the_end) return Span::of_seconds(30);
  return Span::of_seconds(std::int64_t{1} << std::max(0, tries - 1));
}

}  // namespace muster::core
