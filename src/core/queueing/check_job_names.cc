// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/check_job_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/validate_gates.h"
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

// Of the annotation where it says something, else of the label.
std::string prebuilt_path(View job) {
  const View annotation = annotations_of(job)[words::prebuilt_workload];
  return annotation.string_or("").empty() ? label_path(words::prebuilt_workload)
                                          : annotation_path(words::prebuilt_workload);
}

void check_prebuilt_workload(FieldErrors& errors, View job) {
  const View annotation = annotations_of(job)[words::prebuilt_workload];
  const View label = labels_of(job)[words::prebuilt_workload];
  if (!annotation && !label) return;
  check_name(errors, annotation.string_or("").empty() ? label : annotation, prebuilt_path(job));
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

}  // namespace

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

void check_unchanged(FieldErrors& errors, std::string_view now, std::string_view before,
                     const std::string& path) {
  if (now == before) return;
  errors.add(FieldError::invalid(path, Value::string(now), std::string(immutable)));
}

void check_job_names(FieldErrors& errors, View job) {
  if (const View queue = labels_of(job)[words::queue_name]) {
    check_name(errors, queue, label_path(words::queue_name));
  }
  check_prebuilt_workload(errors, job);
  check_execution_time(errors, job);
}

void check_job_gates(FieldErrors& errors, View job, View old_job, const FeatureGates& gates) {
  if (!gates.enabled(Gate::admission_gated_by)) return;
  WebhookReport report;
  const View annotation = annotations_of(job)[words::admission_gated_by];
  if (!old_job.is_absent()) {
    check_admission_gates_update(annotation, annotations_of(old_job)[words::admission_gated_by],
                                 report);
  }
  check_admission_gates(annotation, report);
  errors.add_all(std::move(report.errors));
}

void check_priority_change(FieldErrors& errors, const QueueChange& change) {
  const std::string_view now = priority_class_of(change.job);
  const std::string_view before = priority_class_of(change.old_job);
  const std::string path = label_path(words::priority_class);
  if (!change.is_suspended && before.empty() && !now.empty()) {
    errors.add(
        FieldError::invalid(path, Value::string(now),
                            "WorkloadPriorityClass cannot be added to a non-suspended workload"));
  } else if (now.empty() && !before.empty()) {
    errors.add(FieldError::invalid(path, Value::string(""),
                                   "WorkloadPriorityClass cannot be removed from a workload"));
  }
}

void check_queue_change(FieldErrors& errors, const QueueChange& change) {
  const std::string_view queue = queue_name_of(change.job);
  const std::string_view old_queue = queue_name_of(change.old_job);
  if (!change.is_suspended) {
    check_unchanged(errors, queue, old_queue, label_path(words::queue_name));
    check_unchanged(errors, prebuilt_workload_of(change.job), prebuilt_workload_of(change.old_job),
                    prebuilt_path(change.job));
  }
  if (queue.empty() && !old_queue.empty() && change.has_default_queue) {
    errors.add(FieldError::invalid(label_path(words::queue_name), Value::string(""),
                                   "queue-name must not be empty in namespace with default queue"));
  }
  if (!change.is_suspended || !change.was_suspended) {
    const auto label = [](View of) {
      return labels_of(of)[words::maximum_execution_seconds].string_or("");
    };
    check_unchanged(errors, label(change.job), label(change.old_job),
                    label_path(words::maximum_execution_seconds));
  }
  check_priority_change(errors, change);
}

}  // namespace muster::core
