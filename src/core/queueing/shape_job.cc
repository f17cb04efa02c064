// The shape of batch/v1 Job. Stopping takes two writes, because a pod template may change only in a
// job that is suspended and has no start time:
//
//   running ──suspend, annotation `stopping`──► stopping ──pods ended, startTime gone──► template
//   restored, annotation removed ──► stopped
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/draft.h"
#include "core/index_set.h"
#include "core/queueing/go_text.h"
#include "core/queueing/pod_sets.h"
#include "core/queueing/shape.h"
#include "core/queueing/topology_annotations.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::Value;
using objects::View;

namespace {

// Labels that kube-apiserver writes into the template. Kueue leaves one of them in the Workload.
constexpr std::string_view managed_labels[] = {words::legacy_job_name_label,
                                               words::legacy_controller_uid_label,
                                               words::job_name_label, words::controller_uid_label};

std::int64_t parallelism_of(View job) {
  return job["spec"]["parallelism"].integer_or(1);
}

std::int64_t pod_count(View job) {
  return std::min(parallelism_of(job), job["spec"]["completions"].integer_or(INT64_MAX));
}

std::optional<std::int64_t> minimum_count(View job) {
  const View text = annotations_of(job)[words::minimum_parallelism];
  if (!text.is_string()) return std::nullopt;
  const auto parsed = parse_go_integer(text.string_or(""));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

bool keeps_completions_equal(View job) {
  const auto text = annotations_of(job)[words::completions_equal_parallelism].string_or("");
  const auto parsed = parse_go_boolean(text);
  return parsed && *parsed;
}

Value without_managed_labels(const Value& pod_template) {
  Draft draft(pod_template);
  for (const std::string_view label : managed_labels) {
    if (label == words::job_name_label) continue;
    draft.drop({"metadata", "labels", label});
  }
  if (draft.value()["metadata"]["labels"].empty()) draft.drop({"metadata", "labels"});
  draft.drop({"metadata", "creationTimestamp"});
  return draft.value();
}

Result<std::vector<PodSet>> pod_sets(const Value& job) {
  const Value pod_template = job.part(job["spec"]["template"]);
  if (!pod_template.is_object()) return Error::invalid("the job has no pod template");
  PodSet set;
  set.name = main_pod_set;
  set.pod_template = without_repeated_variables(without_managed_labels(pod_template));
  set.count = pod_count(job);
  set.minimum_count = minimum_count(job);
  // The ranks of a Job are its indexes.
  set.topology_request = topology_request(pod_template, words::completion_index);
  return std::vector<PodSet>{std::move(set)};
}

bool is_stopping(View job) {
  return annotations_of(job)[words::stopping].string_or("") == "true";
}

bool is_suspended(View job) {
  return job["spec"]["suspend"].boolean_or(false) && !is_stopping(job);
}

bool is_active(View job) {
  return job["status"]["active"].integer_or(0) != 0;
}

bool is_ready(View job) {
  const View status = job["status"];
  const auto uncounted =
      static_cast<std::int64_t>(status["uncountedTerminatedPods"]["succeeded"].size());
  return status["succeeded"].integer_or(0) + status["ready"].integer_or(0) + uncounted >=
         pod_count(job);
}

std::optional<Outcome> outcome(View job) {
  for (View each : job["status"]["conditions"].elements()) {
    const std::string_view type = each["type"].string_or("");
    if ((type == "Complete" || type == "Failed") && objects::is_true(each)) {
      return Outcome{type == "Complete", std::string(each["message"].string_or(""))};
    }
  }
  return std::nullopt;
}

std::int64_t terminal_count(View job, std::int64_t completions) {
  const View status = job["status"];
  if (job["spec"]["completionMode"].string_or("") != "Indexed") {
    return status["succeeded"].integer_or(0);
  }
  IndexSet terminal = IndexSet::parse(status["completedIndexes"].string_or(""), completions);
  terminal.add_all(IndexSet::parse(status["failedIndexes"].string_or(""), completions));
  return terminal.count();
}

std::vector<Reclaimable> reclaimable(View job) {
  const std::int64_t parallelism = parallelism_of(job);
  const std::int64_t completions = job["spec"]["completions"].integer_or(parallelism);
  const std::int64_t done = terminal_count(job, completions);
  const std::int64_t remaining = std::max<std::int64_t>(completions - done, 0);
  if (parallelism <= 1 || done <= 0 || remaining >= parallelism) return {};
  return {{std::string(main_pod_set), parallelism - remaining}};
}

// Of a job that may be admitted in part: as many pods as were admitted.
void resize(Draft& draft, std::int64_t count) {
  if (!minimum_count(draft.value())) return;
  draft.set({"spec", "parallelism"}, Value::integer(count));
  if (keeps_completions_equal(draft.value())) {
    draft.set({"spec", "completions"}, Value::integer(count));
  }
}

Result<std::vector<Edit>> start(const Value& job, std::span<const PodSetInjection> sets) {
  if (sets.size() != 1) {
    return Error::invalid("invalid podset infos: expecting 1 podset, got " +
                          std::to_string(sets.size()));
  }
  const Value pod_template = TRY(injected(job.part(job["spec"]["template"]), sets[0]));
  Draft draft(job);
  draft.set({"spec", "suspend"}, Value::boolean(false));
  resize(draft, sets[0].count);
  draft.set({"spec", "template"}, pod_template);
  return std::vector<Edit>{Edit::update(objects::resources::jobs, draft.value())};
}

Stop writing(const Edit& edit, bool begins = false) {
  return {.state = Stop::State::writing, .edits = {edit}, .begins = begins};
}

// What a start adds is still there: the job was suspended by its user, or is being stopped.
bool has_started_template(View job) {
  return job["spec"]["template"]["metadata"]["labels"][words::pod_set].is_string();
}

Stop stop(const Value& job, const StopOrder& order) {
  if (!job["spec"]["suspend"].boolean_or(false)) {
    Draft draft(job);
    draft.set({"spec", "suspend"}, Value::boolean(true));
    draft.set({"metadata", "annotations", words::stopping}, Value::string("true"));
    return writing(Edit::update(objects::resources::jobs, draft.value()), true);
  }
  if (is_active(job)) return {.state = Stop::State::waiting};
  const bool has_start_time = job["status"]["startTime"].is_string();
  // Its own controller comes first: it may be making pods that no status counts yet.
  if ((is_stopping(job) || has_start_time) &&
      !objects::is_true(objects::condition(job, "Suspended"))) {
    return {.state = Stop::State::waiting};
  }
  if (has_start_time) {
    // A controller older than Kubernetes 1.36 leaves it standing.
    const Value next = Draft(job).drop({"status", "startTime"}).value();
    return writing(Edit::update_status(objects::resources::jobs, next));
  }
  const bool restores = has_started_template(job) && !order.original.empty();
  if (!is_stopping(job) && !restores) return {};
  Draft draft(job);
  draft.drop({"metadata", "annotations", words::stopping});
  if (annotations_of(draft.value()).empty()) draft.drop({"metadata", "annotations"});
  if (restores) {
    resize(draft, order.original[0].count);
    draft.set({"spec", "template"}, restored(job.part(job["spec"]["template"]),
                                             order.original[0].pod_template, managed_labels));
  }
  return writing(Edit::update(objects::resources::jobs, draft.value()));
}

}  // namespace

const Shape& job_shape() {
  static const Shape shape = {
      .resource = objects::resources::jobs,
      .integration = "batch/job",
      .pod_sets = pod_sets,
      .is_suspended = is_suspended,
      .is_stopping = is_stopping,
      .is_active = is_active,
      .is_ready = is_ready,
      .outcome = outcome,
      .reclaimable = reclaimable,
      .start = start,
      .stop = stop,
  };
  return shape;
}

}  // namespace muster::core
