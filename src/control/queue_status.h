// The status of queues as Kueue's users know it: the condition Active with its reasons and
// sentences, the numbers of Workloads, and what they use by flavor. Pure.
//
//   Value next = with_status(cluster_queue, activity_of(cluster_queue, surroundings), numbers,
//   now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "control/queue_tally.h"
#include "objects/value.h"

namespace muster::control {

// The condition Active.
struct Activity {
  bool active = false;
  std::string reason = {};
  std::string message = {};
};

// What a ClusterQueue refers to, as far as it is there.
struct Surroundings {
  std::set<std::string, std::less<>> flavors;
  std::set<std::string, std::less<>> checks;
  std::set<std::string, std::less<>> active_checks;
};

Activity activity_of(objects::View cluster_queue, const Surroundings& around);

// Of a LocalQueue; null where its ClusterQueue does not exist.
Activity activity_of(objects::View local_queue, const Activity* cluster_queue);

objects::Value with_cluster_queue_status(const objects::Value& cluster_queue,
                                         const Activity& activity, const QueueNumbers& numbers,
                                         Instant now);

// The flavors are those of its ClusterQueue, in their order there.
objects::Value with_local_queue_status(const objects::Value& local_queue, const Activity& activity,
                                       const QueueNumbers& numbers, objects::View cluster_queue,
                                       Instant now);

// The flavors that a ClusterQueue names.
std::vector<std::string_view> flavors_of(objects::View cluster_queue);

}  // namespace muster::control
