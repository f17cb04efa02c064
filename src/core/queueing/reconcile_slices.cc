// The steps for an elastic job (elastic_slices.h). Where Kueue lets pods of an evicted slice run on
// because another slice waits behind it, the job is stopped here first: quota is never held twice.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/queueing/compose_workload.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/workload_look.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;
using objects::resources::workloads;

namespace {

constexpr std::string_view replaced_message = "Replaced to accommodate a new workload slice";
constexpr std::string_view stale_message = "The workload slice is out of sync with its parent job";

}  // namespace

void WorkloadLook::reconcile_slices() {
  std::vector<Value> live;
  for (const Value& workload : given_.workloads) {
    if (is_own(workload) && !is_finished(workload)) live.push_back(workload);
  }
  if (const auto outcome = shape_.outcome(job_)) {
    for (const Value& slice : live) {
      finish(slice, outcome->succeeded ? "Succeeded" : "Failed", outcome->message);
    }
    let_finished_go();
    return;
  }
  if (let_finished_go()) return;
  const Slices slices = slices_of(live);
  if (!slices.stale.empty()) return finish_stale(slices);
  if (slices.current.is_absent()) {
    const bool is_stopped =
        is_suspended() ||
        stop(nullptr, stop_of_unmatched, "Missing Workload; unable to restore pod templates");
    if (is_stopped && !shape_.is_active(job_)) create_slice(nullptr);
    return;
  }
  if (slices.retained) return reconcile_growing(slices);
  reconcile_slice(slices.current);
}

// Finished slices are kept for their history, until somebody deletes them or another job of that
// name has come.
bool WorkloadLook::let_finished_go() {
  bool any = false;
  for (const Value& workload : given_.workloads) {
    const bool is_held = is_finished(workload) && objects::is_being_deleted(workload) &&
                         objects::has_finalizer(workload, words::resource_in_use);
    if (is_own(workload) && !is_held) continue;
    remove_workload(workload);
    any = true;
  }
  return any;
}

void WorkloadLook::finish_stale(const Slices& slices) {
  for (const auto& [slice, is_replaced] : slices.stale) {
    write_status(stating(slice,
                         {.type = "Finished",
                          .reason = is_replaced ? "WorkloadSliceReplaced" : "OutOfSync",
                          .message = std::string(is_replaced ? replaced_message : stale_message)},
                         given_.now));
  }
}

// One slice for all pods. One that holds quota grows by another slice.
void WorkloadLook::reconcile_slice(const Value& slice) {
  const bool is_leaving = objects::is_being_deleted(slice) || is_evicted(slice);
  if (!is_leaving && !has_counts_of(slice, pod_sets_)) {
    if (!has_reservation(slice) || is_scaled_down(slice, pod_sets_)) {
      resize(slice);
    } else {
      create_slice(&slice);
    }
    return;
  }
  if (is_evicted(slice) && !has_reservation(slice) && resize(slice)) return;
  if (update_gate(slice) || update_priority(slice)) return;
  reconcile_with(slice);
  if (!edits_.empty() || is_suspended()) return;
  edits_ = ungated_pods(slice, given_.pods);
}

// Two slices: the pods of the first run on while the second waits.
void WorkloadLook::reconcile_growing(const Slices& slices) {
  const Value& retained = slices.retained;
  const Value& waiting = slices.current;
  if (objects::is_being_deleted(waiting)) return remove_workload(waiting);
  if (stop_retained(retained)) return;
  if (resize(waiting)) return;
  if (update_gate(waiting) || update_priority(waiting) || update_priority(retained)) return;
  follow_queue_name(waiting);
  if (!edits_.empty()) return;
  if (is_suspended()) {
    if (is_admitted(retained)) start(retained);
    return;
  }
  if (shape_.is_stopping(job_)) {
    stop(&retained, stop_of_unadmitted, "Not admitted by cluster queue");
    return;
  }
  edits_ = ungated_pods(retained, given_.pods);
}

// Whether the slice that holds the quota has to go. Its quota is free when the job has stopped; the
// slice that waits is then the only one.
bool WorkloadLook::stop_retained(const Value& retained) {
  if (objects::is_being_deleted(retained)) {
    if (stop(&retained, stop_of_deleted, "Workload is deleted") && !shape_.is_active(job_)) {
      remove_workload(retained);
    }
    return true;
  }
  if (!is_evicted(retained)) return false;
  const View eviction = condition(retained, "Evicted");
  const std::string reason =
      fmt::format("{}DueTo{}", stop_of_evicted, eviction["reason"].string_or(""));
  if (stop(&retained, reason, eviction["message"].string_or("")) && !shape_.is_active(job_)) {
    write_status(stating(retained,
                         {.type = "Finished",
                          .reason = "WorkloadSliceReplaced",
                          .message = std::string(replaced_message)},
                         given_.now));
  }
  return true;
}

bool WorkloadLook::resize(const Value& slice) {
  if (has_counts_of(slice, pod_sets_)) return false;
  edits_.push_back(Edit::update(workloads, with_counts(slice, pod_sets_)));
  return true;
}

// The templates are those that the user wrote, which the first slice has: a job that runs has what
// the admission added.
void WorkloadLook::create_slice(const Value* replaced) {
  std::vector<PodSet> sets = pod_sets_;
  if (replaced != nullptr) sets = pod_sets_of(with_counts(*replaced, pod_sets_));
  auto composed = compose_workload(shape_, given_, sets, replaced);
  if (!composed) return refuse(composed.error());
  const auto is_there = [&](const Value& each) {
    return objects::name_of(each) == objects::name_of(*composed);
  };
  if (std::any_of(given_.workloads.begin(), given_.workloads.end(), is_there)) return;
  const std::string key = objects::key_of(*composed).to_string();
  edits_.push_back(Edit::create(workloads, *std::move(composed)));
  record("CreatedWorkload", fmt::format("Created Workload: {}", key));
}

}  // namespace muster::core
