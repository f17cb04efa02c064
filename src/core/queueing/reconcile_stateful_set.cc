// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/reconcile_stateful_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/draft.h"
#include "core/queueing/app.h"
#include "core/queueing/compose_workload.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/reconcile_pods.h"
#include "core/queueing/topology_annotations.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::labels_of;
using objects::Value;
using objects::View;
using objects::resources::pods;
using objects::resources::workloads;

namespace {

std::int64_t replicas_of(View set) {
  return set["spec"]["replicas"].integer_or(1);
}

Value owner_reference(View set) {
  return Value::object({{"apiVersion", Value::string(stateful_set_app.resource.api_version())},
                        {"kind", Value::string(stateful_set_app.resource.kind)},
                        {"name", Value::string(objects::name_of(set))},
                        {"uid", Value::string(objects::uid_of(set))}});
}

// The set owns its Workload without controlling it: its pods own it, too.
Value with_set(const Value& set, const Value& workload, std::vector<Value> owners) {
  owners.push_back(owner_reference(set));
  return Draft(workload)
      .set({"metadata", "annotations", words::job_owner_gvk},
           Value::string(fmt::format("{}, Kind={}", stateful_set_app.resource.api_version(),
                                     stateful_set_app.resource.kind)))
      .set({"metadata", "annotations", words::job_owner_name}, Value::string(objects::name_of(set)))
      .set({"metadata", "ownerReferences"}, list_of(owners))
      .value();
}

Value group_workload_of(const Value& set, const Value& workload) {
  return Draft(with_set(set, workload, {}))
      .set({"metadata", "annotations", words::is_group_workload}, Value::string("true"))
      .value();
}

// What compose_workload reads of a shape; nothing else of a StatefulSet is like a job.
Shape composed_shape() {
  Shape shape = {};
  shape.resource = stateful_set_app.resource;
  shape.integration = stateful_set_app.integration;
  shape.completed = group_workload_of;
  return shape;
}

PodSet pod_set_of(const Value& set) {
  const View pod_template = set["spec"]["template"];
  PodSet main;
  main.name = main_pod_set;
  main.pod_template = without_repeated_variables(
      Value::object({{"metadata", Value::object({})}, {"spec", set.part(pod_template["spec"])}}));
  main.count = replicas_of(set);
  main.topology_request = topology_request(pod_template, words::stateful_pod_index);
  return main;
}

// A pod that may still run, and has not outlived the grace of its deletion. While quota is held one
// behind its gates may be let go at this very moment, by a look at its group.
bool may_run(View pod, View workload, Instant now) {
  if (has_ended(pod) || (is_gated_pod(pod) && !has_reservation(workload))) return false;
  const auto end = given_up_at(pod);
  return !end || now <= *end;
}

class SetLook {
 public:
  explicit SetLook(const ReconciledSet& given)
      : given_(given), set_(given.rest.job), workload_(given.workload) {}

  std::vector<Edit> edits() {
    if (!is_managed()) return std::move(edits_);
    look_at_workload();
    join_pods();
    return std::move(edits_);
  }

 private:
  bool is_managed();
  void look_at_workload();
  void create();
  bool update();
  void follow_replicas();
  void join_pods();
  Value joined(const Value& pod, std::string_view name) const;
  Value following(const Value& pod) const;
  Value with_spec_of_set(const Value& workload) const;
  void record(std::string_view reason, std::string message, bool warning = false);

