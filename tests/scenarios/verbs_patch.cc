// Verbs on patches.
// SPDX-License-Identifier: Apache-2.0
#include "objects/kind_registry.h"
#include "objects/patch/compiled_patch_schema.h"
#include "objects/patch/patch.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Value;

// type: the Content-Type; resource: a built-in kind, such as pod; given: the object; patch: the
// body.
Result<Value> patch(const Value& scenario) {
  static const objects::KindRegistry registry = objects::KindRegistry::built_in().must();
  const auto kind = registry.find_name(scenario["resource"].string_or(""));
  if (kind == nullptr) return Error::bad_request("the scenario names no kind");
  const objects::CompiledPatchSchema schema(kind->storage_version().schema.root());
  return objects::apply_patch(TRY(objects::patch_type(scenario["type"].string_or(""))),
                              scenario.part(scenario["given"]), scenario.part(scenario["patch"]),
                              schema);
}

constexpr NamedVerb verbs[] = {{"patch", patch}};

}  // namespace

std::span<const NamedVerb> patch_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
