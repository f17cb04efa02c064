// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/admit_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/draft.h"
#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/shape.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/schema/formats.h"

namespace muster::core {

using objects::annotations_of;
using objects::FieldError;
using objects::FieldErrors;
using objects::labels_of;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view immutable = "field is immutable";

std::string label_path(std::string_view key) {
  return fmt::format("metadata.labels[{}]", key);
}

std::string annotation_path(std::string_view key) {
  return fmt::format("metadata.annotations[{}]", key);
}

void check_name(FieldErrors& errors, View text, const std::string& path) {
  if (!text.is_string()) return;
  const auto violations = objects::dns_subdomain_violations(text.string_or(""));
  if (violations.empty()) return;
  errors.add(FieldError::invalid(path, text, fmt::format("{}", fmt::join(violations, ","))));
}

void check_prebuilt_workload(FieldErrors& errors, View job) {
  const View annotation = annotations_of(job)[words::prebuilt_workload];
  if (!annotation.string_or("").empty()) {
    check_name(errors, annotation, annotation_path(words::prebuilt_workload));
  } else {
    check_name(errors, labels_of(job)[words::prebuilt_workload],
               label_path(words::prebuilt_workload));
  }
}

void check_execution_time(FieldErrors& errors, View job) {
  const View label = labels_of(job)[words::maximum_execution_seconds];
  if (!label.is_string()) return;
  const std::string path = label_path(words::maximum_execution_seconds);
  const auto seconds = parse_go_integer(label.string_or(""));
  if (!seconds) {
    errors.add(FieldError::invalid(path, label, seconds.error().message));
  } else if (*seconds <= 0) {
    errors.add(FieldError::invalid(path, Value::integer(*seconds), "should be greater than 0"));
  }
}

// How many pods a job may do with, where it says so.
void check_minimum(FieldErrors& errors, View job) {
  const View annotation = annotations_of(job)[words::minimum_parallelism];
  if (!annotation.is_string()) return;
  const std::string path = annotation_path(words::minimum_parallelism);
  const auto minimum = parse_go_integer(annotation.string_or(""));
  const std::int64_t parallelism = job["spec"]["parallelism"].integer_or(1);
  const std::int64_t count =
      std::min(parallelism, job["spec"]["completions"].integer_or(parallelism));
  if (!minimum) {
    errors.add(FieldError::invalid(path, annotation, minimum.error().message));
  } else if (*minimum >= count || *minimum <= 0) {
    errors.add(FieldError::invalid(path, Value::integer(*minimum),
                                   fmt::format("should be between 0 and {}", count - 1)));
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

// What Muster does not do yet, it does not take.
void check_served(FieldErrors& errors, View job) {
  const View annotation = annotations_of(job)[words::elastic_job];
  if (annotation.string_or("") != "true") return;
  errors.add(FieldError::forbidden(annotation_path(words::elastic_job),
                                   "elastic jobs are not served yet"));
}

void check_unchanged(FieldErrors& errors, std::string_view now, std::string_view before,
                     const std::string& path) {
  if (now == before) return;
  errors.add(FieldError::invalid(path, Value::string(now), std::string(immutable)));
}

void check_priority_change(FieldErrors& errors, View job, View old_job, bool is_suspended) {
  const std::string_view now = priority_class_of(job);
  const std::string_view before = priority_class_of(old_job);
  const std::string path = label_path(words::priority_class);
  if (!is_suspended && before.empty() && !now.empty()) {
    errors.add(
        FieldError::invalid(path, Value::string(now),
                            "WorkloadPriorityClass cannot be added to a non-suspended workload"));
  } else if (now.empty() && !before.empty()) {
    errors.add(FieldError::invalid(path, Value::string(""),
                                   "WorkloadPriorityClass cannot be removed from a workload"));
  }
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

void check_update(FieldErrors& errors, const JobWrite& write) {
  const View job = write.job;
  const View old_job = write.old_job;
  const bool is_suspended = job_shape().is_suspended(job);
  const bool was_suspended = job_shape().is_suspended(old_job);
  const std::string_view queue = queue_name_of(job);
  const std::string_view old_queue = queue_name_of(old_job);
  if (!is_suspended) {
    check_unchanged(errors, queue, old_queue, label_path(words::queue_name));
    check_unchanged(errors, prebuilt_workload_of(job), prebuilt_workload_of(old_job),
                    label_path(words::prebuilt_workload));
  }
  if (queue.empty() && !old_queue.empty() && write.has_default_queue) {
    errors.add(FieldError::invalid(label_path(words::queue_name), Value::string(""),
                                   "queue-name must not be empty in namespace with default queue"));
  }
  if (!is_suspended || !was_suspended) {
    const auto label = [](View of) {
      return labels_of(of)[words::maximum_execution_seconds].string_or("");
    };
    check_unchanged(errors, label(job), label(old_job),
                    label_path(words::maximum_execution_seconds));
  }
  check_priority_change(errors, job, old_job, is_suspended);
  check_partial_change(errors, job, old_job, is_suspended, was_suspended);
}

Value queued(const JobWrite& write) {
  Draft draft(write.job);
  // A job that another controller made is that controller's to queue.
  if (queue_name_of(write.job).empty() && write.has_default_queue &&
      !objects::controller_of(write.job)) {
    draft.set({"metadata", "labels", words::queue_name}, Value::string(words::default_queue));
  }
  if (!queue_name_of(draft.value()).empty()) {
    draft.set({"spec", "suspend"}, Value::boolean(true));
  }
  return draft.value();
}

}  // namespace

JobAdmission admit_job(const JobWrite& write) {
  JobAdmission answer;
  const bool is_new = write.old_job.is_absent();
  answer.job = is_new ? queued(write) : write.job;
  const View job = answer.job;
  check_name(answer.errors, labels_of(job)[words::queue_name], label_path(words::queue_name));
  check_prebuilt_workload(answer.errors, job);
  check_execution_time(answer.errors, job);
  check_served(answer.errors, job);
  const auto minimum = [](View of) { return annotations_of(of)[words::minimum_parallelism]; };
  if (is_new || !(minimum(job) == minimum(write.old_job))) check_minimum(answer.errors, job);
  check_completions(answer.errors, job);
  if (!is_new) check_update(answer.errors, write);
  return answer;
}

}  // namespace muster::core
