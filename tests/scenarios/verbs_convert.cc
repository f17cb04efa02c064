// Verbs on versions of a kind.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "objects/convert.h"
#include "objects/kinds.h"
#include "objects/yaml.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;

// The name of the conversion that the kind's file in api/ asks for; empty when it asks for none.
Result<std::string> conversion_of(std::string_view kind) {
  for (const objects::EmbeddedFile& file : objects::api_files()) {
    const Value document = TRY(objects::parse_yaml_document(file.text));
    const objects::View spec = document["spec"];
    if (spec["names"]["kind"].string_or("") == kind) {
      return std::string(spec["x-muster-conversion"].string_or(""));
    }
  }
  return Error{ErrorCode::not_found, "no file in api/ has the kind " + std::string(kind)};
}

// given: an object of the version `from`; expect: the same in the version `to`.
Result<Value> convert(const Value& scenario) {
  const std::string name = TRY(conversion_of(scenario["given"]["kind"].string_or("")));
  return objects::convert(name, scenario.part(scenario["given"]), scenario["to"].string_or(""));
}

constexpr NamedVerb verbs[] = {{"convert", convert}};

}  // namespace

std::span<const NamedVerb> convert_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
