// Verbs on ReplicaSets, Deployments, StatefulSets and the endpoints of Services.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/lifecycle/run_daemon_set.h"
#include "core/lifecycle/run_deployment.h"
#include "core/lifecycle/run_endpoints.h"
#include "core/lifecycle/run_replica_set.h"
#include "core/lifecycle/run_stateful_set.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;

Value given(const Value& scenario, std::string_view key) {
  return scenario.part(scenario["given"][key]);
}

// The edits of one step, and when to look again.
Value answer(const core::ReplicaStep& step, std::vector<Value> before, const Value& subject) {
  before.push_back(subject);
  core::Draft answer(Value::object({{"edits", edits_value(step.edits, before)}}));
  if (step.look_again) {
    answer.set({"lookAgain"}, Value::string(format_time(Timestamp::of(*step.look_again))));
  }
  return answer.value();
}

// given: {now, set, pods, refusal}
Result<Value> run_replica_set(const Value& scenario) {
  const Value set = given(scenario, "set");
  const std::vector<Value> pods = list_in(scenario, "pods");
  const Instant now = TRY(now_of(scenario));
  const std::string_view refusal = scenario["given"]["refusal"].string_or("");
  return answer(core::run_replica_set({.set = set, .pods = pods, .now = now, .refusal = refusal}),
                pods, set);
}

// given: {now, deployment, sets, pods}
Result<Value> run_deployment(const Value& scenario) {
  const Value deployment = given(scenario, "deployment");
  const std::vector<Value> sets = list_in(scenario, "sets");
  const std::vector<Value> pods = list_in(scenario, "pods");
  const Instant now = TRY(now_of(scenario));
  return answer(
      core::run_deployment({.deployment = deployment, .sets = sets, .pods = pods, .now = now}),
      sets, deployment);
}

// given: {now, set, pods, claims, revisions}
Result<Value> run_stateful_set(const Value& scenario) {
  const Value set = given(scenario, "set");
  const std::vector<Value> pods = list_in(scenario, "pods");
  const std::vector<Value> claims = list_in(scenario, "claims");
  const std::vector<Value> revisions = list_in(scenario, "revisions");
  const Instant now = TRY(now_of(scenario));
  return answer(
      core::run_stateful_set(
          {.set = set, .pods = pods, .claims = claims, .revisions = revisions, .now = now}),
      pods, set);
}

// given: {now, set, nodes, pods, revisions}
Result<Value> run_daemon_set(const Value& scenario) {
  const Value set = given(scenario, "set");
  const std::vector<Value> nodes = list_in(scenario, "nodes");
  const std::vector<Value> pods = list_in(scenario, "pods");
  const std::vector<Value> revisions = list_in(scenario, "revisions");
  const Instant now = TRY(now_of(scenario));
  return answer(core::run_daemon_set(
                    {.set = set, .nodes = nodes, .pods = pods, .revisions = revisions, .now = now}),
                pods, set);
}

// given: {service, pods, endpoints, slices}
Result<Value> run_endpoints(const Value& scenario) {
  const Value service = given(scenario, "service");
  const std::vector<Value> pods = list_in(scenario, "pods");
  std::vector<Value> before = list_in(scenario, "slices");
  const std::vector<Value> slices = before;
  const Value endpoints = given(scenario, "endpoints");
  before.push_back(endpoints);
  return answer(core::run_endpoints(
                    {.service = service, .pods = pods, .endpoints = endpoints, .slices = slices}),
                before, service);
}

constexpr NamedVerb verbs[] = {{"run_replica_set", run_replica_set},
                               {"run_deployment", run_deployment},
                               {"run_stateful_set", run_stateful_set},
                               {"run_daemon_set", run_daemon_set},
                               {"run_endpoints", run_endpoints}};

}  // namespace

std::span<const NamedVerb> apps_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
