// What Muster says about single objects: one JSON request per line in, one answer per line out, in
// the form of the oracle's `serve`.
//   {"verb":"validate","object":{…},"old":{…},"config":{…}}
//   {"verb":"convert","object":{…},"to":"kueue.x-k8s.io/v1beta1"}
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include "core/model/configuration.h"
#include "core/queueing/convert_object.h"
#include "core/queueing/validate_object.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/value.h"

namespace muster {
namespace {

using objects::Value;

Result<Value> answer(const objects::KindRegistry& registry, const Value& request) {
  const Value object = request.part(request["object"]);
  if (request["verb"].string_or("") == "convert") {
    return core::convert_object(registry, object, request["to"].string_or(""));
  }
  core::ValidationRequest validation{.object = object};
  if (request["old"].is_object()) validation.old_object = request.part(request["old"]);
  if (request["config"].is_object()) {
    validation.gates = TRY(core::read_configuration(request.part(request["config"]))).gates;
  }
  return core::document_of(TRY(core::validate_object(registry, validation)));
}

}  // namespace
}  // namespace muster

int main() {
  using muster::objects::Value;
  const auto registry = muster::objects::KindRegistry::built_in().must();
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = muster::objects::parse_json(line);
    auto answered =
        request ? muster::answer(registry, *request) : muster::Result<Value>(request.error());
    const Value document =
        answered ? Value::object({{"ok", Value::boolean(true)}, {"result", *answered}})
                 : Value::object({{"ok", Value::boolean(false)},
                                  {"error", Value::string(answered.error().to_string())}});
    std::cout << muster::objects::to_json(document) << std::endl;
  }
}
