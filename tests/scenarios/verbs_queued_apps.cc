// Verbs on Deployments and StatefulSets in their queues.
// SPDX-License-Identifier: Apache-2.0
#include "core/draft.h"
#include "core/model/configuration.h"
#include "core/queueing/admit_app.h"
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

constexpr NamedVerb verbs[] = {{"admit_deployment", admit_deployment},
                               {"tell_unmanaged", tell_unmanaged}};

}  // namespace

std::span<const NamedVerb> queued_app_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
