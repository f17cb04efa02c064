// The steps in Kueue's order; each look takes the first that has something to do.
//
//   job gone? ─► its Workload ─► finished? ─► being deleted? ─► job finished? ─► missing? ─►
//   counts and readiness ─► evicted? ─► start, or keep stopped
//
// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/reconcile_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/draft.h"
#include "core/queueing/compose_workload.h"
#include "core/queueing/elastic_slices.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/workload_look.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;
using objects::resources::workloads;

namespace {

constexpr std::size_t event_message_bytes_max = 1024;

std::string key_text(View object) {
  return objects::key_of(object).to_string();
}

}  // namespace

std::vector<Edit> WorkloadLook::edits() {
  if (job_.is_absent() || objects::is_being_deleted(job_)) {
    let_go();
  } else if (is_managed()) {
    reconcile();
  }
  return std::move(edits_);
}

// Whether it is Kueue's to queue. One that looks as if it were, and is not, says so when it is new.
bool WorkloadLook::is_managed() {
  if (given_.scope == nullptr) return !queue_name_of(job_).empty();
  const Unmanaged why = why_unmanaged(*given_.scope, shape_.integration, job_, given_.name_space);
  const bool is_new = !job_["status"]["startTime"] && job_["status"]["conditions"].empty() &&
                      !shape_.is_active(job_);
  if (is_new && !why.sentence.empty()) record("NotManaged", why.sentence, why.is_warning);
  return !why.holds;
}

void WorkloadLook::reconcile() {
  auto pod_sets = shape_.pod_sets(job_);
  if (!pod_sets) return refuse(pod_sets.error());
  pod_sets_ = *std::move(pod_sets);
  const std::string_view prebuilt = prebuilt_workload_of(job_);
  if (!prebuilt.empty() && shape_.matches == nullptr) return reconcile_prebuilt(prebuilt);
  if (is_elastic_job(given_)) return reconcile_slices();
  const Own own = own_workloads();
  if (!keep_one(own)) return;
  if (own.match) return reconcile_with(*own.match);
  if (!shape_.outcome(job_)) create();
}

// Whether there is at most one Workload and it matches; if not, an edit towards that.
bool WorkloadLook::keep_one(const Own& own) {
  if (!own.match && !is_suspended() && !shape_.outcome(job_)) {
    const Value* last = own.others.size() == 1 ? &own.others[0] : nullptr;
    const bool is_stopped = stop(
        last, stop_of_unmatched,
        last == nullptr ? "Missing Workload; unable to restore pod templates"
                        : "No matching Workload; restoring pod templates according to existent "
                          "Workload");
    if (!is_stopped) return false;
  }
  if (update_unmatched(own)) return false;
  for (const Value& other : own.others) {
    remove_workload(other);
    record("DeletedWorkload", fmt::format("Deleted not matching Workload: {}", key_text(other)));
  }
  if (!own.others.empty()) return false;
  return !own.match || (!update_gate(*own.match) && !update_priority(*own.match));
}

void WorkloadLook::reconcile_with(const Value& workload) {
  if (is_finished(workload)) {
    if (objects::has_finalizer(workload, words::resource_in_use)) {
      edits_.push_back(
          Edit::update(workloads, without_finalizer(workload, words::resource_in_use)));
    }
    return;
  }
  const auto outcome = shape_.outcome(job_);
  if (objects::is_being_deleted(workload)) {
    if (!outcome && !stop(&workload, stop_of_deleted, "Workload is deleted")) return;
    remove_workload(workload);
    return;
  }
  if (outcome) {
    return finish(workload, outcome->succeeded ? "Succeeded" : "Failed", outcome->message);
  }
  if (update_counts(workload)) return;
  if (is_evicted(workload)) return stop_evicted(workload);
  if (!is_suspended()) {
    if (!may_run(workload)) stop(&workload, stop_of_unadmitted, "Not admitted by cluster queue");
    return;
  }
  if (is_admitted(workload)) return start(workload);
  if (has_reservation(workload)) tell_checks(workload);
  follow_queue_name(workload);
}

// A job that was admitted while it was being stopped is stopped first, and then started. Pods of an
// elastic job run on while the slice that took the first one's place waits for its checks.
bool WorkloadLook::may_run(const Value& workload) const {
  const bool has_quota =
      is_admitted(workload) ||
      (has_reservation(workload) && is_elastic_job(given_) && !replaced_by(workload).empty());
  return has_quota && !shape_.is_stopping(job_);
}

