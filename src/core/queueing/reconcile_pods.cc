// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/reconcile_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/draft.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_group.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::resources::pods;
using objects::resources::workloads;

namespace {

constexpr std::string_view component = "pod-kueue-controller";

Edit without_hold(const Value& pod) {
  return Edit::update(pods, without_finalizer(pod, words::pod_finalizer));
}

void release(std::vector<Edit>& edits, std::span<const Value> all) {
  for (const Value& pod : all) {
    if (objects::has_finalizer(pod, words::pod_finalizer)) edits.push_back(without_hold(pod));
  }
}

Edit note(const objects::Resource& resource, const Value& about, std::string_view reason,
          std::string message, bool warning = false) {
  return Edit::record({.resource = resource,
                       .about = about,
                       .warning = warning,
                       .reason = std::string(reason),
                       .message = std::move(message),
                       .component = std::string(component)});
}

std::vector<Edit> as_job(const Shape& shape, const ReconciledPods& given,
                         std::span<const Value> job_pods) {
  Reconciled looked = given.rest;
  looked.job = job_pods.empty() ? Value() : pod_job(given.group, job_pods, given.rest.now);
  return reconcile_workload(shape, looked);
}

// One pod on its own. Its Workload is looked after until the pod is gone, so that its quota is held
// while it runs.
std::vector<Edit> reconcile_single(const ReconciledPods& given) {
  if (given.pods.empty()) return as_job(pod_shape(), given, {});
  const Value& pod = given.pods[0];
  std::vector<Edit> edits;
  if (!is_managed_pod(pod)) return edits;
  if (objects::is_being_deleted(pod)) {
    release(edits, given.pods);
    return edits;
  }
  edits = as_job(pod_shape(), given, given.pods);
  const bool is_over =
      has_ended(pod) && std::all_of(given.rest.workloads.begin(), given.rest.workloads.end(),
                                    [](const auto& w) { return is_finished(w); });
  if (is_over) release(edits, given.pods);
  return edits;
}

class GroupLook {
 public:
  explicit GroupLook(const ReconciledPods& given) : given_(given) {
    if (!given.rest.workloads.empty()) workload_ = given.rest.workloads[0];
  }

  std::vector<Edit> edits() {
    look();
    return std::move(edits_);
  }

 private:
  void look();
  void begin();
  void go_on();
  void refuse_name();
  bool prepare(std::vector<Value>& able);
  bool tidy(const GroupPods& sorted);
  void remove_excess(std::span<const Value> excess);
  void hand_over(std::span<const Value> job_pods);

  bool is_foreign() const {
    return objects::annotations_of(workload_)[words::is_group_workload].string_or("") != "true";
  }
  bool was_left() const;

