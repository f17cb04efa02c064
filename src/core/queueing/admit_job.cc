// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/admit_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/draft.h"
#include "core/queueing/check_job_names.h"
#include "core/queueing/go_text.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/shape.h"
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
  check_queue_change(errors, {.job = job,
                              .old_job = old_job,
                              .is_suspended = is_suspended,
                              .was_suspended = was_suspended,
                              .has_default_queue = write.has_default_queue});
  check_partial_change(errors, job, old_job, is_suspended, was_suspended);
}

// As the configuration has it; a job that it leaves out stays as its user wrote it.
bool may_be_queued(const JobWrite& write) {
  if (write.scope == nullptr) return true;
  return write.scope->has_namespace(objects::namespace_of(write.job),
                                    labels_of(write.name_space)) &&
         write.scope->has_framework(job_shape().integration);
}

Value queued(const JobWrite& write) {
  Draft draft(write.job);
  if (!may_be_queued(write)) return draft.value();
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
  JobAdmission answer;
  const bool is_new = write.old_job.is_absent();
  answer.job = is_new ? queued(write) : write.job;
  const View job = answer.job;
  check_job_names(answer.errors, job);
  check_served(answer.errors, job);
  const auto minimum = [](View of) { return annotations_of(of)[words::minimum_parallelism]; };
  if (is_new || !(minimum(job) == minimum(write.old_job))) check_minimum(answer.errors, job);
  check_completions(answer.errors, job);
  if (!is_new) check_update(answer.errors, write);
  return answer;
}

}  // namespace muster::core
