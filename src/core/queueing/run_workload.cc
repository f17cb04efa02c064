// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/run_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/queueing/workload_checks.h"
#include "core/queueing/workload_nodes.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;
using objects::resources::workloads;

namespace {

constexpr std::size_t event_message_bytes_max = 1024;
constexpr std::string_view workload_component = "kueue-workload-controller";

std::string_view reason_of(View stated) {
  return stated["reason"].string_or("");
}

std::string_view stop_policy(View queue) {
  return queue["spec"]["stopPolicy"].string_or("None");
}

Instant since(View stated, Instant now) {
  return objects::instant_of(stated["lastTransitionTime"]).value_or(now);
}

Instant after(Instant start, Span span) {
  return {saturating_add(start.nanoseconds, span.nanoseconds)};
}

// A pause began with the eviction. One whose beginning lies further in the future than it is long
// was measured by a clock that was set back since: it would last for as long as that.
bool is_measured_anew(View workload, Instant end, Instant now) {
  const Instant began = since(condition(workload, "Evicted"), now);
  const Span pause{saturating_subtract(end.nanoseconds, began.nanoseconds)};
  return began > now && began > after(now, pause);
}

bool waits_again_for(View workload, std::string_view reason) {
  const View requeued = condition(workload, "Requeued");
  return objects::is_false(requeued) && reason_of(requeued) == reason;
}

// Each step answers whether it had something to do; then the rest waits for the next look.
class Life {
 public:
  explicit Life(const ObservedWorkload& given)
      : given_(given),
        workload_(given.workload),
        words_(words_of(given.configuration.gates)),
        now_(given.now) {}

  WorkloadStep step() {
    if (end_orphan()) return std::move(step_);
    if (is_finished(workload_)) {
      keep_finished();
    } else if (!objects::is_being_deleted(workload_)) {
      live();
    }
    return std::move(step_);
  }

 private:
  void live();
  bool end_orphan();
  void keep_finished();
  bool follow_retry_times();
  bool reactivate();
  bool end_backoff();
  bool deactivate();
  void remove_deactivated();
  bool restart();
  bool follow_gate();
  bool follow_checks();
  bool answer_checks();
  bool leave_stopped(View queue, std::string_view kind, std::string_view name);
  bool tell_failed_nodes();
  bool check_readiness();
  bool check_execution_time();

  void write(Value next) { step_.edits.push_back(Edit::update_status(workloads, std::move(next))); }
  void unreserve(const Unreserved& why) { write(unreserved(workload_, why, words_, now_)); }
  void note(std::string reason, std::string_view message, bool warning = false);
  void evict(const Eviction& eviction, const Value& prepared);
  void mark_for_deactivation(const Value& workload, std::string reason, std::string message);
  void requeue(std::string_view reason, std::string_view message);

  // Whether that moment has come; if not, it is looked at again then.
  bool is_due(Instant when);

