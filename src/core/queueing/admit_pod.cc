// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/admit_pod.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/draft.h"
#include "core/queueing/check_job_names.h"
#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_group.h"
#include "core/queueing/pod_job.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/role_hash.h"
#include "core/queueing/topology_annotations.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::FieldError;
using objects::FieldErrors;
using objects::labels_of;
using objects::Value;
using objects::View;

namespace {

Value with_element(const Value& object, std::initializer_list<objects::Step> path, View list,
                   const Value& element) {
  std::vector<Value> all;
  for (View each : list.elements()) {
    if (each == element.view()) return object;
    all.push_back(object.part(each));
  }
  all.push_back(element);
  return Draft(object).set(path, list_of(all)).value();
}

Value gated(const Value& pod, std::string_view gate) {
  return with_element(pod, {"spec", "schedulingGates"}, pod["spec"]["schedulingGates"],
                      Value::object({{"name", Value::string(gate)}}));
}

// The label that ranks are read from, copied from the one that the user names.
Value with_index(const Value& pod) {
  const View label = annotations_of(pod)[words::pod_group_pod_index_label];
  if (!label.is_string()) return pod;
  const std::string_view index = labels_of(pod)[label.string_or("")].string_or("");
  return Draft(pod)
      .set({"metadata", "labels", words::pod_group_pod_index}, Value::string(index))
      .value();
}

Value held(const Value& pod) {
  Value next = gated(gated(with_index(pod), words::admission_gate), words::topology_gate);
  if (annotations_of(next)[words::role_hash].is_string()) return next;
  return Draft(next)
      .set({"metadata", "annotations", words::role_hash}, Value::string(role_hash(next["spec"])))
      .value();
}

// Kueue's webhook hears of pods in namespaces that it manages alone, and where it is there for
// pods.
bool is_in_scope(const PodWrite& write) {
  if (write.scope == nullptr) return true;
  return write.scope->has_namespace(objects::namespace_of(write.pod),
                                    labels_of(write.name_space)) &&
         write.scope->has_framework(pod_shape().integration);
}

Value queued(const PodWrite& write) {
  // Whoever makes such pods manages them itself; they only wait.
  if (annotations_of(write.pod)[words::suspending_parent]) return held(write.pod);
  if (!is_in_scope(write) || write.has_managed_owner) return write.pod;
  Draft draft(write.pod);
  if (queue_name_of(write.pod).empty() && write.has_default_queue) {
    draft.set({"metadata", "labels", words::queue_name}, Value::string(words::default_queue));
  }
  const bool takes_all = write.scope != nullptr && write.scope->without_queue_name;
  if (queue_name_of(draft.value()).empty() && !takes_all) return write.pod;
  draft.set({"metadata", "labels", words::managed}, Value::string("true"));
  return held(with_element(draft.value(), {"metadata", "finalizers"},
                           draft.value()["metadata"]["finalizers"],
                           Value::string(words::pod_finalizer)));
}

void check_group(FieldErrors& errors, View pod) {
  const View total = annotations_of(pod)[words::pod_group_total_count];
  const bool is_grouped = !pod_group_of(pod).empty();
  if (!is_grouped && !total.is_string()) return;  // most pods: nothing is written for them
  const bool by_annotation = !annotations_of(pod)[words::pod_group_name].string_or("").empty();
  const std::string name_path =
      by_annotation ? annotation_path(words::pod_group_name) : label_path(words::pod_group_name);
  const std::string total_path = annotation_path(words::pod_group_total_count);
  const std::string both = fmt::format("both the '{}' annotation and the '{}' {} should be set",
                                       words::pod_group_total_count, words::pod_group_name,
                                       by_annotation ? "annotation" : "label");
  if (!is_grouped) return errors.add(FieldError::required(name_path, both));
  check_name(errors,
             by_annotation ? annotations_of(pod)[words::pod_group_name]
                           : labels_of(pod)[words::pod_group_name],
             name_path);
  if (!total.is_string()) {
    errors.add(FieldError::required(total_path, both));
  } else if (const auto count = group_total_of(pod); !count) {
    errors.add(FieldError::invalid(total_path, total, count.error().message));
  }
}

void check_prebuilt(FieldErrors& errors, View pod) {
  const std::string_view group = pod_group_of(pod);
  const std::string_view prebuilt = prebuilt_workload_of(pod);
  if (group.empty() || prebuilt.empty() || prebuilt == group) return;
  const bool by_annotation = !annotations_of(pod)[words::prebuilt_workload].string_or("").empty();
  errors.add(FieldError::invalid(by_annotation ? annotation_path(words::prebuilt_workload)
                                               : label_path(words::prebuilt_workload),
                                 Value::string(prebuilt),
                                 "prebuilt workload and pod group should be equal"));
}

const FeatureGates& gates_of(const PodWrite& write) {
  static const FeatureGates usual;
  return write.gates == nullptr ? usual : *write.gates;
}

void check_pod(FieldErrors& errors, View pod, const FeatureGates& gates) {
  const View managed = labels_of(pod)[words::managed];
  if (managed.is_string() && managed.string_or("") != "true") {
    errors.add(FieldError::forbidden(label_path(words::managed),
                                     "managed label value can only be 'true'"));
  }
  check_group(errors, pod);
  check_topology_annotations(errors, "metadata", pod, gates);
  check_prebuilt(errors, pod);
}

void check_new_pod(FieldErrors& errors, View pod, const FeatureGates& gates) {
  check_job_names(errors, pod);
  if (annotations_of(pod)[words::elastic_job].string_or("") == "true") {
    errors.add(FieldError::forbidden(annotation_path(words::elastic_job),
                                     "elastic job is not supported for \"/v1, Kind=Pod\""));
  }
  check_job_gates(errors, pod, View(), gates);
  check_pod(errors, pod, gates);
}

void check_update(FieldErrors& errors, const PodWrite& write) {
  const View pod = write.pod;
  const View old_pod = write.old_pod;
  check_queue_change(errors, {.job = pod,
                              .old_job = old_pod,
                              .is_suspended = is_suspended_pod(pod),
                              .was_suspended = is_suspended_pod(old_pod),
                              .has_default_queue = write.has_default_queue});
  check_job_gates(errors, pod, old_pod, gates_of(write));
  check_pod(errors, pod, gates_of(write));
  if (!pod_group_of(pod).empty() && is_unretriable(old_pod) && !is_unretriable(pod)) {
    errors.add(FieldError::forbidden(annotation_path(words::retriable_in_group),
                                     "unretriable pod group can't be converted to retriable"));
  }
  if (!pod_group_of(old_pod).empty()) {
    const bool by_annotation = !annotations_of(pod)[words::pod_group_name].string_or("").empty();
    check_unchanged(
        errors, pod_group_of(pod), pod_group_of(old_pod),
        by_annotation ? annotation_path(words::pod_group_name) : label_path(words::pod_group_name));
  }
}

bool is_asked(const PodWrite& write) {
  return is_in_scope(write) || annotations_of(write.pod)[words::suspending_parent];
}

// Whoever names a queue wants to wait in it.
void warn_of_ignored_queue(const PodWrite& write, std::vector<std::string>& warnings) {
  if (write.scope == nullptr || write.has_managed_owner) return;
  Unmanaged why = why_unmanaged(*write.scope, pod_shape().integration, write.pod, write.name_space);
  if (!why.sentence.empty()) warnings.push_back(std::move(why.sentence));
}

}  // namespace

PodAdmission admit_pod(const PodWrite& write) {
  PodAdmission answer;
  const bool is_new = write.old_pod.is_absent();
  answer.pod = is_new ? queued(write) : write.pod;
  if (!is_asked(write)) {
    if (is_new) warn_of_ignored_queue(write, answer.warnings);
    return answer;
  }
  if (is_new) {
    check_new_pod(answer.errors, answer.pod, gates_of(write));
  } else {
    check_update(answer.errors, write);
  }
  const bool is_parents = annotations_of(write.pod)[words::suspending_parent].is_string();
  if (write.has_managed_owner && is_managed_pod(answer.pod) && (is_new || !is_parents)) {
    answer.warnings.push_back(fmt::format(
        "pod owner is managed by kueue, label '{}=true' might lead to unexpected behaviour",
        words::managed));
  }
  return answer;
}

}  // namespace muster::core
