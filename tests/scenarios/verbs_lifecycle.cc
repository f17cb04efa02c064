// Verbs on running jobs and nodes.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/lifecycle/run_cron_job.h"
#include "core/lifecycle/run_job.h"
#include "core/lifecycle/run_node.h"
#include "objects/metadata.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;
using objects::View;

Value step_value(std::span<const core::Edit> edits, std::optional<Instant> look_again,
                 std::span<const Value> before) {
  core::Draft answer(Value::object({{"edits", edits_value(edits, before)}}));
  if (look_again) {
    answer.set({"lookAgain"}, Value::string(format_time(Timestamp::of(*look_again))));
  }
  return answer.value();
}

// given: {now, job, pods}. The answer: the edits of one step, and when to look again.
Result<Value> run_job(const Value& scenario) {
  const std::vector<Value> pods = list_in(scenario, "pods");
  core::JobObserved observed;
  observed.job = scenario.part(scenario["given"]["job"]);
  observed.pods = pods;
  observed.now = TRY(now_of(scenario));
  std::vector<Value> before = pods;
  before.push_back(observed.job);
  const core::JobStep step = core::run_job(observed);
  return step_value(step.edits, step.look_again, before);
}

// given: {now, node, silentSeconds, pods}. The answer: as of run_job.
Result<Value> run_node(const Value& scenario) {
  const std::vector<Value> pods = list_in(scenario, "pods");
  core::NodeObserved observed;
  observed.node = scenario.part(scenario["given"]["node"]);
  observed.silence = Span::of_seconds(scenario["given"]["silentSeconds"].integer_or(0));
  observed.pods = pods;
  observed.now = TRY(now_of(scenario));
  const std::vector<Value> before = {observed.node};
  const core::NodeStep step = core::run_node(observed);
  return step_value(step.edits, step.look_again, before);
}

// given: {now, cronJob, jobs, zone, rescheduled, taken}. The answer: as of run_job.
Result<Value> run_cron_job(const Value& scenario) {
  const View given = scenario["given"];
  const std::vector<Value> jobs = list_in(scenario, "jobs");
  core::CronJobObserved observed;
  observed.cron_job = scenario.part(given["cronJob"]);
  observed.jobs = jobs;
  observed.now = TRY(now_of(scenario));
  TimeZone zone;
  if (given["zone"]) zone = TRY(TimeZone::of_rule(given["zone"].string_or("")));
  const bool is_known = given["zone"] || !given["cronJob"]["spec"]["timeZone"];
  observed.zone = is_known ? &zone : nullptr;
  observed.rescheduled = objects::instant_of(given["rescheduled"]);
  observed.is_taken = [&](const std::string& name) { return given["taken"].string_or("") == name; };
  std::vector<Value> before = jobs;
  before.push_back(observed.cron_job);
  const core::CronJobStep step = core::run_cron_job(observed);
  return step_value(step.edits, step.look_again, before);
}

constexpr NamedVerb verbs[] = {
    {"run_cron_job", run_cron_job}, {"run_job", run_job}, {"run_node", run_node}};

}  // namespace

std::span<const NamedVerb> lifecycle_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