// A Workload that somebody else made. The job owns it from the first look on, and it must describe
// the job; without it the job does not run.
void WorkloadLook::reconcile_prebuilt(std::string_view name) {
  const auto found = std::ranges::find_if(
      given_.workloads, [&](const Value& workload) { return objects::name_of(workload) == name; });
  if (found == given_.workloads.end()) {
    return wait_for_prebuilt(fmt::format("prebuilt workload {} not found", name));
  }
  const Value& workload = *found;
  const View owner = objects::controller_of(workload);
  if (owner && owner["uid"].string_or("") != objects::uid_of(job_)) {
    return wait_for_prebuilt(
        fmt::format("The workload {} is already controlled by another object: {} {}", name,
                    owner["kind"].string_or(""), owner["name"].string_or("")));
  }
  if (!owner) {
    edits_.push_back(Edit::update(workloads, with_controller(shape_, job_, workload)));
    return;
  }
  if (matches(workload)) return reconcile_with(workload);
  constexpr std::string_view out_of_sync = "The prebuilt workload is out of sync with its user job";
  if (!is_finished(workload)) {
    write_status(stating(
        workload, {.type = "Finished", .reason = "OutOfSync", .message = std::string(out_of_sync)},
        given_.now));
  }
  wait_for_prebuilt(std::string(out_of_sync));
}

void WorkloadLook::wait_for_prebuilt(const std::string& why) {
  if (shape_.outcome(job_)) return;
  if (!is_suspended() && !stop(nullptr, stop_of_unmatched, "missing workload")) return;
  record("PrebuiltWorkloadNotFound", why, true);
}

void WorkloadLook::create() {
  // Pods of before would not be counted by the new Workload.
  if (!prebuilt_workload_of(job_).empty() || shape_.is_active(job_)) return;
  auto composed = compose_workload(shape_, given_, pod_sets_);
  if (!composed) return refuse(composed.error());
  record("CreatedWorkload", fmt::format("Created Workload: {}", key_text(*composed)));
  edits_.insert(edits_.begin(), Edit::create(workloads, *std::move(composed)));
}

WorkloadLook::Own WorkloadLook::own_workloads() const {
  std::vector<Value> all(given_.workloads.begin(), given_.workloads.end());
  const auto age = [](const Value& workload) {
    return std::pair(workload["metadata"]["creationTimestamp"].string_or(""),
                     objects::name_of(workload));
  };
  std::sort(all.begin(), all.end(),
            [&](const Value& a, const Value& b) { return age(a) < age(b); });
  Own own;
  for (Value& each : all) {
    if (!own.match && matches(each)) {
      own.match = std::move(each);
    } else {
      own.others.push_back(std::move(each));
    }
  }
  return own;
}

// Not that of an earlier job of the same name.
bool WorkloadLook::is_own(const Value& workload) const {
  return shape_.matches != nullptr ||
         objects::controller_of(workload)["uid"].string_or("") == objects::uid_of(job_);
}

// A Workload whose counts were cut by a partial admission describes the running job; the job that
// is not started yet, or is stopped, is described by its spec.
bool WorkloadLook::matches(const Value& workload) const {
  if (!is_own(workload)) return false;
  const auto prebuilt = prebuilt_workload_of(job_);
  if (!prebuilt.empty() && shape_.matches != nullptr) return objects::name_of(workload) == prebuilt;
  if (workload["spec"]["maximumExecutionTimeSeconds"].integer() !=
      maximum_execution_seconds_of(job_)) {
    return false;
  }
  if (shape_.matches != nullptr) return shape_.matches(job_, workload);
  const auto tolerations = is_admitted(workload) ? Tolerations::ignored : Tolerations::compared;
  const std::vector<PodSet> wanted = pod_sets_of(workload);
  if (!has_reservation(workload)) return same_pod_sets(pod_sets_, wanted, tolerations);
  std::vector<PodSet> running = wanted;
  const View assignments = workload["status"]["admission"]["podSetAssignments"];
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (!running[i].minimum_count) continue;
    running[i].count = assignments[i]["count"].integer_or(running[i].count);
  }
  return same_pod_sets(pod_sets_, running, tolerations) ||
         (is_suspended() && same_pod_sets(pod_sets_, wanted, tolerations));
}

// A job that waits may be changed: its Workload follows.
bool WorkloadLook::update_unmatched(const Own& own) {
  if (own.match || own.others.empty() || !is_suspended()) return false;
  const Value& old = own.others[0];
  if (has_reservation(old) || objects::is_being_deleted(old) || is_finished(old)) return false;
  if (!is_own(old)) return false;
  auto composed = compose_workload(shape_, given_, pod_sets_);
  if (!composed) {
    refuse(composed.error());
    return true;
  }
  Draft draft(old);
  draft.set({"spec"}, composed->part((*composed)["spec"]));
  draft.set({"spec", "active"}, Value::boolean(is_active_workload(old)));
  if (draft.value().view() == old.view()) return false;
  edits_.push_back(Edit::update(workloads, draft.value()));
  record("UpdatedWorkload",
         fmt::format("Updated not matching Workload for suspended job: {}", key_text(old)));
  return true;
}

