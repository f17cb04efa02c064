// KueueFamilies: Kueue's metrics by the names, labels and buckets that dashboards know, registered
// once. Which numbers they show is the matter of kueue_metrics.h.
//
//   KueueFamilies families(registry);
//   families[KueueCounter::admitted_workloads].with({"cq", "high", replica_role}).increment();
//
// Assumes: the house thread. Values come in the order of the labels in the table, which is the
// alphabet's. A family keeps at most kueue_series_max series (control/limits.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/metrics.h"

namespace muster::control {

// There is one process that decides: nobody leads and nobody follows.
inline constexpr std::string_view replica_role = "standalone";

enum class KueueCounter : std::uint8_t {
  admission_attempts,
  quota_reserved_workloads,
  admitted_workloads,
  finished_workloads,
  evicted_workloads,
  evicted_workloads_once,
  preempted_workloads,
  replaced_workload_slices,
  cohort_subtree_admitted_workloads,
  local_queue_quota_reserved_workloads,
  local_queue_admitted_workloads,
  local_queue_finished_workloads,
  local_queue_evicted_workloads,
};

enum class KueueHistogram : std::uint8_t {
  admission_attempt_duration,
  quota_reserved_wait_time,
  admission_wait_time,
  admission_checks_wait_time,
  ready_wait_time,
  admitted_until_ready_wait_time,
  pods_ready_to_evicted_time,
  workload_eviction_latency,
  local_queue_quota_reserved_wait_time,
  local_queue_admission_wait_time,
  local_queue_admission_checks_wait_time,
  local_queue_ready_wait_time,
  local_queue_admitted_until_ready_wait_time,
};

enum class KueueGauge : std::uint8_t {
  pending_workloads,
  finished_workloads,
  reserving_active_workloads,
  admitted_active_workloads,
  unadmitted_workloads,
  cluster_queue_status,
  cluster_queue_info,
  cluster_queue_resource_reservation,
  cluster_queue_resource_usage,
  cluster_queue_resource_pending,
  cluster_queue_nominal_quota,
  cluster_queue_borrowing_limit,
  cluster_queue_lending_limit,
  cluster_queue_weighted_share,
  cohort_info,
  cohort_weighted_share,
  cohort_subtree_quota,
  cohort_subtree_resource_reservations,
  cohort_subtree_admitted_active_workloads,
  local_queue_pending_workloads,
  local_queue_finished_workloads,
  local_queue_reserving_active_workloads,
  local_queue_admitted_active_workloads,
  local_queue_unadmitted_workloads,
  local_queue_status,
  local_queue_resource_reservation,
  local_queue_resource_usage,
  local_queue_admission_fair_sharing_usage,
};

class KueueFamilies {
 public:
  explicit KueueFamilies(MetricRegistry& registry);

  const MetricFamily<Counter>& operator[](KueueCounter which) const {
    return counters_[static_cast<std::size_t>(which)];
  }
  const MetricFamily<Histogram>& operator[](KueueHistogram which) const {
    return histograms_[static_cast<std::size_t>(which)];
  }
  const MetricFamily<Gauge>& operator[](KueueGauge which) const {
    return gauges_[static_cast<std::size_t>(which)];
  }

  void clear_gauges() const;

  // What is counted for a queue goes with it.
  void forget_cluster_queue(std::string_view name) const;
  void forget_cohort(std::string_view name) const;
  void forget_local_queue(std::string_view name_space, std::string_view name) const;

 private:
  std::vector<MetricFamily<Counter>> counters_;
  std::vector<MetricFamily<Histogram>> histograms_;
  std::vector<MetricFamily<Gauge>> gauges_;
};

}  // namespace muster::control
