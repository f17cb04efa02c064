// Verbs on ProvisioningRequests: Kueue's controller, and the provider of the embedded nodes.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/lifecycle/run_provisioning_request.h"
#include "core/queueing/provision.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"
#include "tests/scenarios/usual_job.h"

namespace muster::scenarios {

namespace {

using objects::Value;

Result<Instant> ten_o_clock() {
  return TRY(parse_time("2026-11-15T10:00:00Z")).saturated_instant();
}

// given: {workload, requests, templates, checks, configs}: the Workload as usual_job.h says. It is
// ten o'clock. The answer: the edits of one look.
Result<Value> provision(const Value& scenario) {
  core::Provisioning given;
  given.workload = TRY(workload_like(scenario["given"]["workload"]));
  const std::vector<Value> requests = list_in(scenario, "requests");
  const std::vector<Value> templates = list_in(scenario, "templates");
  const std::vector<Value> checks = list_in(scenario, "checks");
  const std::vector<Value> configs = list_in(scenario, "configs");
  const std::vector<Value> flavors = {usual_flavor()};
  given.requests = requests;
  given.templates = templates;
  given.checks = checks;
  given.configs = configs;
  given.flavors = flavors;
  given.now = TRY(ten_o_clock());
  std::vector<Value> before = requests;
  before.insert(before.end(), templates.begin(), templates.end());
  before.push_back(given.workload);
  return edits_value(core::provision(given), before);
}

// given: {check, configs}.
Result<Value> judge_provisioning_check(const Value& scenario) {
  const Value check = scenario.part(scenario["given"]["check"]);
  const std::vector<Value> configs = list_in(scenario, "configs");
  const auto edits = core::judge_provisioning_check(check, configs, TRY(ten_o_clock()));
  return edits_value(edits, {&check, 1});
}

// given: {request, others, templates, nodes, pods}. It is ten o'clock.
Result<Value> run_provisioning_request(const Value& scenario) {
  core::ObservedRequest given;
  given.request = scenario.part(scenario["given"]["request"]);
  const std::vector<Value> templates = list_in(scenario, "templates");
  const std::vector<Value> others = list_in(scenario, "others");
  const std::vector<Value> nodes = list_in(scenario, "nodes");
  const std::vector<Value> pods = list_in(scenario, "pods");
  given.templates = templates;
  given.others = others;
  given.nodes = nodes;
  given.pods = pods;
  given.now = TRY(ten_o_clock());
  const auto step = core::run_provisioning_request(given);
  return edits_value(step.edits, {&given.request, 1});
}

constexpr NamedVerb verbs[] = {{"provision", provision},
                               {"judge_provisioning_check", judge_provisioning_check},
                               {"run_provisioning_request", run_provisioning_request}};

}  // namespace

std::span<const NamedVerb> provisioning_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
