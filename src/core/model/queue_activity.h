// Whether a ClusterQueue takes part in decisions, and if not, why: the reasons and the message of
// its condition Active, as Kueue has them.
//
//   const QueueActivity activity = activity_of(tables, queue);
//   activity.reason()      // "FlavorNotFound"
//   activity.message       // "Can't admit new workloads: references missing ResourceFlavor(s): a."
//
// Assumes: a cycle of cohorts stops a queue too, which Kueue's condition does not say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/tables.h"

namespace muster::core {

enum class InactiveReason : std::uint8_t {
  not_found,  // there is no such ClusterQueue
  invalid,    // it cannot be read
  terminating,
  stopped,
  flavor_not_found,
  admission_check_not_found,
  admission_check_inactive,
  multiple_multi_kueue_checks,
  multi_kueue_check_per_flavor,
  multi_kueue_with_provisioning_request,
  topology_not_found,
  cohort_cycle,
};

// `FlavorNotFound` …
std::string_view to_string(InactiveReason reason);

struct QueueActivity {
  std::vector<InactiveReason> reasons;  // empty: active
  std::string message;

  bool is_active() const { return reasons.empty(); }
  // Of the condition: the first that Kueue names, or Ready.
  std::string_view reason() const { return is_active() ? "Ready" : to_string(reasons.front()); }
};

QueueActivity activity_of(const Tables& tables, ClusterQueueId queue);

}  // namespace muster::core
