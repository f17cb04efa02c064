// SPDX-License-Identifier: Apache-2.0
#include "control/kueue_metrics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "control/kueue_gauges.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::condition;
using objects::is_true;
using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::string_view deactivated = "Deactivated";
constexpr std::string_view due_to = "DueTo";

std::optional<Instant> changed_at(View condition) {
  return objects::instant_of(condition["lastTransitionTime"]);
}

bool became_true(View before, View after, std::string_view type) {
  return is_true(condition(after, type)) && !is_true(condition(before, type));
}

// The clocks of those who write and of those who read may differ.
double seconds_between(std::optional<Instant> from, std::optional<Instant> to) {
  if (!from || !to) return 0;
  return std::max(0.0, static_cast<double>((*to - *from).nanoseconds) * 1e-9);
}

// Since when it counts as queued: its creation, or its last return.
std::optional<Instant> queued_at(View workload) {
  if (const View requeued = condition(workload, "Requeued")) return changed_at(requeued);
  return objects::instant_of(workload["metadata"]["creationTimestamp"]);
}

std::string_view priority_class_of(View workload) {
  return workload["spec"]["priorityClassRef"]["name"].string_or("");
}

struct LocalQueueName {
  std::string_view name;
  std::string_view name_space;
};

LocalQueueName local_queue_of(View workload) {
  return {workload["spec"]["queueName"].string_or(""), objects::namespace_of(workload)};
}

struct Eviction {
  std::string_view reason;
  std::string_view cause;
  bool is_first = false;  // of this reason and cause
};

std::int64_t count_of(View workload, const Eviction& eviction) {
  for (const View each : workload["status"]["schedulingStats"]["evictions"].elements()) {
    if (each["reason"].string_or("") == eviction.reason &&
        each["underlyingCause"].string_or("") == eviction.cause) {
      return each["count"].integer_or(0);
    }
  }
  return 0;
}

// What the Workload keeps count of says it exactly; else the condition does.
Eviction eviction_of(View before, View after) {
  for (const View each : after["status"]["schedulingStats"]["evictions"].elements()) {
    Eviction eviction{.reason = each["reason"].string_or(""),
                      .cause = each["underlyingCause"].string_or("")};
    const std::int64_t count = each["count"].integer_or(0);
    if (count <= count_of(before, eviction)) continue;
    eviction.is_first = count == 1;
    return eviction;
  }
  const std::string_view reason = condition(after, "Evicted")["reason"].string_or("");
  if (!reason.starts_with(deactivated)) return {.reason = reason, .cause = {}};
  std::string_view cause = reason.substr(deactivated.size());
  if (cause.starts_with(due_to)) cause.remove_prefix(due_to.size());
  return {.reason = deactivated, .cause = cause};
}

// The last of "preemptor path: /root/…/queue".
std::string_view preempting_queue(std::string_view message) {
  constexpr std::string_view words = "preemptor path: ";
  const std::size_t at = message.find(words);
  if (at == std::string_view::npos) return {};
  std::string_view path = message.substr(at + words.size());
  path = path.substr(0, path.find(';'));
  return path.substr(path.rfind('/') + 1);
}

std::string_view cluster_queue_of(View before, View after) {
  const std::string_view now = after["status"]["admission"]["clusterQueue"].string_or("");
  return now.empty() ? before["status"]["admission"]["clusterQueue"].string_or("") : now;
}

// Counts what became of one Workload.
class Story {
 public:
  Story(const KueueFamilies& families, MetricsScope scope, View before, View after, Instant now)
      : families_(families),
        scope_(scope),
        before_(before),
        after_(after),
        now_(now),
        queue_(cluster_queue_of(before, after)),
        priority_class_(priority_class_of(after)),
        local_(local_queue_of(after)) {}

  void reserved() const {
    count(KueueCounter::quota_reserved_workloads,
          KueueCounter::local_queue_quota_reserved_workloads);
    observe(KueueHistogram::quota_reserved_wait_time,
            KueueHistogram::local_queue_quota_reserved_wait_time,
            seconds_between(queued_at(after_), now_));
  }

  void admitted() const {
    count(KueueCounter::admitted_workloads, KueueCounter::local_queue_admitted_workloads);
    observe(KueueHistogram::admission_wait_time, KueueHistogram::local_queue_admission_wait_time,
            seconds_between(queued_at(after_), now_));
    if (after_["status"]["admissionChecks"].empty()) return;
    observe(KueueHistogram::admission_checks_wait_time,
            KueueHistogram::local_queue_admission_checks_wait_time,
            seconds_between(changed_at(condition(after_, "QuotaReserved")), now_));
  }

  void ready() const {
    observe(KueueHistogram::ready_wait_time, KueueHistogram::local_queue_ready_wait_time,
            seconds_between(queued_at(after_), now_));
    observe(KueueHistogram::admitted_until_ready_wait_time,
            KueueHistogram::local_queue_admitted_until_ready_wait_time,
            seconds_between(changed_at(condition(after_, "Admitted")),
                            changed_at(condition(after_, "PodsReady"))));
  }

  void finished() const {
    count(KueueCounter::finished_workloads, KueueCounter::local_queue_finished_workloads);
    const View end = condition(after_, "Finished");
    if (end["reason"].string_or("") != "WorkloadSliceReplaced") return;
    families_[KueueCounter::replaced_workload_slices].with({queue_, replica_role}).increment();
  }