// The priority follows the job's label. One that came from a pod's class stays, and a reserved
// Workload cannot get a class that it did not have.
bool WorkloadLook::update_priority(const Value& workload) {
  const View reference = workload["spec"]["priorityClassRef"];
  if (objects::is_being_deleted(workload) || is_finished(workload)) return false;
  if (reference["name"].string_or("") == priority_class_of(job_)) return false;
  const bool is_pods = reference && reference["kind"].string_or("") != "WorkloadPriorityClass";
  if (is_pods || (!reference && has_reservation(workload))) return false;
  const auto priority = priority_of(given_, pod_sets_);
  if (!priority) {
    refuse(priority.error());
    return true;
  }
  const Value next = Draft(workload)
                         .set_or_drop({"spec", "priorityClassRef"}, priority->class_reference)
                         .set({"spec", "priority"}, Value::integer(priority->value))
                         .value();
  if (next.view() == workload.view()) return false;
  edits_.push_back(Edit::update(workloads, next));
  record("UpdatedWorkload", fmt::format("Updated workload priority class: {}", key_text(workload)));
  return true;
}

// Who holds the job back holds its Workload back.
bool WorkloadLook::update_gate(const Value& workload) {
  const auto gate = [](View of) {
    return objects::annotations_of(of)[words::admission_gated_by].string_or("");
  };
  if (gate(job_) == gate(workload) || objects::is_being_deleted(workload)) return false;
  // Whoever made the Workload says what it waits for.
  if (!prebuilt_workload_of(job_).empty()) return false;
  Draft draft(workload);
  draft.drop({"metadata", "annotations", words::admission_gated_by});
  if (!gate(job_).empty()) {
    draft.set({"metadata", "annotations", words::admission_gated_by}, Value::string(gate(job_)));
  }
  edits_.push_back(Edit::update(workloads, draft.value()));
  record("UpdatedWorkload", fmt::format("Updated workload AdmissionGatedBy to \"{}\"", gate(job_)));
  return true;
}

// What the checks of a reservation say meanwhile.
void WorkloadLook::tell_checks(const Value& workload) {
  std::string message;
  for (View check : workload["status"]["admissionChecks"].elements()) {
    const std::string_view said = check["message"].string_or("");
    if (check["state"].string_or("") != "Pending" || said.empty()) continue;
    if (!message.empty()) message += "; ";
    message += fmt::format("{}: {}", check["name"].string_or(""), said);
  }
  if (!message.empty()) record("UpdatedAdmissionCheck", message);
}

namespace {

Value with_reclaimable(const Value& workload, const std::vector<Reclaimable>& done) {
  std::vector<Value> list;
  for (const Reclaimable& each : done) {
    std::int64_t count = each.count;
    for (View set : workload["spec"]["podSets"].elements()) {
      if (set["name"].string_or("") != each.pod_set) continue;
      count = std::min(count, set["count"].integer_or(0));
    }
    list.push_back(
        Value::object({{"name", Value::string(each.pod_set)}, {"count", Value::integer(count)}}));
  }
  const Value wanted = list_of(list);
  const View present = workload["status"]["reclaimablePods"];
  if (list.empty() ? present.empty() : present == wanted.view()) return workload;
  return Draft(workload).set_or_drop({"status", "reclaimablePods"}, wanted).value();
}

// Kueue keeps this condition only where somebody waits for it; here it is kept from the moment the
// pods are ready, so that nobody who waits in a queue costs a write.
Value with_readiness(const Value& workload, bool is_ready, Instant now) {
  const View present = condition(workload, "PodsReady");
  const bool was_lost = present["reason"].string_or("") == "WaitForRecovery" ||
                        present["reason"].string_or("") == "Recovered";
  if (is_ready) {
    return stating(workload,
                   {.type = "PodsReady",
                    .reason = was_lost ? "Recovered" : "Started",
                    .message = "All pods reached readiness and the workload is running"},
                   now);
  }
  if (!objects::is_true(present)) return workload;
  return stating(workload,
                 {.type = "PodsReady",
                  .holds = false,
                  .reason = "WaitForRecovery",
                  .message = "At least one pod has failed, waiting for recovery"},
                 now);
}

}  // namespace

