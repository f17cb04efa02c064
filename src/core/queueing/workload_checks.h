// The admission checks of a Workload as its status has them: which ones apply, what they say
// together, and when those that asked for another try may be asked again. Their own controllers
// write what each of them says.
//
//   Value next = with_checks_of(workload, cluster_queue, now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "core/model/configuration.h"
#include "core/queueing/workload_status.h"
#include "objects/value.h"

namespace muster::core {

// The Workload with a state for every check of the ClusterQueue that concerns it and for no other:
// with an admission those of its flavors, without one those of all flavors. New ones are Pending.
objects::Value with_checks_of(const objects::Value& workload, const objects::Value& cluster_queue,
                              Instant now);

// `AdmissionChecks in Retry state: "a" (message); "b"`; empty where none is.
std::string checks_in_state(objects::View workload, std::string_view state);

// The latest moment that a check in the state Retry asks for.
std::optional<Instant> latest_retry(objects::View workload);

// status.requeueState for the try of that number: it waits base·2^(count−1) seconds, and never less
// than it waits already.
objects::Value with_next_try(const objects::Value& workload, std::int64_t count,
                             const WaitForPodsReady& rules, Instant now);

inline Words words_of(const FeatureGates& gates) {
  return gates.enabled(Gate::unadmitted_workloads_observability) ? Words::granular : Words::usual;
}

}  // namespace muster::core
