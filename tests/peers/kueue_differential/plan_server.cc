// plan_server: answers the questions of the kueue-oracle's `serve` protocol with Muster's engine,
// many in one process: one JSON request per line in, one answer per line out. For tests; the
// product has no such mode.
//
//   {"id":1,"verb":"plan","objects":[…],"config":{…},"now":"…","cycles":2,"untilIdle":false,
//    "noRelease":false,"steps":[…],"policy":{…},"explain":false}
//   {"id":2,"verb":"validate","object":{…},"old":{…},"config":{…}}
//   {"id":3,"verb":"convert","object":{…},"to":"kueue.x-k8s.io/v1beta1"}
//   → {"id":1,"ok":true,"result":{…}} or {"id":1,"ok":false,"code":2,"error":"…"}
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <string>

#include "base/timestamp.h"
#include "cli/plan/document_object.h"
#include "cli/plan/limits.h"
#include "cli/plan/plan_engine.h"
#include "core/model/configuration.h"
#include "core/queueing/convert_object.h"
#include "core/queueing/validate_object.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster {

namespace {

using objects::Value;
using objects::View;

Value part_or_absent(const Value& request, std::string_view key) {
  const View view = request[key];
  return view.is_absent() || view.is_null() ? Value() : request.part(view);
}

Result<Value> plan_of(const cli::PlanEngine& engine, const Value& request) {
  cli::PlanInput input;
  for (const View object : request["objects"].elements()) {
    for (auto& source : cli::plan_sources_of(request.part(object), "request")) {
      input.sources.push_back(std::move(source));
    }
  }
  input.configuration = part_or_absent(request, "config");
  input.policy = part_or_absent(request, "policy");
  const std::string_view now = request["now"].string_or("");
  if (!now.empty()) input.now = TRY(parse_time(now)).saturated_instant();
  input.cycles = std::max<std::int64_t>(request["cycles"].integer_or(1), 1);
  input.until_idle = request["untilIdle"].boolean_or(false);
  input.releases = !request["noRelease"].boolean_or(false);
  input.explains = request["explain"].boolean_or(false);
  input.steps = TRY(cli::read_steps(part_or_absent(request, "steps"), "steps"));
  return engine.answer(input);
}

const objects::KindRegistry& registry() {
  static const auto made = objects::KindRegistry::built_in().must();
  return made;
}

Result<Value> verdict_of(const Value& request) {
  const Value configuration = part_or_absent(request, "config");
  core::ValidationRequest question;
  question.object = part_or_absent(request, "object");
  question.old_object = part_or_absent(request, "old");
  question.gates = TRY(core::read_configuration(configuration)).gates;
  return core::document_of(TRY(core::validate_object(registry(), question)));
}

Result<Value> answer(const cli::PlanEngine& engine, const Value& request) {
  const std::string_view verb = request["verb"].string_or("");
  if (verb == "plan") return plan_of(engine, request);
  if (verb == "validate") return verdict_of(request);
  if (verb == "convert") {
    return core::convert_object(registry(), part_or_absent(request, "object"),
                                request["to"].string_or(""));
  }
  return Error::bad_request("unknown verb " + std::string(verb));
}

std::string answer_line(const cli::PlanEngine& engine, const std::string& line) {
  objects::Builder builder;
  cli::DocumentObject object(builder);
  const auto request = objects::parse_json(line, {.bytes_max = cli::plan_input_bytes_max});
  Result<Value> result = request ? answer(engine, *request) : Result<Value>(request.error());
  if (request && (*request)["id"]) object.add("id", builder.copy((*request)["id"]));
  object.boolean("ok", result.has_value());
  if (result) {
    object.add("result", builder.embed(*result));
  } else {
    object.integer("code", result.error().code == ErrorCode::internal ? 3 : 2)
        .text("error", result.error().to_string());
  }
  const objects::Node root = object.node();
  return objects::to_json(std::move(builder).finish(root));
}

}  // namespace

}  // namespace muster

int main() {
  const muster::cli::PlanEngine engine(muster::objects::KindRegistry::built_in().must());
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << muster::answer_line(engine, line) << '\n' << std::flush;
  }
  return 0;
}
