// What a Workload's conditions say, and the statuses that queueing writes: finished, evicted,
// released. Admission itself is plan()'s to write.
//
//   pending ──plan() reserves──► QuotaReserved ──► Admitted ──► Finished
//      ▲                               │               │
//      └── Requeued, job stopped ──────┴── Evicted ◄───┘
//
// Assumes: functions answer the whole object with its status changed, or the object itself where
// nothing would change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Evicted: the job must stop. Admission checks begin anew; the quota is held until the job has.
objects::Value evicted(const objects::Value& workload, std::string_view reason,
                       std::string_view message, Instant now);

// The evicted job has stopped: the reservation is gone, and the Workload may wait again at once
// unless the eviction's reason holds it back.
objects::Value released(const objects::Value& workload, Instant now);

}  // namespace muster::core