bool WorkloadLook::update_counts(const Value& workload) {
  Value next = with_reclaimable(workload, shape_.reclaimable(job_));
  if (is_admitted(workload) && !is_evicted(workload) && !is_suspended()) {
    next = with_readiness(next, shape_.is_ready(job_), given_.now);
  }
  if (next.view() == workload.view()) return false;
  write_status(std::move(next));
  return true;
}

void WorkloadLook::stop_evicted(const Value& workload) {
  const View eviction = condition(workload, "Evicted");
  const std::string reason =
      fmt::format("{}DueTo{}", stop_of_evicted, eviction["reason"].string_or(""));
  if (!stop(&workload, reason, eviction["message"].string_or(""))) return;
  if (!has_reservation(workload) || shape_.is_active(job_)) return;
  write_status(released(workload, given_.words, given_.now));
}

void WorkloadLook::start(const Value& workload) {
  // A job that its user suspended may have run before, and has to come to rest first.
  if (!shape_.ends_when_stopped && !stop(&workload, stop_of_unadmitted, "")) return;
  const auto injections = injections_of(workload, given_.flavors);
  if (!injections) return;
  auto started = shape_.start(job_, *injections);
  if (!started) return finish(workload, "FailedToStart", started.error().message);
  const auto queue = workload["status"]["admission"]["clusterQueue"].string_or("");
  const std::string message = fmt::format("Admitted by clusterQueue {}", queue);
  for (Edit& edit : *started) {
    const Value about = edit.object;
    edits_.push_back(std::move(edit));
    record("Started", message, false, &about);
  }
}

void WorkloadLook::follow_queue_name(const Value& workload) {
  const std::string_view queue = queue_name_of(job_);
  if (has_reservation(workload) || workload["spec"]["queueName"].string_or("") == queue) return;
  Draft draft(workload);
  draft.drop({"spec", "queueName"});
  if (!queue.empty()) draft.set({"spec", "queueName"}, Value::string(queue));
  edits_.push_back(Edit::update(workloads, draft.value()));
}

bool WorkloadLook::stop(const Value* workload, std::string_view reason, std::string_view message) {
  const std::vector<PodSet> original =
      workload == nullptr ? std::vector<PodSet>{} : pod_sets_of(*workload);
  Stop next = shape_.stop(job_, {.original = original,
                                 .reason = std::string(reason),
                                 .message = std::string(message),
                                 .now = given_.now});
  for (Edit& edit : next.edits) {
    const Value about = edit.object;
    const bool is_told = next.begins && edit.verb != Edit::Verb::remove;
    edits_.push_back(std::move(edit));
    if (is_told) record("Stopped", message, false, &about);
  }
  return next.state == Stop::State::stopped;
}

void WorkloadLook::finish(const Value& workload, std::string_view reason,
                          std::string_view message) {
  write_status(
      stating(workload,
              {.type = "Finished", .reason = std::string(reason), .message = std::string(message)},
              given_.now));
  record("FinishedWorkload", fmt::format("Workload '{}' is declared finished", key_text(workload)));
}

void WorkloadLook::let_go() {
  for (const Value& workload : given_.workloads) remove_workload(workload);
}

void WorkloadLook::remove_workload(const Value& workload) {
  if (objects::has_finalizer(workload, words::resource_in_use)) {
    edits_.push_back(Edit::update(workloads, without_finalizer(workload, words::resource_in_use)));
  }
  if (!objects::is_being_deleted(workload)) edits_.push_back(Edit::remove(workloads, workload));
}

void WorkloadLook::refuse(const Error& error) {
  const bool lacks_class = error.code == ErrorCode::not_found && !priority_class_of(job_).empty();
  record(lacks_class ? "WorkloadPriorityClassNotFound" : "ErrWorkloadCompose", error.message, true);
}

void WorkloadLook::write_status(Value workload) {
  edits_.push_back(Edit::update_status(workloads, std::move(workload)));
}

void WorkloadLook::record(std::string_view reason, std::string_view message, bool warning,
                          const Value* about) {
  edits_.push_back(
      Edit::record({.resource = shape_.resource,
                    .about = about == nullptr ? job_ : *about,
                    .warning = warning,
                    .reason = std::string(reason),
                    .message = std::string(message.substr(0, event_message_bytes_max)),
                    .component = fmt::format("{}-kueue-controller", shape_.integration)}));
}

std::vector<Edit> reconcile_workload(const Shape& shape, const Reconciled& given) {
  return WorkloadLook(shape, given).edits();
}

}  // namespace muster::core
