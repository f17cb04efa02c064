// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/admit_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/queueing/check_job_names.h"
#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/shape.h"
#include "core/queueing/topology_annotations.h"
#include "core/queueing/validate_workload.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::FieldError;
using objects::FieldErrors;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view immutable = "field is immutable";

std::int64_t pod_count(View job) {
  const std::int64_t parallelism = job["spec"]["parallelism"].integer_or(1);
  return std::min(parallelism, job["spec"]["completions"].integer_or(parallelism));
}

// How many pods a job may do with, where it says so.
void check_minimum(FieldErrors& errors, View job, bool is_elastic) {
  const View annotation = annotations_of(job)[words::minimum_parallelism];
  if (!annotation.is_string()) return;
  const std::string path = annotation_path(words::minimum_parallelism);
  const auto minimum = parse_go_integer(annotation.string_or(""));
  const std::int64_t count = pod_count(job);
  if (!minimum) {
    errors.add(FieldError::invalid(path, annotation, minimum.error().message));
  } else if (*minimum >= count || *minimum <= 0) {
    errors.add(FieldError::invalid(path, Value::integer(*minimum),
                                   fmt::format("should be between 0 and {}", count - 1)));
  }
  if (is_elastic) {
    errors.add(FieldError::invalid(path, annotation,
                                   "partial admission and elastic job cannot be used together"));
  }
}

void check_completions(FieldErrors& errors, View job) {
  const View annotation = annotations_of(job)[words::completions_equal_parallelism];
  if (!annotation.is_string()) return;
  const std::string path = annotation_path(words::completions_equal_parallelism);
  const auto enabled = parse_go_boolean(annotation.string_or(""));
  if (!enabled) errors.add(FieldError::invalid(path, annotation, enabled.error().message));
  if (!enabled || !*enabled) return;
  const View spec = job["spec"];
  if (spec["completionMode"].string_or("NonIndexed") == "NonIndexed") {
    errors.add(FieldError::invalid(path, annotation, "should not be enabled for NonIndexed jobs"));
  }
  if (spec["parallelism"].integer_or(1) != spec["completions"].integer_or(1)) {
    errors.add(
        FieldError::invalid("spec.completions", spec["completions"],
                            fmt::format("should be equal to parallelism when {} annotation is true",
                                        words::completions_equal_parallelism)));
  }
}

constexpr std::string_view template_path = "spec.template.metadata";

// Pods of an elastic job come and go one by one; those constraints bind all of them.
bool check_elastic_topology(FieldErrors& errors, View pod_template) {
  for (const auto& [name, mode] : {std::pair{words::required_topology, "required"},
                                   std::pair{words::preferred_topology, "preferred"}}) {
    if (!annotations_of(pod_template)[name]) continue;
    errors.add(
        FieldError::forbidden(fmt::format("{}.annotations.{}", template_path, name),
                              fmt::format("{} topology is not supported with elastic jobs", mode)));
    return false;
  }
  return true;
}

// Each step asks only what the one before has let pass.
void check_topology(FieldErrors& errors, View job, const FeatureGates& gates) {
  if (!gates.enabled(Gate::topology_aware_scheduling)) return;
  const View pod_template = job["spec"]["template"];
  const std::size_t before = errors.size();
  check_topology_annotations(errors, template_path, pod_template, gates);
  if (errors.size() > before) return;
  if (is_elastic(job, gates) && !check_elastic_topology(errors, pod_template)) return;
  check_slice_sizes(errors, template_path, pod_template, pod_count(job));
}

void check_partial_change(FieldErrors& errors, View job, View old_job, bool is_suspended,
                          bool was_suspended) {
  const auto parallelism = [](View of) { return of["spec"]["parallelism"].integer_or(1); };
  if (annotations_of(old_job)[words::minimum_parallelism] &&
      !old_job["spec"]["suspend"].boolean_or(false) && parallelism(old_job) != parallelism(job)) {
    errors.add(FieldError::forbidden(
        "spec.parallelism",
        "cannot change when partial admission is enabled and the job is not suspended"));
  }
  const auto equal = [](View of) {
    const View text = annotations_of(of)[words::completions_equal_parallelism];
    return parse_go_boolean(text.string_or("")).value_or(false);
  };
  if (!is_suspended && !was_suspended && equal(old_job) != equal(job)) {
    errors.add(FieldError::forbidden(annotation_path(words::completions_equal_parallelism),
                                     fmt::format("{} while the job is not suspended", immutable)));
  }
}

