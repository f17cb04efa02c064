// KueueMetrics: Kueue's numbers for dashboards. What happens to Workloads is counted when the cache
// hears of it; what is so (who waits, quota, usage, shares) is looked up when somebody reads the
// metrics, so that waiting costs nothing and a queue that is gone leaves no series behind.
//
//   KueueMetrics metrics(house, cache, registry, state, queue_status);
//   metrics.start();                        // what was there before has been counted by others
//   metrics.on_cycle(plan, took);
//
// Assumes: the house thread; made before the cache starts; gone before the registry is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/metrics.h"
#include "client/object_cache.h"
#include "control/kueue_families.h"
#include "control/queue_status_loop.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"

namespace muster::control {

class KueueMetrics {
 public:
  KueueMetrics(client::House house, client::ObjectCache& cache, MetricRegistry& registry,
               const core::ClusterState& state, const QueueStatusLoop& queues);
  ~KueueMetrics();
  KueueMetrics(const KueueMetrics&) = delete;
  KueueMetrics& operator=(const KueueMetrics&) = delete;

  void start() { started_ = true; }

  // One cycle of plan().
  void on_cycle(const core::Plan& plan, Span took);

 private:
  void on_change(const client::CacheChange& change);
  void on_workload(const objects::Value& before, const objects::Value& after);
  void count_admission(const objects::Value& after, std::string_view cluster_queue);
  void refresh();

  client::House house_;
  MetricRegistry& registry_;
  const client::ObjectCache& cache_;
  const core::ClusterState& state_;
  const QueueStatusLoop& queues_;
  KueueFamilies families_;
  std::uint64_t refresh_ = 0;
  bool started_ = false;
};

}  // namespace muster::control