  const ReconciledPods& given_;
  Value workload_;
  std::vector<Edit> edits_;
};

void GroupLook::look() {
  if (given_.pods.empty()) {
    const bool stays = given_.is_kept && !objects::is_being_deleted(workload_);
    if (!workload_.is_absent() && !is_foreign() && !stays) hand_over({});
    return;
  }
  if (!is_managed_pod(given_.pods[0]) || queue_name_of(given_.pods[0]).empty()) return;
  if (!workload_.is_absent() && is_foreign() &&
      prebuilt_workload_of(given_.pods[0]) != objects::name_of(workload_)) {
    return refuse_name();
  }
  if (was_left()) return release(edits_, given_.pods);
  workload_.is_absent() ? begin() : go_on();
}

// Whoever deletes all pods of a group and was not asked to by an eviction wants it gone.
bool GroupLook::was_left() const {
  return std::all_of(given_.pods.begin(), given_.pods.end(), [&](const Value& pod) {
    return objects::is_being_deleted(pod) && !objects::condition(pod, "TerminationTarget") &&
           !holds_its_node(pod, given_.rest.now);
  });
}

void GroupLook::begin() {
  const Value job = pod_job(given_.group, given_.pods, given_.rest.now);
  const Shape& shape = pod_group_shape();
  if (shape.outcome(job)) return release(edits_, given_.pods);
  if (!shape.is_suspended(job)) return hand_over(given_.pods);
  std::vector<Value> able;
  if (prepare(able)) hand_over(able);
}

void GroupLook::go_on() {
  const GroupPods sorted = sort_group(given_.pods, workload_, given_.rest.now);
  const bool is_same_time = workload_["spec"]["maximumExecutionTimeSeconds"].integer() ==
                            maximum_execution_seconds_of(given_.pods[0]);
  const bool is_match =
      is_same_time && !sorted.kept.empty() &&
      group_matches(pod_job(given_.group, sorted.kept, given_.rest.now), workload_);
  if (is_match) {
    if (!tidy(sorted)) hand_over(sorted.kept);
    return;
  }
  const Value job = pod_job(given_.group, given_.pods, given_.rest.now);
  if (has_reservation(workload_) || !pod_group_shape().is_suspended(job)) {
    return hand_over(given_.pods);
  }
  std::vector<Value> able;
  if (prepare(able)) hand_over(able);
}

// A Workload of the group's name that belongs to somebody else.
void GroupLook::refuse_name() {
  edits_.push_back(note(pods, given_.pods[0], "WorkloadNameConflict",
                        fmt::format("A Workload named \"{}\" already exists but is not a pod group "
                                    "workload; this pod group cannot be admitted",
                                    given_.group),
                        true));
  for (const Value& pod : given_.pods) {
    if (!can_run_or_succeeded(pod)) release(edits_, {&pod, 1});
  }
}

// Whether the group can have a Workload, of these pods; if not, edits towards that.
bool GroupLook::prepare(std::vector<Value>& able) {
  for (const Value& pod : given_.pods) {
    if (can_run_or_succeeded(pod)) {
      able.push_back(pod);
    } else {
      release(edits_, {&pod, 1});
    }
  }
  if (const auto checked = check_group(given_.group, given_.pods); !checked) {
    edits_.push_back(
        note(pods, given_.pods[0], "ErrWorkloadCompose", checked.error().message, true));
    return false;
  }
  const auto total = static_cast<std::size_t>(group_total_of(given_.pods[0]).value_or(1));
  if (able.size() > total) {
    sort_to_keep(able);
    remove_excess(std::span(able).subspan(total));
    able.resize(total);
  }
  return edits_.empty();
}

// Whether something had to be put in order first.
bool GroupLook::tidy(const GroupPods& sorted) {
  const OwnersAdded owned = with_owners(workload_, sorted.kept);
  if (owned.count > 0 && !objects::is_being_deleted(workload_)) {
    edits_.push_back(Edit::update(workloads, owned.workload));
    edits_.push_back(note(workloads, workload_, "OwnerReferencesAdded",
                          fmt::format("Added {} owner reference(s)", owned.count)));
  }
  remove_excess(sorted.excess);
  release(edits_, sorted.replaced);
  if (!edits_.empty()) return true;
  const Value waiting = with_replacement_wait(workload_, sorted.absent > 0, given_.rest.now);
  if (!(waiting.view() == workload_.view())) {
    edits_.push_back(Edit::update_status(workloads, waiting));
  } else if (is_finished(workload_)) {
    release(edits_, given_.pods);
  }
  return !edits_.empty();
}

void GroupLook::remove_excess(std::span<const Value> excess) {
  for (const Value& pod : excess) {
    if (objects::has_finalizer(pod, words::pod_finalizer)) edits_.push_back(without_hold(pod));
    if (objects::is_being_deleted(pod)) continue;
    edits_.push_back(Edit::remove(pods, pod));
    edits_.push_back(note(pods, pod, "ExcessPodDeleted", "Excess pod deleted"));
  }
}

void GroupLook::hand_over(std::span<const Value> job_pods) {
  for (Edit& edit : as_job(pod_group_shape(), given_, job_pods)) {
    edits_.push_back(std::move(edit));
  }
}

}  // namespace

std::vector<Edit> reconcile_pods(const ReconciledPods& given) {
  return given.group.empty() ? reconcile_single(given) : GroupLook(given).edits();
}

std::optional<Instant> next_given_up(std::span<const Value> all, Instant now) {
  std::optional<Instant> next;
  for (const Value& pod : all) {
    const auto at = given_up_at(pod);
    if (!at || at->nanoseconds < now.nanoseconds) continue;
    if (!next || at->nanoseconds < next->nanoseconds) next = at;
  }
  return next;
}

}  // namespace muster::core
