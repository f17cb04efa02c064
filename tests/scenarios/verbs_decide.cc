// decide: a question to `muster plan`, and of its document what the scenario names. Objects are
// compared by the keys that are written, lists by order and length; an empty list or object says
// that there is nothing.
//
//   do: decide
//   given: {objects: […], config: {…}, policy: {…}, now: …, cycles: 2, untilIdle: true,
//           noRelease: true, steps: […], explain: true}
//   expect: {cycles: [{decisions: [{workload: a/w, action: Admit}]}], evicted: []}
//
// `expect: {text: "…"}` asks for what a person reads instead.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "base/timestamp.h"
#include "cli/plan/plan_engine.h"
#include "cli/plan/plan_text.h"
#include "objects/builder.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

// Of the answer only what the expectation speaks of.
Node part_named(Builder& builder, View answer, View expected) {
  if (answer.is_object() && expected.is_object() && !expected.empty()) {
    std::vector<Node::Member> members;
    for (const auto& [key, wanted] : expected.members()) {
      if (!answer[key]) continue;
      members.push_back({builder.text(key), part_named(builder, answer[key], wanted)});
    }
    return builder.object(members);
  }
  if (answer.is_array() && expected.is_array() && !expected.empty()) {
    std::vector<Node> elements;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const View wanted = expected[std::min(i, expected.size() - 1)];
      elements.push_back(part_named(builder, answer[i], wanted));
    }
    return builder.array(elements);
  }
  return builder.copy(answer);
}

Value part_or_absent(const Value& scenario, View view) {
  return view.is_absent() || view.is_null() ? Value() : scenario.part(view);
}

Result<Value> decide(const Value& scenario) {
  static const cli::PlanEngine engine(objects::KindRegistry::built_in().must());
  const View given = scenario["given"];
  cli::PlanInput input;
  for (const View object : given["objects"].elements()) {
    for (auto& source : cli::plan_sources_of(scenario.part(object), "scenario")) {
      input.sources.push_back(std::move(source));
    }
  }
  input.configuration = part_or_absent(scenario, given["config"]);
  input.policy = part_or_absent(scenario, given["policy"]);
  if (given["now"].is_string()) {
    input.now = TRY(parse_time(*given["now"].string())).saturated_instant();
  }
  input.cycles = given["cycles"].integer_or(1);
  input.until_idle = given["untilIdle"].boolean_or(false);
  input.releases = !given["noRelease"].boolean_or(false);
  input.explains = given["explain"].boolean_or(false);
  input.steps = TRY(cli::read_steps(part_or_absent(scenario, given["steps"]), "steps"));
  const Value document = TRY(engine.answer(input));
  if (scenario["expect"]["text"]) {
    return Value::object({{"text", Value::string(cli::plan_text(document))}});
  }
  Builder builder;
  const Node part = part_named(builder, document, scenario["expect"]);
  return std::move(builder).finish(part);
}

constexpr std::array<NamedVerb, 1> verbs{{{"decide", decide}}};

}  // namespace

std::span<const NamedVerb> decide_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
