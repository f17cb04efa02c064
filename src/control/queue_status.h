// The status of Kueue's objects as its users know it: the condition Active with its reasons and
// sentences, the numbers of Workloads, what they use by flavor, and fair shares. Pure.
//
//   Value next = with_cluster_queue_status(queue, {.activity = …, .numbers = numbers}, now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/queue_tally.h"
#include "core/model/queue_report.h"
#include "objects/value.h"

namespace muster::control {

// The condition Active.
struct Activity {
  bool active = false;
  std::string reason = {};
  std::string message = {};
};

// Of a LocalQueue; null where its ClusterQueue does not exist.
Activity activity_of(objects::View local_queue, const Activity* cluster_queue);

bool is_stopped(objects::View queue);

struct ClusterQueueReport {
  Activity activity;
  QueueNumbers numbers;
  // Where shares are fair; the largest int64 is infinite.
  std::optional<std::int64_t> weighted_share = {};
};
objects::Value with_cluster_queue_status(const objects::Value& cluster_queue,
                                         const ClusterQueueReport& report, Instant now);

struct LocalQueueReport {
  Activity activity;
  QueueNumbers numbers;
  objects::View cluster_queue = {};  // its flavors, in their order; absent: it does not exist
  std::optional<core::ConsumedResources> consumed = {};
};
objects::Value with_local_queue_status(const objects::Value& local_queue,
                                       const LocalQueueReport& report, Instant now);

objects::Value with_cohort_status(const objects::Value& cohort,
                                  std::optional<std::int64_t> weighted_share);

// The flavors that a ClusterQueue names.
std::vector<std::string_view> flavors_of(objects::View cluster_queue);

// The admission checks that a ClusterQueue names.
std::vector<std::string_view> checks_of(objects::View cluster_queue);

}  // namespace muster::control
