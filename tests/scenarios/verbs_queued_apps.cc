// Verbs on Deployments and StatefulSets in their queues.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/model/configuration.h"
#include "core/queueing/admit_app.h"
#include "core/queueing/reconcile_stateful_set.h"
#include "objects/json.h"
#include "objects/patch/merge_patch.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using core::Edit;
using objects::Value;
using objects::View;

// What most stories are about: two pods in the queue `main`.
constexpr std::string_view usual_app = R"({
  "apiVersion": "apps/v1",
  "metadata": {"name": "web", "namespace": "a", "uid": "u-web", "resourceVersion": "7",
               "labels": {"kueue.x-k8s.io/queue-name": "main"}},
  "spec": {"replicas": 2, "template": {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "m", "image": "i",
                             "resources": {"requests": {"cpu": "1"}}}]}}}})";

Result<Value> app_like(const core::App& app, View special) {
  core::Draft usual(TRY(objects::parse_json(usual_app)));
  usual.set({"kind"}, Value::string(app.resource.kind));
  if (!special) return usual.value();
  return objects::apply_merge_patch(usual.value(), Value::copy_of(special));
}

// given: {app, oldApp}, merge patches of the usual one; config, namespace, workload,
// hasDefaultQueue, hasManagedOwner. The answer: what changed and the warnings, or the causes of the
// refusal.
Result<Value> admit(const core::App& app, const Value& scenario) {
  const View given = scenario["given"];
  core::AppWrite write;
  write.object = TRY(app_like(app, given["app"]));
  if (given["oldApp"]) write.old_object = TRY(app_like(app, given["oldApp"]));
  core::Configuration configuration;
  if (given["config"]) {
    configuration = TRY(core::read_configuration(scenario.part(given["config"])));
    write.scope = &configuration.jobs;
    write.gates = &configuration.gates;
    if (given["namespace"]) write.name_space = scenario.part(given["namespace"]);
  }
  if (given["workload"]) write.workload = scenario.part(given["workload"]);
  write.has_default_queue = given["hasDefaultQueue"].boolean_or(false);
  write.has_managed_owner = given["hasManagedOwner"].boolean_or(false);
  const core::AppAdmission admitted = core::admit_app(app, write);
  if (!admitted.errors.empty()) return Error::invalid(admitted.errors.to_string());
  const std::vector<Edit> edits = {Edit::update(app.resource, admitted.object)};
  const std::vector<Value> before = {write.object};
  std::vector<Value> warnings;
  for (const std::string& each : admitted.warnings) warnings.push_back(Value::string(each));
  return Value::object(
      {{"edits", edits_value(edits, before)}, {"warnings", core::list_of(warnings)}});
}

Result<Value> admit_deployment(const Value& scenario) {
  return admit(core::deployment_app, scenario);
}

// given: {app, config, namespace} as above. The answer: what is said of one that is left out.
Result<Value> tell_unmanaged(const Value& scenario) {
  const View given = scenario["given"];
  const core::Configuration configuration =
      TRY(core::read_configuration(scenario.part(given["config"])));
  const Value app = TRY(app_like(core::deployment_app, given["app"]));
  std::vector<Edit> edits;
  if (auto told =
          core::tell_unmanaged(core::deployment_app, app, configuration.jobs, given["namespace"])) {
    edits.push_back(*std::move(told));
  }
  const std::vector<Value> before = {app};
  return edits_value(edits, before);
}

Result<Value> admit_stateful_set(const Value& scenario) {
  return admit(core::stateful_set_app, scenario);
}

constexpr std::string_view usual_pod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"namespace": "a", "resourceVersion": "7", "labels": {"app": "web"},
               "annotations": {"kueue.x-k8s.io/pod-suspending-parent": "statefulset",
                               "kueue.x-k8s.io/role-hash": "r1"}},
  "spec": {"containers": [{"name": "m", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
  "status": {"phase": "Pending"}})";

// {name, like: gated or running, with: a merge patch}.
Result<Value> member_like(View special) {
  core::Draft pod(TRY(objects::parse_json(usual_pod)));
  const std::string_view name = special["name"].string_or("web-0");
  pod.set({"metadata", "name"}, Value::string(name));
  if (special["like"].string_or("gated") == "gated") {
    pod.set({"spec", "schedulingGates"},
            TRY(objects::parse_json(R"([{"name": "kueue.x-k8s.io/admission"}])")));
  } else {
    pod.set({"spec", "nodeName"}, Value::string("n"));
    pod.set({"status", "phase"}, Value::string("Running"));
  }
  if (!special["with"]) return pod.value();
  return objects::apply_merge_patch(pod.value(), Value::copy_of(special["with"]));
}

// The Workload that the usual set gets, and what a story says of it.
Result<Value> workload_of(const core::Reconciled& rest, View special) {
  core::Reconciled usual = rest;
  usual.job = TRY(app_like(core::stateful_set_app, View()));
  usual.job = core::Draft(usual.job)
                  .set({"spec", "template", "metadata", "annotations",
                        "kueue.x-k8s.io/pod-suspending-parent"},
                       Value::string("statefulset"))
                  .value();
  for (const Edit& edit : core::reconcile_stateful_set({.rest = usual}).edits) {
    if (edit.verb != Edit::Verb::create) continue;
    return objects::apply_merge_patch(edit.object, Value::copy_of(special));
  }
  return Error::invalid("no Workload is made");
}

// given: {app, workload}, merge patches of the usual ones, no Workload where none is given; pods as
// member_like says; config, namespace, workloadPriorityClasses. It is ten o'clock. The answer: the
// edits of one look.
Result<Value> reconcile_stateful_set(const Value& scenario) {
  const View given = scenario["given"];
  core::Configuration configuration;
  if (given["config"]) {
    configuration = TRY(core::read_configuration(scenario.part(given["config"])));
  }
  std::vector<Value> pods;
  for (View each : given["pods"].elements()) pods.push_back(TRY(member_like(each)));
  std::vector<Value> classes;
  for (View each : given["workloadPriorityClasses"].elements()) {
    classes.push_back(scenario.part(each));
  }
  core::ReconciledSet looked;
  looked.pods = pods;
  looked.rest.job = TRY(app_like(core::stateful_set_app, given["app"]));
  looked.rest.scope = &configuration.jobs;
  if (given["namespace"]) looked.rest.name_space = scenario.part(given["namespace"]);
  looked.rest.workload_priority_classes = classes;
  looked.rest.now = TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
  if (given["workload"]) looked.workload = TRY(workload_of(looked.rest, given["workload"]));
  std::vector<Value> before = pods;
  before.push_back(looked.workload);
  return edits_value(core::reconcile_stateful_set(looked).edits, before);
}

constexpr NamedVerb verbs[] = {{"admit_deployment", admit_deployment},
                               {"admit_stateful_set", admit_stateful_set},
                               {"reconcile_stateful_set", reconcile_stateful_set},
                               {"tell_unmanaged", tell_unmanaged}};

}  // namespace

std::span<const NamedVerb> queued_app_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