  const ObservedWorkload& given_;
  const Value& workload_;
  const Words words_;
  const Instant now_;
  WorkloadStep step_;
};

void Life::live() {
  if (follow_retry_times()) return;
  if (is_active_workload(workload_)) {
    if (reactivate() || end_backoff()) return;
  } else {
    remove_deactivated();
    if (!step_.edits.empty() || deactivate()) return;
  }
  if (restart() || follow_gate() || follow_checks()) return;
  if (!has_reservation(workload_)) return;
  const std::string_view local = workload_["spec"]["queueName"].string_or("");
  const std::string_view cluster = workload_["status"]["admission"]["clusterQueue"].string_or("");
  if (answer_checks() || leave_stopped(given_.local_queue, "LocalQueue", local) ||
      leave_stopped(given_.cluster_queue, "ClusterQueue", cluster)) {
    return;
  }
  if (tell_failed_nodes()) return;
  if (!check_readiness()) check_execution_time();
}

// Nobody's Workload any more: it was made for a job, and no job owns it.
bool Life::end_orphan() {
  if (!workload_["metadata"]["ownerReferences"].empty()) return false;
  const bool goes = objects::is_being_deleted(workload_);
  const bool was_owned = !objects::labels_of(workload_)[words::job_uid].string_or("").empty();
  if (!goes && !was_owned) return false;
  if (!goes && !is_finished(workload_)) {
    write(stating(workload_,
                  {.type = "Finished",
                   .reason = "OwnerNotFound",
                   .message = "The workload's owner no longer exists"},
                  now_));
    return true;
  }
  if (!objects::has_finalizer(workload_, words::resource_in_use)) return false;
  step_.edits.push_back(
      Edit::update(workloads, without_finalizer(workload_, words::resource_in_use)));
  return true;
}

void Life::keep_finished() {
  const auto& kept = given_.configuration.retention.after_finished;
  if (!kept || objects::is_being_deleted(workload_)) return;
  if (!is_due(after(since(condition(workload_, "Finished"), now_), *kept))) return;
  if (objects::has_finalizer(workload_, words::resource_in_use)) {
    step_.edits.push_back(
        Edit::update(workloads, without_finalizer(workload_, words::resource_in_use)));
  }
  step_.edits.push_back(Edit::remove(workloads, workload_));
  note("Deleted", "Deleted finished workload due to elapsed retention");
}

// A check that asks for a later try moves the moment of the next one, never nearer.
bool Life::follow_retry_times() {
  const auto latest = latest_retry(workload_);
  if (!latest || *latest <= now_) return false;
  const View requeue_at = workload_["status"]["requeueState"]["requeueAt"];
  const auto present = objects::instant_of(requeue_at);
  if (present && *present >= *latest) return false;
  write(Draft(workload_)
            .set({"status", "requeueState", "requeueAt"},
                 Value::string(format_time(Timestamp::of(*latest))))
            .value());
  return true;
}

bool Life::reactivate() {
  if (objects::is_true(condition(workload_, "DeactivationTarget"))) {
    step_.edits.push_back(Edit::update(
        workloads, Draft(workload_).set({"spec", "active"}, Value::boolean(false)).value()));
    return true;
  }
  // The reason names what deactivated it, where that was not its user.
  const View requeued = condition(workload_, "Requeued");
  if (!objects::is_false(requeued) || !reason_of(requeued).starts_with("Deactivated")) return false;
  requeue("Reactivated", "The workload was reactivated");
  return true;
}

bool Life::end_backoff() {
  if (has_reservation(workload_)) return false;
  const View requeue_at = workload_["status"]["requeueState"]["requeueAt"];
  const auto when = objects::instant_of(requeue_at);
  if (when && !is_measured_anew(workload_, *when, now_) && !is_due(*when)) return false;
  const bool held_back = waits_again_for(workload_, "PodsReadyTimeout") ||
                         waits_again_for(workload_, "AdmissionCheck");
  if (!when && !held_back) return false;
  Value next = Draft(workload_).drop({"status", "requeueState", "requeueAt"}).value();
  if (held_back) {
    next = stating(next,
                   {.type = "Requeued",
                    .reason = "BackoffFinished",
                    .message = "The workload backoff was finished"},
                   now_);
  }
  write(std::move(next));
  return true;
}

// spec.active is the user's switch, and ours when somebody used up its chances.
bool Life::deactivate() {
  const Value calm = Draft(workload_).drop({"status", "requeueState"}).value();
  if (is_evicted(workload_)) {
    if (calm.view() == workload_.view()) return false;
    write(calm);
    return true;
  }
  Eviction eviction{.reason = "Deactivated", .message = "The workload is deactivated"};
  const View target = condition(workload_, "DeactivationTarget");
  if (target) {
    eviction.underlying_cause = reason_of(target);
    eviction.message =
        fmt::format("{} due to {}", eviction.message, target["message"].string_or(""));
  }
  evict(eviction, without_condition(calm, "DeactivationTarget"));
  return true;
}

// A job that Kueue gave up is removed when it was kept long enough.
void Life::remove_deactivated() {
  const auto& kept = given_.configuration.retention.after_deactivated_by_kueue;
  const View eviction = condition(workload_, "Evicted");
  if (!kept || given_.job.is_absent() || objects::is_being_deleted(given_.job)) return;
  if (!objects::is_true(eviction) || !reason_of(eviction).starts_with("DeactivatedDueTo")) return;
  if (!is_due(after(since(eviction, now_), *kept))) return;
  step_.edits.push_back(Edit::remove(given_.job_resource, given_.job));
  step_.edits.push_back(
      Edit::record({.resource = given_.job_resource,
                    .about = given_.job,
                    .reason = "Deleted",
                    .message = "Deleted job: deactivation retention period expired",
                    .component = "batch/job-kueue-controller"}));
}

bool Life::restart() {
  if (!is_active_workload(workload_)) return false;
  if (waits_again_for(workload_, "LocalQueueStopped") && given_.local_queue &&
      stop_policy(given_.local_queue) == "None") {
    requeue("LocalQueueRestarted", "The LocalQueue was restarted after being stopped");
    return true;
  }
  if (waits_again_for(workload_, "ClusterQueueStopped") && given_.cluster_queue &&
      stop_policy(given_.cluster_queue) == "None") {
    requeue("ClusterQueueRestarted", "The ClusterQueue was restarted after being stopped");
    return true;
  }
  return false;
}

bool Life::follow_gate() {
  if (has_reservation(workload_) || !is_active_workload(workload_)) return false;
  if (is_on_hold(workload_)) return false;
  if (!given_.configuration.gates.enabled(Gate::admission_gated_by)) return false;
  const std::string gate(
      objects::annotations_of(workload_)[words::admission_gated_by].string_or(""));
  const bool is_told = reason_of(condition(workload_, "QuotaReserved")) == "AdmissionGated";
  if (gate.empty() == !is_told) return false;
  if (gate.empty()) {
    unreserve({.reason = "Pending",
               .granular = "PendingEvaluation",
               .message = "AdmissionGatedBy cleared, waiting for quota reservation"});
    note("AdmissionGateCleared", "Admission gate cleared, workload is now admissible");
  } else {
    const std::string message = fmt::format("Admission is gated by: {}", gate);
    unreserve({.reason = "AdmissionGated", .granular = "AdmissionGated", .message = message});
    note("AdmissionGated", fmt::format("Workload admission is gated by: {}", gate));
  }
  return true;
}

// Which checks there are, and whether all of them said yes. Where there are none, the scheduler
// admits in the write that reserves.
bool Life::follow_checks() {
  if (given_.cluster_queue.is_absent()) return false;
  Value next = with_checks_of(workload_, given_.cluster_queue, now_);
  const bool waits_for_them =
      has_reservation(workload_) && !is_admitted(workload_) && !is_evicted(workload_);
  if (waits_for_them) next = with_admitted_condition(next, words_, now_);
  if (next.view() == workload_.view()) return false;
  const bool becomes_admitted = waits_for_them && is_admitted(next);
  write(std::move(next));
  if (!becomes_admitted) return true;
  const Span waited = now_ - since(condition(workload_, "QuotaReserved"), now_);
  note("Admitted",
       fmt::format("Admitted by ClusterQueue {}, wait time since reservation was {:.0f}s",
                   workload_["status"]["admission"]["clusterQueue"].string_or(""),
                   static_cast<double>(waited.nanoseconds) / 1e9));
  return true;
}

bool Life::answer_checks() {
  if (is_evicted(workload_)) return false;
  if (const std::string rejected = checks_in_state(workload_, "Rejected"); !rejected.empty()) {
    if (objects::is_true(condition(workload_, "DeactivationTarget"))) return false;
    mark_for_deactivation(workload_, "AdmissionCheck", rejected);
    note("AdmissionCheckRejected", fmt::format("Deactivated due to {}", rejected), true);
    return true;
  }
  const std::string retried = checks_in_state(workload_, "Retry");
  if (retried.empty()) return false;
  evict({.reason = "AdmissionCheck", .message = fmt::format("Evicted due to {}", retried)},
        workload_);
  return true;
}

// A queue that is stopped keeps who runs there unless it is to be drained; who has only reserved
// gives it back.
bool Life::leave_stopped(View queue, std::string_view kind, std::string_view name) {
  if (is_admitted(workload_)) {
    if (stop_policy(queue) != "HoldAndDrain" || is_evicted(workload_)) return false;
    evict({.reason = fmt::format("{}Stopped", kind),
           .message = fmt::format("The {} is stopped", kind)},
          workload_);
    return true;
  }
  if (is_evicted(workload_)) return false;  // its job is being stopped
  if (!queue || objects::is_being_deleted(queue)) {
    const std::string message = fmt::format("{} {} is terminating or missing", kind, name);
    unreserve({.reason = "Inadmissible", .granular = "Misconfigured", .message = message});
    return true;
  }
  if (stop_policy(queue) == "None") return false;
  const std::string message = fmt::format("{} {} is stopped", kind, name);
  unreserve({.reason = "Inadmissible", .granular = "Suspended", .message = message});
  return true;
}

// The scheduler looks for another place for the pods of one failed node; if more than one has
// failed it gives the whole gang up, and says so itself.
bool Life::tell_failed_nodes() {
  const bool is_replaced = given_.configuration.gates.enabled(Gate::tas_failed_node_replacement) &&
                           is_admitted(workload_) && !is_evicted(workload_) &&
                           given_.failed_nodes.size() <= 1;
  if (!is_replaced) return false;
  Value next = with_unhealthy(workload_, given_.failed_nodes);
  if (next.view() == workload_.view()) return false;
  write(std::move(next));
  return true;
}

bool Life::check_readiness() {
  const WaitForPodsReady& rules = given_.configuration.wait_for_pods_ready;
  if (!rules.enabled || !is_admitted(workload_) || is_evicted(workload_) ||
      !is_active_workload(workload_) ||
      objects::is_true(condition(workload_, "DeactivationTarget"))) {
    return false;
  }
  const View ready = condition(workload_, "PodsReady");
  if (objects::is_true(ready)) return false;
  const bool recovers = reason_of(ready) == "WaitForRecovery";
  const Instant from = since(recovers ? ready : condition(workload_, "Admitted"), now_);
  if (!is_due(after(from, recovers ? rules.recovery_timeout : rules.timeout))) return false;
  const std::int64_t count =
      saturating_add(workload_["status"]["requeueState"]["count"].integer_or(0), 1);
  if (rules.backoff_limit_count && count > *rules.backoff_limit_count) {
    mark_for_deactivation(workload_, "RequeuingLimitExceeded",
                          "exceeding the maximum number of re-queuing retries");
    return true;
  }
  evict({.reason = "PodsReadyTimeout",
         .message = fmt::format("Exceeded the PodsReady timeout {}",
                                objects::key_of(workload_).to_string()),
         .underlying_cause = recovers ? "WaitForRecovery" : "WaitForStart"},
        with_next_try(workload_, count, rules, now_));
  return true;
}

bool Life::check_execution_time() {
  const auto allowed = workload_["spec"]["maximumExecutionTimeSeconds"].integer();
  if (!allowed || !is_admitted(workload_) || is_evicted(workload_) ||
      objects::is_true(condition(workload_, "DeactivationTarget"))) {
    return false;
  }
  const std::int64_t past =
      workload_["status"]["accumulatedPastExecutionTimeSeconds"].integer_or(0);
  const std::int64_t left = saturating_subtract(*allowed, past);
  const Span span{saturating_multiply(left, 1'000'000'000)};
  if (!is_due(after(since(condition(workload_, "Admitted"), now_), span))) return false;
  mark_for_deactivation(
      Draft(workload_).drop({"status", "accumulatedPastExecutionTimeSeconds"}).value(),
      "MaximumExecutionTimeExceeded", "exceeding the maximum execution time");
  note("MaximumExecutionTimeExceeded",
       fmt::format("The maximum execution time ({}s) exceeded", *allowed), true);
  return true;
}

void Life::note(std::string reason, std::string_view message, bool warning) {
  step_.edits.push_back(
      Edit::record({.resource = workloads,
                    .about = workload_,
                    .warning = warning,
                    .reason = std::move(reason),
                    .message = std::string(message.substr(0, event_message_bytes_max)),
                    .component = std::string(workload_component)}));
}

// `prepared`: the Workload with whatever else changes in that write.
void Life::evict(const Eviction& eviction, const Value& prepared) {
  write(evicted(prepared, eviction, now_));
  if (!workload_["status"]["admission"]) return;
  note(fmt::format("EvictedDueTo{}", condition_reason(eviction)), eviction.message);
}

void Life::mark_for_deactivation(const Value& workload, std::string reason, std::string message) {
  write(stating(
      workload,
      {.type = "DeactivationTarget", .reason = std::move(reason), .message = std::move(message)},
      now_));
}

void Life::requeue(std::string_view reason, std::string_view message) {
  write(stating(
      workload_,
      {.type = "Requeued", .reason = std::string(reason), .message = std::string(message)}, now_));
}

bool Life::is_due(Instant when) {
  if (when <= now_) return true;
  if (!step_.look_again || when < *step_.look_again) step_.look_again = when;
  return false;
}

}  // namespace

WorkloadStep run_workload(const ObservedWorkload& given) {
  return Life(given).step();
}

}  // namespace muster::core
