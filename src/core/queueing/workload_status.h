// What a Workload's conditions say, and the statuses that queueing writes: finished, evicted,
// released, unreserved. Admission itself is plan()'s to write.
//
//   pending ──plan() reserves──► QuotaReserved ──► Admitted ──► Finished
//      ▲                               │               │
//      └── Requeued, job stopped ──────┴── Evicted ◄───┘
//
// Assumes: functions answer the whole object with its status changed, or the object itself where
// nothing would change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/metadata.h"
#include "objects/value.h"

namespace muster::core {

inline bool has_reservation(objects::View workload) {
  return objects::is_true(objects::condition(workload, "QuotaReserved"));
}
inline bool is_admitted(objects::View workload) {
  return objects::is_true(objects::condition(workload, "Admitted"));
}
inline bool is_finished(objects::View workload) {
  return objects::is_true(objects::condition(workload, "Finished"));
}
inline bool is_evicted(objects::View workload) {
  return objects::is_true(objects::condition(workload, "Evicted"));
}
// Its owner wants no quota for now: the reason of QuotaReserved=False.
inline constexpr std::string_view on_hold_reason = "OnHold";
inline bool is_on_hold(objects::View workload) {
  const objects::View reserved = objects::condition(workload, "QuotaReserved");
  return objects::is_false(reserved) && reserved["reason"].string_or("") == on_hold_reason;
}
inline bool is_active_workload(objects::View workload) {
  return workload["spec"]["active"].boolean_or(true);
}

struct Statement {
  std::string type;
  bool holds = true;
  std::string reason;
  std::string message;  // cut to what Kueue allows
};

// The Workload with that condition, observed at its generation.
objects::Value stating(const objects::Value& workload, const Statement& statement, Instant now);

objects::Value without_condition(const objects::Value& workload, std::string_view type);

struct Eviction {
  std::string reason;
  std::string message;
  std::string underlying_cause = {};  // of a deactivation, and of pods that were not ready in time
};

// `DeactivatedDueToMaximumExecutionTimeExceeded`: what the condition says; the counts of evictions
// have the two words apart.
std::string condition_reason(const Eviction& eviction);

// Evicted: the job must stop. Admission checks begin anew; the quota is held until the job has.
objects::Value evicted(const objects::Value& workload, const Eviction& eviction, Instant now);
inline objects::Value evicted(const objects::Value& workload, std::string_view reason,
                              std::string_view message, Instant now) {
  return evicted(workload, {.reason = std::string(reason), .message = std::string(message)}, now);
}

// How reasons to wait are worded: Kueue has finer words behind UnadmittedWorkloadsObservability.
enum class Words : std::uint8_t { usual, granular };

// Admitted as it follows from the reservation, the checks and the topology that is put off. Time
// that ends being admitted is counted.
objects::Value with_admitted_condition(const objects::Value& workload, Words words, Instant now);

// Without a reservation, for that reason.
struct Unreserved {
  std::string_view reason;    // the usual word
  std::string_view granular;  // the finer one
  std::string_view message;
};
objects::Value unreserved(const objects::Value& workload, const Unreserved& why, Words words,
                          Instant now);

// The evicted job has stopped: the reservation is gone, and the Workload may wait again at once
// unless the eviction's reason holds it back.
objects::Value released(const objects::Value& workload, Words words, Instant now);

}  // namespace muster::core
