// What people and dashboards ask about queues: who waits in a ClusterQueue and in which order, how
// many of them were tried in vain, and how large the share of a queue or cohort is.
//
//   const auto waiting = waiting_in(tables, "team-a");     // the first is tried first
//   const PendingCounts counts = pending_counts(tables, "team-a");
//
// Assumes: as in Kueue a queue that is stopped or lacks something keeps those who wait in it; a
// LocalQueue that is stopped does not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/tables.h"
#include "objects/value.h"

namespace muster::core {

// By the name of a ClusterQueue, or `namespace/name` of a LocalQueue; none where there is none.
ClusterQueueId find_cluster_queue(const Tables& tables, std::string_view name);
LocalQueueId find_local_queue(const Tables& tables, std::string_view key);

// It asks to be admitted, whatever its queue is like.
bool is_waiting(const Workload& workload);

struct WaitingWorkload {
  objects::Value object;
  std::string local_queue;    // `namespace/name`
  std::int64_t priority = 0;  // spec.priority
};
// By usage of the LocalQueue where that counts, stickiness, priority, age and uid. Nothing where
// there is no such queue.
std::optional<std::vector<WaitingWorkload>> waiting_in(const Tables& tables,
                                                       std::string_view cluster_queue);

struct PendingCounts {
  std::int64_t active = 0;        // will be tried
  std::int64_t inadmissible = 0;  // were tried, or their queue takes no part
};
PendingCounts pending_counts(const Tables& tables, ClusterQueueId queue);
PendingCounts pending_counts(const Tables& tables, LocalQueueId queue);

// What those who wait ask for in all, by resource: amounts as quota counts them.
Amounts pending_requests(const Tables& tables, ClusterQueueId queue);

// What the LocalQueue used lately, by name of the resource, and when that was looked at; nothing
// where nobody keeps account of it.
struct ConsumedResources {
  std::vector<std::pair<std::string, Quantity>> amounts = {};
  Instant sampled_at = {};
};
std::optional<ConsumedResources> consumed_by(const Tables& tables, LocalQueueId queue);

// Of the root's share nobody asks: it borrows from nobody. Infinite without weight.
double weighted_share(const Tables& tables, QuotaNodeId node);

}  // namespace muster::core
