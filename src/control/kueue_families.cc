// SPDX-License-Identifier: Apache-2.0
#include "control/kueue_families.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "control/limits.h"

namespace muster::control {

namespace {

struct Row {
  std::string_view name;
  std::string_view labels;  // blanks separate
  std::string_view help;
};

enum class Buckets : std::uint8_t { usual, fourteen, sixteen };

struct HistogramRow {
  Row row;
  Buckets buckets;
};

constexpr std::string_view by_queue = "cluster_queue replica_role";
constexpr std::string_view by_queue_and_class = "cluster_queue priority_class replica_role";
constexpr std::string_view by_queue_and_status = "cluster_queue replica_role status";
constexpr std::string_view by_eviction =
    "cluster_queue priority_class reason replica_role underlying_cause";
constexpr std::string_view by_quota = "cluster_queue cohort flavor replica_role resource";
constexpr std::string_view by_local = "name namespace replica_role";
constexpr std::string_view by_local_and_class = "name namespace priority_class replica_role";
constexpr std::string_view by_local_quota = "flavor name namespace replica_role resource";
constexpr std::string_view by_cohort_quota = "cohort flavor replica_role resource";

// In the order of KueueCounter.
constexpr Row counter_rows[] = {
    {"admission_attempts_total", "replica_role result",
     "The total number of attempts to admit workloads.\nEach admission attempt might try to admit "
     "more than one workload.\n'result' is 'success' where at least one workload was admitted, "
     "'inadmissible' where none was."},
    {"quota_reserved_workloads_total", by_queue_and_class,
     "The total number of quota reserved workloads per 'cluster_queue'"},
    {"admitted_workloads_total", by_queue_and_class,
     "The total number of admitted workloads per 'cluster_queue'"},
    {"finished_workloads_total", by_queue_and_class,
     "The total number of finished workloads per 'cluster_queue'"},
    {"evicted_workloads_total", by_eviction,
     "The number of evicted workloads per 'cluster_queue'. 'reason' is that of the condition "
     "Evicted, 'underlying_cause' why a workload was deactivated."},
    {"evicted_workloads_once_total", by_eviction,
     "The number of unique workload evictions per 'cluster_queue': of each workload the first one "
     "for a 'reason' and 'underlying_cause'."},
    {"preempted_workloads_total", "preempting_cluster_queue reason replica_role",
     "The number of preempted workloads per 'preempting_cluster_queue'. 'reason' is that of the "
     "condition Preempted."},
    {"replaced_workload_slices_total", by_queue,
     "The number of replaced workload slices per 'cluster_queue'"},
    {"cohort_subtree_admitted_workloads_total", "cohort priority_class replica_role",
     "The total number of admitted workloads per cohort's subtree"},
    {"local_queue_quota_reserved_workloads_total", by_local_and_class,
     "The total number of quota reserved workloads per 'local_queue'"},
    {"local_queue_admitted_workloads_total", by_local_and_class,
     "The total number of admitted workloads per 'local_queue'"},
    {"local_queue_finished_workloads_total", by_local_and_class,
     "The total number of finished workloads per 'local_queue'"},
    {"local_queue_evicted_workloads_total",
     "name namespace priority_class reason replica_role underlying_cause",
     "The number of evicted workloads per 'local_queue'. 'reason' is that of the condition "
     "Evicted, 'underlying_cause' why a workload was deactivated."},
};

// In the order of KueueHistogram.
constexpr HistogramRow histogram_rows[] = {
    {{"admission_attempt_duration_seconds", "replica_role result",
      "The latency of an admission attempt. 'result' is as in kueue_admission_attempts_total."},
     Buckets::usual},
    {{"quota_reserved_wait_time_seconds", by_queue_and_class,
      "The time between a workload was created or requeued until it got quota reservation, per "
      "'cluster_queue'"},
     Buckets::fourteen},
    {{"admission_wait_time_seconds", by_queue_and_class,
      "The time between a workload was created or requeued until admission, per 'cluster_queue'"},
     Buckets::sixteen},
    {{"admission_checks_wait_time_seconds", by_queue_and_class,
      "The time from when a workload got the quota reservation until admission, per "
      "'cluster_queue'"},
     Buckets::fourteen},
    {{"ready_wait_time_seconds", by_queue_and_class,
      "The time between a workload was created or requeued until ready, per 'cluster_queue'"},
     Buckets::fourteen},
    {{"admitted_until_ready_wait_time_seconds", by_queue_and_class,
      "The time between a workload was admitted until ready, per 'cluster_queue'"},
     Buckets::fourteen},
    {{"pods_ready_to_evicted_time_seconds", "cluster_queue reason replica_role underlying_cause",
      "The number of seconds between a workload's pods being ready and its eviction, per "
      "'cluster_queue'. 'reason' and 'underlying_cause' are as in kueue_evicted_workloads_total."},
     Buckets::fourteen},
    {{"workload_eviction_latency_seconds", "cluster_queue reason replica_role",
      "The time from a workload's eviction until its quota was released and it waits again, per "
      "'cluster_queue'. 'reason' is that of the condition Evicted."},
     Buckets::fourteen},
    {{"local_queue_quota_reserved_wait_time_seconds", by_local_and_class,
      "The time between a workload was created or requeued until it got quota reservation, per "
      "'local_queue'"},
     Buckets::fourteen},
    {{"local_queue_admission_wait_time_seconds", by_local_and_class,
      "The time between a workload was created or requeued until admission, per 'local_queue'"},
     Buckets::fourteen},
    {{"local_queue_admission_checks_wait_time_seconds", by_local_and_class,
      "The time from when a workload got the quota reservation until admission, per "
      "'local_queue'"},
     Buckets::fourteen},
    {{"local_queue_ready_wait_time_seconds", by_local_and_class,
      "The time between a workload was created or requeued until ready, per 'local_queue'"},
     Buckets::fourteen},
    {{"local_queue_admitted_until_ready_wait_time_seconds", by_local_and_class,
      "The time between a workload was admitted until ready, per 'local_queue'"},
     Buckets::fourteen},
};

// In the order of KueueGauge.
constexpr Row gauge_rows[] = {
    {"pending_workloads", by_queue_and_status,
     "The number of pending workloads, per 'cluster_queue' and 'status'.\n'active' are in the "
     "admission queue; 'inadmissible' were tried in vain and are not tried again before something "
     "changes that could make them admissible."},
    {"finished_workloads", by_queue, "The number of finished workloads per 'cluster_queue'."},
    {"reserving_active_workloads", by_queue,
     "The number of Workloads that are reserving quota, per 'cluster_queue'"},
    {"admitted_active_workloads", by_queue,
     "The number of admitted Workloads that are active, per 'cluster_queue'"},
    {"unadmitted_workloads", "cluster_queue reason replica_role underlying_cause",
     "The number of unadmitted workloads, per 'cluster_queue', 'reason', and 'underlying_cause'."},
    {"cluster_queue_status", by_queue_and_status,
     "Reports 'cluster_queue' with its 'status' (with possible values 'pending', 'active' or "
     "'terminating').\nFor a ClusterQueue, the metric only reports a value of 1 for one of the "
     "statuses."},
    {"cluster_queue_info", "cluster_queue parent_cohort replica_role root_cohort",
     "Reports ClusterQueue hierarchy information. The metric has value 1 and can be joined using "
     "labels."},
    {"cluster_queue_resource_reservation", by_quota,
     "Reports the cluster_queue's total resource reservation within all the flavors"},
    {"cluster_queue_resource_usage", by_quota,
     "Reports the cluster_queue's total resource usage within all the flavors"},
    {"cluster_queue_resource_pending", "cluster_queue replica_role resource",
     "Reports the cluster_queue's total pending resource requests, which have no flavors yet."},
    {"cluster_queue_nominal_quota", by_quota,
     "Reports the cluster_queue's resource nominal quota within all the flavors"},
    {"cluster_queue_borrowing_limit", by_quota,
     "Reports the cluster_queue's resource borrowing limit within all the flavors. If "
     "borrowingLimit is unset, this metric reports +Inf."},
    {"cluster_queue_lending_limit", by_quota,
     "Reports the cluster_queue's resource lending limit within all the flavors. If lendingLimit "
     "is unset, this metric reports +Inf."},
    {"cluster_queue_weighted_share", "cluster_queue cohort replica_role",
     "The largest ratio of usage above nominal quota to what the cohort could lend, among the "
     "resources of the ClusterQueue, divided by its weight. Zero: it borrows nothing. NaN: it "
     "borrows with a weight of zero."},
    {"cohort_info", "cohort parent_cohort replica_role root_cohort",
     "Reports Cohort hierarchy information. The metric has value 1 and can be joined using "
     "labels."},
    {"cohort_weighted_share", "cohort replica_role",
     "The largest ratio of usage above nominal quota to what the parent could lend, among the "
     "resources of the Cohort, divided by its weight. Zero: it borrows nothing. NaN: it borrows "
     "with a weight of zero."},
    {"cohort_subtree_quota", by_cohort_quota,
     "Reports the cohort's nominal quota aggregated within the cohort's subtree. The values are "
     "reported per resource and flavor"},
    {"cohort_subtree_resource_reservations", by_cohort_quota,
     "Reports the cohort's resource reservations aggregated within the cohort's subtree. The "
     "values are reported per resource and flavor"},
    {"cohort_subtree_admitted_active_workloads", "cohort replica_role",
     "The number of admitted Workloads that are active, per cohort's subtree"},
    {"local_queue_pending_workloads", "name namespace replica_role status",
     "The number of pending workloads, per 'local_queue' and 'status', which is as in "
     "kueue_pending_workloads."},
    {"local_queue_finished_workloads", by_local,
     "The number of finished workloads, per 'local_queue'."},
    {"local_queue_reserving_active_workloads", by_local,
     "The number of Workloads that are reserving quota, per 'localQueue'"},
    {"local_queue_admitted_active_workloads", by_local,
     "The number of admitted Workloads that are active, per 'localQueue'"},
    {"local_queue_unadmitted_workloads",
     "cluster_queue name namespace reason replica_role underlying_cause",
     "The number of unadmitted workloads, per 'name', 'namespace', 'cluster_queue', 'reason', and "
     "'underlying_cause'."},
    {"local_queue_status", "active name namespace replica_role",
     "Reports 'localQueue' with its 'active' status (with possible values 'True', 'False', or "
     "'Unknown').\nFor a LocalQueue, the metric only reports a value of 1 for one of the "
     "statuses."},
    {"local_queue_resource_reservation", by_local_quota,
     "Reports the localQueue's total resource reservation within all the flavors"},
    {"local_queue_resource_usage", by_local_quota,
     "Reports the localQueue's total resource usage within all the flavors"},
    {"local_queue_admission_fair_sharing_usage", "cluster_queue name namespace replica_role",
     "Reports the LocalQueue's usage for Admission Fair Sharing: the weighted sum of what it "
     "consumed and of penalties that are pending, divided by its weight."},
};

MetricOptions options_of(const Row& row) {
  MetricOptions options{.name = fmt::format("kueue_{}", row.name),
                        .help = std::string(row.help),
                        .series_max = kueue_series_max};
  for (std::string_view rest = row.labels; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    options.labels.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return options;
}

// 1, 2.5, 5, 10 … seconds; the usual ones are those of Prometheus' own library.
std::vector<double> bounds_of(Buckets buckets) {
  if (buckets == Buckets::usual) {
    return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
  }
  std::vector<double> bounds = {1};
  for (const double bound : exponential_bounds(2.5, 2, buckets == Buckets::fourteen ? 13 : 15)) {
    bounds.push_back(bound);
  }
  return bounds;
}

constexpr KueueCounter counters_of_queue[] = {
    KueueCounter::quota_reserved_workloads, KueueCounter::admitted_workloads,
    KueueCounter::finished_workloads,       KueueCounter::evicted_workloads,
    KueueCounter::evicted_workloads_once,   KueueCounter::replaced_workload_slices};
constexpr KueueHistogram histograms_of_queue[] = {
    KueueHistogram::quota_reserved_wait_time,       KueueHistogram::admission_wait_time,
    KueueHistogram::admission_checks_wait_time,     KueueHistogram::ready_wait_time,
    KueueHistogram::admitted_until_ready_wait_time, KueueHistogram::pods_ready_to_evicted_time,
    KueueHistogram::workload_eviction_latency};
constexpr KueueCounter counters_of_local_queue[] = {
    KueueCounter::local_queue_quota_reserved_workloads,
    KueueCounter::local_queue_admitted_workloads, KueueCounter::local_queue_finished_workloads,
    KueueCounter::local_queue_evicted_workloads};
constexpr KueueHistogram histograms_of_local_queue[] = {
    KueueHistogram::local_queue_quota_reserved_wait_time,
    KueueHistogram::local_queue_admission_wait_time,
    KueueHistogram::local_queue_admission_checks_wait_time,
    KueueHistogram::local_queue_ready_wait_time,
    KueueHistogram::local_queue_admitted_until_ready_wait_time};

}  // namespace

KueueFamilies::KueueFamilies(MetricRegistry& registry) {
  for (const Row& row : counter_rows) {
    counters_.push_back(registry.counter(options_of(row)).must());
  }
  for (const HistogramRow& each : histogram_rows) {
    histograms_.push_back(registry.histogram(options_of(each.row), bounds_of(each.buckets)).must());
  }
  for (const Row& row : gauge_rows) gauges_.push_back(registry.gauge(options_of(row)).must());
}

void KueueFamilies::clear_gauges() const {
  for (const MetricFamily<Gauge>& family : gauges_) family.clear();
}

void KueueFamilies::forget_cluster_queue(std::string_view name) const {
  const KueueFamilies& families = *this;
  for (const auto which : counters_of_queue)
    families[which].remove_where({{"cluster_queue", name}});
  for (const auto which : histograms_of_queue)
    families[which].remove_where({{"cluster_queue", name}});
  families[KueueCounter::preempted_workloads].remove_where({{"preempting_cluster_queue", name}});
}

void KueueFamilies::forget_cohort(std::string_view name) const {
  const KueueFamilies& families = *this;
  families[KueueCounter::cohort_subtree_admitted_workloads].remove_where({{"cohort", name}});
}

void KueueFamilies::forget_local_queue(std::string_view name_space, std::string_view name) const {
  const KueueFamilies& families = *this;
  for (const auto which : counters_of_local_queue) {
    families[which].remove_where({{"name", name}, {"namespace", name_space}});
  }
  for (const auto which : histograms_of_local_queue) {
    families[which].remove_where({{"name", name}, {"namespace", name_space}});
  }
}

}  // namespace muster::control
