// Verbs on jobs in their queues.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/model/configuration.h"
#include "core/queueing/admit_job.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/run_workload.h"
#include "core/queueing/shape.h"
#include "objects/json.h"
#include "objects/patch/merge_patch.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/usual_job.h"

namespace muster::scenarios {

namespace {

using core::Edit;
using objects::Value;

// given: {job, oldJob, config, namespace, hasDefaultQueue}. The answer: what changed, or the causes
// of the refusal. The configuration's gates count, too.
Result<Value> admit_job(const Value& scenario) {
  const objects::View given = scenario["given"];
  core::JobWrite write;
  write.job = scenario.part(given["job"]);
  if (given["oldJob"]) write.old_job = scenario.part(given["oldJob"]);
  write.has_default_queue = given["hasDefaultQueue"].boolean_or(false);
  core::Configuration configuration;
  if (given["config"]) {
    configuration = TRY(core::read_configuration(scenario.part(given["config"])));
    write.scope = &configuration.jobs;
    write.gates = &configuration.gates;
    if (given["namespace"]) write.name_space = scenario.part(given["namespace"]);
  }
  const core::JobAdmission admitted = core::admit_job(write);
  if (!admitted.errors.empty()) return Error::invalid(admitted.errors.to_string());
  const std::vector<Edit> edits = {Edit::update(objects::resources::jobs, admitted.job)};
  const std::vector<Value> before = {write.job};
  return edits_value(edits, before);
}

Result<core::FeatureGates> gates_in(objects::View story) {
  core::FeatureGates gates;
  for (const auto& [name, enabled] : story["featureGates"].members()) {
    TRY(gates.set(name, enabled.boolean_or(false)));
  }
  return gates;
}

// given: {job, workloads} as usual_job.h says, no job where it is gone; noFlavor, featureGates, and
// lists of workloadPriorityClasses, priorityClasses and, for an elastic job, pods. It is ten
// o'clock. The answer: the edits of one look.
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
  const std::vector<Value> pods = list_in(scenario, "pods");
  const core::FeatureGates gates = TRY(gates_in(story));
  core::Reconciled given;
  given.pods = pods;
  given.gates = &gates;
  if (story["job"]) given.job = TRY(job_like(story["job"]));
  given.workloads = workloads;
  given.flavors = flavors;
  given.workload_priority_classes = workload_classes;
  given.priority_classes = classes;
  given.now = TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
  std::vector<Value> before = workloads;
  before.push_back(given.job);
  before.insert(before.end(), pods.begin(), pods.end());
  return edits_value(core::reconcile_workload(core::job_shape(), given), before);
}

Value queue_like(const Value& scenario, std::string_view key, std::string_view usual) {
  const objects::View special = scenario["given"][key];
  if (special.is_null()) return {};
  const Value queue = objects::parse_json(usual).must();
  if (special.is_absent()) return queue;
  return objects::apply_merge_patch(queue, scenario.part(special)).must();
}

// given: {workload} as usual_job.h says; localQueue (main) and clusterQueue (cq) with merge
// patches, null where there is none; configuration without its header; job. It is ten o'clock. The
// answer: the edits of one look, and when to look again.
Result<Value> run_workload(const Value& scenario) {
  const objects::View story = scenario["given"];
  core::Draft rules(objects::parse_json(R"({"apiVersion": "config.kueue.x-k8s.io/v1beta2",
                                            "kind": "Configuration"})")
                        .must());
  for (const auto& [key, value] : story["configuration"].members()) {
    rules.set({key}, Value::copy_of(value));
  }
  const core::Configuration configuration = TRY(core::read_configuration(rules.value()));
  const Value workload = TRY(workload_like(story["workload"]));
  core::ObservedWorkload observed{.workload = workload, .configuration = configuration};
  observed.local_queue = queue_like(
      scenario, "localQueue",
      R"({"metadata": {"name": "main", "namespace": "a"}, "spec": {"clusterQueue": "cq"}})");
  observed.cluster_queue = queue_like(scenario, "clusterQueue",
                                      R"({"metadata": {"name": "cq"}, "spec": {"resourceGroups": [
          {"coveredResources": ["cpu"], "flavors": [{"name": "spot"}, {"name": "solid"}]}]}})");
  for (objects::View each : story["failedNodes"].elements()) {
    observed.failed_nodes.emplace(each.string_or(""));
  }
  if (story["job"]) {
    observed.job = TRY(job_like(story["job"]));
    observed.job_resource = objects::resources::jobs;
  }
  observed.now = TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
  const core::WorkloadStep step = core::run_workload(observed);
  const std::vector<Value> before = {observed.workload, observed.job};
  Value edits = edits_value(step.edits, before);
  if (!step.look_again) return edits;
  return Value::object(
      {{"edits", edits},
       {"lookAgain", Value::string(format_time(Timestamp::of(*step.look_again)))}});
}

constexpr NamedVerb verbs[] = {{"admit_job", admit_job},
                               {"reconcile_workload", reconcile_workload},
                               {"run_workload", run_workload}};

}  // namespace

std::span<const NamedVerb> queueing_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
