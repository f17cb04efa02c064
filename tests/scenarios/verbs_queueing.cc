// Verbs on jobs in their queues.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/queueing/admit_job.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/shape.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/usual_job.h"

namespace muster::scenarios {

namespace {

using core::Edit;
using objects::Value;

// given: {job, oldJob, hasDefaultQueue}. The answer: what changed, or the causes of the refusal.
Result<Value> admit_job(const Value& scenario) {
  const objects::View given = scenario["given"];
  core::JobWrite write;
  write.job = scenario.part(given["job"]);
  if (given["oldJob"]) write.old_job = scenario.part(given["oldJob"]);
  write.has_default_queue = given["hasDefaultQueue"].boolean_or(false);
  const core::JobAdmission admitted = core::admit_job(write);
  if (!admitted.errors.empty()) return Error::invalid(admitted.errors.to_string());
  const std::vector<Edit> edits = {Edit::update(objects::resources::jobs, admitted.job)};
  const std::vector<Value> before = {write.job};
  return edits_value(edits, before);
}

// given: {job, workloads} as usual_job.h says, no job where it is gone; noFlavor, and lists of
// workloadPriorityClasses and priorityClasses. It is ten o'clock. The answer: the edits of one
// look.
Result<Value> reconcile_workload(const Value& scenario) {
  const objects::View story = scenario["given"];
  std::vector<Value> workloads;
  for (objects::View each : story["workloads"].elements()) {
    workloads.push_back(TRY(workload_like(each)));
  }
  std::vector<Value> flavors = {usual_flavor()};
  if (story["noFlavor"].boolean_or(false)) flavors.clear();
  const std::vector<Value> workload_classes = list_in(scenario, "workloadPriorityClasses");
  const std::vector<Value> classes = list_in(scenario, "priorityClasses");
  core::Reconciled given;
  if (story["job"]) given.job = TRY(job_like(story["job"]));
  given.workloads = workloads;
  given.flavors = flavors;
  given.workload_priority_classes = workload_classes;
  given.priority_classes = classes;
  given.now = TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
  std::vector<Value> before = workloads;
  before.push_back(given.job);
  return edits_value(core::reconcile_workload(core::job_shape(), given), before);
}

constexpr NamedVerb verbs[] = {{"admit_job", admit_job},
                               {"reconcile_workload", reconcile_workload}};

}  // namespace

std::span<const NamedVerb> queueing_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