  void evicted() const {
    if (queue_.empty()) return;
    const Eviction eviction = eviction_of(before_, after_);
    const auto count_one = [&](KueueCounter which) {
      families_[which]
          .with({queue_, priority_class_, eviction.reason, replica_role, eviction.cause})
          .increment();
    };
    count_one(KueueCounter::evicted_workloads);
    if (eviction.is_first) count_one(KueueCounter::evicted_workloads_once);
    if (scope_.local_queues) {
      families_[KueueCounter::local_queue_evicted_workloads]
          .with({local_.name, local_.name_space, priority_class_, eviction.reason, replica_role,
                 eviction.cause})
          .increment();
    }
    const View ready = condition(before_, "PodsReady");
    if (!is_true(ready)) return;
    families_[KueueHistogram::pods_ready_to_evicted_time]
        .with({queue_, eviction.reason, replica_role, eviction.cause})
        .observe(seconds_between(changed_at(ready), changed_at(condition(after_, "Evicted"))));
  }

  void preempted() const {
    const View preempted = condition(after_, "Preempted");
    families_[KueueCounter::preempted_workloads]
        .with({preempting_queue(preempted["message"].string_or("")),
               preempted["reason"].string_or(""), replica_role})
        .increment();
  }

  // Its quota is free again and it waits.
  void released() const {
    const View evicted = condition(after_, "Evicted");
    if (!is_true(evicted) || queue_.empty()) return;
    families_[KueueHistogram::workload_eviction_latency]
        .with({queue_, evicted["reason"].string_or(""), replica_role})
        .observe(seconds_between(changed_at(evicted), now_));
  }

 private:
  void count(KueueCounter of_queue, KueueCounter of_local_queue) const {
    families_[of_queue].with({queue_, priority_class_, replica_role}).increment();
    if (!scope_.local_queues) return;
    families_[of_local_queue]
        .with({local_.name, local_.name_space, priority_class_, replica_role})
        .increment();
  }

  void observe(KueueHistogram of_queue, KueueHistogram of_local_queue, double seconds) const {
    families_[of_queue].with({queue_, priority_class_, replica_role}).observe(seconds);
    if (!scope_.local_queues) return;
    families_[of_local_queue]
        .with({local_.name, local_.name_space, priority_class_, replica_role})
        .observe(seconds);
  }

  const KueueFamilies& families_;
  MetricsScope scope_;
  View before_;
  View after_;
  Instant now_;
  std::string_view queue_;
  std::string_view priority_class_;
  LocalQueueName local_;
};

}  // namespace

KueueMetrics::KueueMetrics(client::House house, client::ObjectCache& cache,
                           MetricRegistry& registry, const core::ClusterState& state,
                           const QueueStatusLoop& queues)
    : house_(house),
      registry_(registry),
      cache_(cache),
      state_(state),
      queues_(queues),
      families_(registry) {
  refresh_ = registry.before_reading([this] { refresh(); });
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

KueueMetrics::~KueueMetrics() {
  registry_.forget(refresh_);
}

void KueueMetrics::on_change(const client::CacheChange& change) {
  if (!started_) return;
  const std::string_view name = objects::name_of(change.object());
  if (change.resource == resources::workloads) {
    if (change.before && change.after) on_workload(change.before, change.after);
  } else if (!change.after.is_absent()) {
    return;
  } else if (change.resource == resources::cluster_queues) {
    families_.forget_cluster_queue(name);
  } else if (change.resource == resources::cohorts) {
    families_.forget_cohort(name);
  } else if (change.resource == resources::local_queues) {
    families_.forget_local_queue(objects::namespace_of(change.object()), name);
  }
}

void KueueMetrics::on_workload(const Value& before, const Value& after) {
  if (before["status"] == after["status"]) return;
  const Story story(families_, metrics_scope(state_), before, after, house_.clock.wall());
  if (became_true(before, after, "QuotaReserved")) story.reserved();
  if (became_true(before, after, "Admitted")) {
    story.admitted();
    count_admission(after, cluster_queue_of(before, after));
  }
  const bool has_started = condition(after, "PodsReady")["reason"].string_or("") == "Started";
  if (has_started && became_true(before, after, "PodsReady")) story.ready();
  if (became_true(before, after, "Evicted")) story.evicted();
  if (became_true(before, after, "Preempted")) story.preempted();
  const bool is_finished = is_true(condition(after, "Finished"));
  if (became_true(after, before, "QuotaReserved") && !is_finished) story.released();
  if (became_true(before, after, "Finished")) story.finished();
}

// In every cohort above its queue.
void KueueMetrics::count_admission(const Value& after, std::string_view cluster_queue) {
  for (const std::string& cohort : cohorts_above(state_, cluster_queue)) {
    families_[KueueCounter::cohort_subtree_admitted_workloads]
        .with({cohort, priority_class_of(after), replica_role})
        .increment();
  }
}

void KueueMetrics::on_cycle(const core::Plan& plan, Span took) {
  if (plan.decisions.empty()) return;
  const bool admits = std::any_of(
      plan.decisions.begin(), plan.decisions.end(),
      [](const core::Decision& decision) { return decision.type == core::Decision::Type::admit; });
  const std::string_view result = admits ? "success" : "inadmissible";
  families_[KueueCounter::admission_attempts].with({replica_role, result}).increment();
  families_[KueueHistogram::admission_attempt_duration]
      .with({replica_role, result})
      .observe(static_cast<double>(took.nanoseconds) * 1e-9);
}

void KueueMetrics::refresh() {
  families_.clear_gauges();
  if (!started_) return;
  show_gauges({.families = families_, .cache = cache_, .state = state_, .queues = queues_});
}

}  // namespace muster::control