void check_update(FieldErrors& errors, const JobWrite& write, const FeatureGates& gates) {
  const View job = write.job;
  const View old_job = write.old_job;
  const bool is_suspended = job_shape().is_suspended(job);
  const bool was_suspended = job_shape().is_suspended(old_job);
  check_queue_change(errors, {.job = job,
                              .old_job = old_job,
                              .is_suspended = is_suspended,
                              .was_suspended = was_suspended,
                              .has_default_queue = write.has_default_queue});
  if (is_elastic(job, gates) != is_elastic(old_job, gates)) {
    errors.add(FieldError::invalid(annotation_path(words::elastic_job),
                                   Value::boolean(is_elastic(job, gates)), std::string(immutable)));
  }
  check_job_gates(errors, job, old_job, gates);
  check_partial_change(errors, job, old_job, is_suspended, was_suspended);
}

// As the configuration has it; a job that it leaves out stays as its user wrote it.
bool may_be_queued(const JobWrite& write) {
  if (write.scope == nullptr) return true;
  return write.scope->has_namespace(objects::namespace_of(write.job),
                                    labels_of(write.name_space)) &&
         write.scope->has_framework(job_shape().integration);
}

// The pods of an elastic job are made before there is quota for them, and wait behind this gate.
void add_elastic_gate(Draft& draft) {
  const Value& job = draft.value();
  std::vector<Value> gates;
  for (const View gate : job["spec"]["template"]["spec"]["schedulingGates"].elements()) {
    if (gate["name"].string_or("") == words::elastic_job) return;
    gates.push_back(job.part(gate));
  }
  gates.push_back(Value::object({{"name", Value::string(words::elastic_job)}}));
  draft.set({"spec", "template", "spec", "schedulingGates"}, list_of(gates));
}

Value queued(const JobWrite& write, const FeatureGates& gates) {
  Draft draft(write.job);
  if (!may_be_queued(write)) return draft.value();
  if (is_elastic(write.job, gates)) add_elastic_gate(draft);
  // A job that another controller made is that controller's to queue.
  if (queue_name_of(write.job).empty() && write.has_default_queue &&
      !objects::controller_of(write.job)) {
    draft.set({"metadata", "labels", words::queue_name}, Value::string(words::default_queue));
  }
  const bool is_taken_unasked = write.scope != nullptr && write.scope->without_queue_name &&
                                !objects::controller_of(write.job);
  if (!queue_name_of(draft.value()).empty() || is_taken_unasked) {
    draft.set({"spec", "suspend"}, Value::boolean(true));
  }
  return draft.value();
}

}  // namespace

JobAdmission admit_job(const JobWrite& write) {
  static const FeatureGates usual;
  const FeatureGates& gates = write.gates == nullptr ? usual : *write.gates;
  JobAdmission answer;
  const bool is_new = write.old_job.is_absent();
  answer.job = is_new ? queued(write, gates) : write.job;
  const View job = answer.job;
  const bool can_scale = is_elastic(job, gates);
  check_job_names(answer.errors, job);
  if (is_new) check_job_gates(answer.errors, job, View(), gates);
  const auto minimum = [](View of) { return annotations_of(of)[words::minimum_parallelism]; };
  if (is_new || !(minimum(job) == minimum(write.old_job))) {
    check_minimum(answer.errors, job, can_scale);
  }
  check_completions(answer.errors, job);
  if (!is_new) check_update(answer.errors, write, gates);
  check_topology(answer.errors, job, gates);
  return answer;
}

}  // namespace muster::core
