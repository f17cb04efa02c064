// Verbs on running jobs and nodes.
// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/lifecycle/run_job.h"
#include "core/lifecycle/run_node.h"
#include "tests/scenarios/edit_text.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;

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

constexpr NamedVerb verbs[] = {{"run_job", run_job}, {"run_node", run_node}};

}  // namespace

std::span<const NamedVerb> lifecycle_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