  const ReconciledSet& given_;
  const Value& set_;
  const Value& workload_;
  std::vector<Edit> edits_;
};

bool SetLook::is_managed() {
  if (objects::is_being_deleted(set_) || belongs_to_another(stateful_set_app, set_)) return false;
  if (given_.rest.scope != nullptr) {
    auto told = tell_unmanaged(stateful_set_app, set_, *given_.rest.scope, given_.rest.name_space);
    if (told) edits_.push_back(*std::move(told));
    if (why_unmanaged(*given_.rest.scope, stateful_set_app.integration, set_,
                      given_.rest.name_space)
            .holds) {
      return false;
    }
  }
  return annotations_of(set_["spec"]["template"])[words::suspending_parent].is_string();
}

void SetLook::look_at_workload() {
  if (workload_.is_absent()) return create();
  if (objects::is_being_deleted(workload_) || is_finished(workload_)) return;
  if (!update()) follow_replicas();
}

void SetLook::create() {
  if (replicas_of(set_) == 0) return;
  const std::vector<PodSet> sets = {pod_set_of(set_)};
  auto composed = compose_workload(composed_shape(), given_.rest, sets);
  if (!composed) {
    const bool lacks_class =
        composed.error().code == ErrorCode::not_found && !priority_class_of(set_).empty();
    return record(lacks_class ? "WorkloadPriorityClassNotFound" : "ErrWorkloadCompose",
                  composed.error().message, true);
  }
  const std::string key = objects::key_of(*composed).to_string();
  edits_.push_back(Edit::create(workloads, *std::move(composed)));
  record("CreatedWorkload", fmt::format("Created Workload: {}", key));
}

// One that waits has the queue and the pods of the set; one that holds quota keeps both.
Value SetLook::with_spec_of_set(const Value& workload) const {
  if (replicas_of(set_) == 0 || has_reservation(workload)) return workload;
  Draft draft(workload);
  const std::vector<PodSet> wanted = {pod_set_of(set_)};
  if (!same_pod_sets(wanted, pod_sets_of(workload), Tolerations::compared)) {
    const std::vector<Value> sets = {to_value(wanted[0])};
    draft.set({"spec", "podSets"}, list_of(sets));
  }
  const std::string_view queue = queue_name_of(set_);
  if (workload["spec"]["queueName"].string_or("") != queue) {
    draft.drop({"spec", "queueName"});
    if (!queue.empty()) draft.set({"spec", "queueName"}, Value::string(queue));
  }
  return draft.value();
}

// Whether the Workload itself had to change.
bool SetLook::update() {
  Value next = workload_;
  std::vector<Value> owners;
  bool is_owned = false;
  for (const View owner : workload_["metadata"]["ownerReferences"].elements()) {
    is_owned = is_owned || owner["uid"].string_or("") == objects::uid_of(set_);
    owners.push_back(workload_.part(owner));
  }
  if (!is_owned) next = with_set(set_, next, std::move(owners));
  next = with_spec_of_set(next);
  const auto gate = [](View of) {
    return annotations_of(of)[words::admission_gated_by].string_or("");
  };
  const bool is_gate_new = gate(set_) != gate(workload_);
  if (is_gate_new) {
    Draft draft(next);
    draft.drop({"metadata", "annotations", words::admission_gated_by});
    if (!gate(set_).empty()) {
      draft.set({"metadata", "annotations", words::admission_gated_by}, Value::string(gate(set_)));
    }
    next = draft.value();
  }
  if (next.view() == workload_.view()) return false;
  edits_.push_back(Edit::update(workloads, next));
  if (is_gate_new) {
    record("UpdatedWorkload",
           fmt::format("Updated workload AdmissionGatedBy to \"{}\"", gate(set_)));
  }
  return true;
}

// A set of no pods holds no quota and waits for none. Its quota is held until the last pod is gone.
void SetLook::follow_replicas() {
  const Words words = given_.rest.words;
  const Instant now = given_.rest.now;
  if (replicas_of(set_) > 0) {
    if (!is_on_hold(workload_)) return;
    edits_.push_back(Edit::update_status(
        workloads,
        unreserved(workload_,
                   {.reason = "Pending",
                    .granular = "PendingEvaluation",
                    .message = "Workload no longer on hold; waiting for quota reservation"},
                   words, now)));
    return;
  }
  const bool runs = std::any_of(given_.pods.begin(), given_.pods.end(),
                                [&](const Value& pod) { return may_run(pod, workload_, now); });
  if (runs || is_on_hold(workload_)) return;
  const bool is_stopped = is_evicted(workload_) && has_reservation(workload_);
  edits_.push_back(Edit::update_status(
      workloads, unreserved(is_stopped ? released(workload_, words, now) : workload_,
                            {.reason = on_hold_reason,
                             .granular = on_hold_reason,
                             .message = "StatefulSet scaled to zero; workload on hold"},
                            words, now)));
}

void SetLook::join_pods() {
  const std::string name = workload_.is_absent() ? workload_name(stateful_set_app.resource, set_)
                                                 : std::string(objects::name_of(workload_));
  for (const Value& pod : given_.pods) {
    const bool waits_for_set =
        annotations_of(pod)[words::suspending_parent].string_or("") == stateful_set_app.integration;
    if (!waits_for_set || has_ended(pod) || objects::is_being_deleted(pod)) continue;
    const std::string_view group = pod_group_of(pod);
    if (!group.empty() && group != name) continue;
    const Value next = following(group.empty() ? joined(pod, name) : pod);
    if (next.view() == pod.view()) continue;
    Edit edit = Edit::update(pods, next);
    edit.alongside = true;
    edits_.push_back(std::move(edit));
  }
}

Value SetLook::joined(const Value& pod, std::string_view name) const {
  Draft draft(pod);
  draft.set({"metadata", "labels", words::managed}, Value::string("true"));
  const auto annotate = [&](std::string_view key, std::string_view text) {
    draft.set({"metadata", "annotations", key}, Value::string(text));
  };
  annotate(words::prebuilt_workload, name);
  annotate(words::pod_group_name, name);
  annotate(words::pod_group_total_count, std::to_string(replicas_of(set_)));
  annotate(words::pod_group_fast_admission, "true");
  annotate(words::pod_group_serving, "true");
  annotate(words::pod_group_pod_index_label, words::stateful_pod_index);
  annotate(words::role_hash, main_pod_set);
  return draft.value();
}

// Queue and priority class follow the set; a pod that was let go keeps the queue it came from.
Value SetLook::following(const Value& pod) const {
  Draft draft(pod);
  const auto follow = [&](std::string_view key, std::string_view text) {
    if (text.empty() || labels_of(pod)[key].string_or("") == text) return;
    draft.set({"metadata", "labels", key}, Value::string(text));
  };
  if (is_gated_pod(pod)) follow(words::queue_name, queue_name_of(set_));
  follow(words::priority_class, priority_class_of(set_));
  return draft.value();
}

void SetLook::record(std::string_view reason, std::string message, bool warning) {
  edits_.push_back(Edit::record(
      {.resource = stateful_set_app.resource,
       .about = set_,
       .warning = warning,
       .reason = std::string(reason),
       .message = std::move(message),
       .component = fmt::format("{}-kueue-controller", stateful_set_app.integration)}));
}

}  // namespace

StatefulSetStep reconcile_stateful_set(const ReconciledSet& given) {
  return {.edits = SetLook(given).edits(), .look_again = next_given_up(given.pods, given.rest.now)};
}

}  // namespace muster::core
