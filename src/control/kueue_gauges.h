// The gauges among Kueue's metrics: what queues and cohorts are like at this moment, looked up when
// somebody reads them.
//
//   families.clear_gauges();
//   show_gauges({.families = families, .cache = cache, .state = state, .queues = queues});
//
// Assumes: the house thread. Costs a look at every queue and at everybody who waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/object_cache.h"
#include "control/kueue_families.h"
#include "control/queue_status_loop.h"
#include "core/model/cluster_state.h"

namespace muster::control {

struct GaugeSources {
  const KueueFamilies& families;
  const client::ObjectCache& cache;
  const core::ClusterState& state;
  const QueueStatusLoop& queues;
};

void show_gauges(const GaugeSources& sources);

// What the configuration wants to be shown: metrics.enableClusterQueueResources and
// metrics.localQueueMetrics. Both are there unless they are switched off.
struct MetricsScope {
  bool cluster_queue_resources = true;
  bool local_queues = true;
};
MetricsScope metrics_scope(const core::ClusterState& state);

// From the queue's own cohort to the root; empty where it has none or there is a cycle.
std::vector<std::string> cohorts_above(const core::ClusterState& state,
                                       std::string_view cluster_queue);

}  // namespace muster::control
