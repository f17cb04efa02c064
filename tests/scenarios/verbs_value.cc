// Verbs on values: what YAML and JSON text mean.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "objects/json.h"
#include "objects/yaml.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;

// given: a text; expect: the documents in it.
Result<Value> read_yaml(const Value& scenario) {
  const auto documents = TRY(objects::parse_yaml(scenario["given"].string_or("")));
  std::string text = "[";
  for (const auto& document : documents) {
    if (text.size() > 1) text += ',';
    objects::append_json(document.value, text);
  }
  return objects::parse_json(text + "]");
}

// given: a text; expect: the value.
Result<Value> read_json(const Value& scenario) {
  return objects::parse_json(scenario["given"].string_or(""));
}

constexpr NamedVerb verbs[] = {{"read-yaml", read_yaml}, {"read-json", read_json}};

}  // namespace

std::span<const NamedVerb> value_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
