// SPDX-License-Identifier: Apache-2.0
#include "core/model/configuration.h"
#include "core/queueing/convert_object.h"
#include "core/queueing/validate_object.h"
#include "objects/builder.h"
#include "objects/kind_registry.h"
#include "objects/rewrite.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

const objects::KindRegistry& registry() {
  static const objects::KindRegistry kinds = objects::KindRegistry::built_in().must();
  return kinds;
}

// The object with the given members of the change replaced, and so on inside of them; null drops.
Node changed(Builder& builder, View object, View change) {
  if (!object.is_object() || !change.is_object()) return builder.copy(change);
  objects::Rewrite next(object);
  for (const objects::MemberView member : change.members()) {
    if (member.value.is_null()) {
      next.drop(member.key);
    } else {
      next.set(member.key, changed(builder, object[member.key], member.value));
    }
  }
  return next.finish(builder);
}

Value with_change(const Value& object, View change) {
  if (!change) return object;
  Builder builder;
  builder.retain(object);
  const Node node = changed(builder, object, change);
  return std::move(builder).finish(node);
}

// given: {object, gates}: the object is created; with `update` the object becomes what that change
// makes of it. expect: as `muster validate -o json` prints it.
Result<Value> judge_object(const Value& scenario) {
  const View given = scenario["given"];
  const Value object = scenario.part(given["object"]);
  core::ValidationRequest request{.object = with_change(object, given["update"])};
  if (given["update"]) request.old_object = object;
  for (const objects::MemberView gate : given["gates"].members()) {
    TRY(request.gates.set(gate.key, gate.value.boolean_or(false)));
  }
  return core::document_of(TRY(core::validate_object(registry(), request)));
}

// given: an object of Kueue; expect: what `muster convert --to` prints.
Result<Value> convert_object(const Value& scenario) {
  return core::convert_object(registry(), scenario.part(scenario["given"]),
                              scenario["to"].string_or(""));
}

constexpr NamedVerb verbs[] = {{"judge object", judge_object}, {"convert object", convert_object}};

}  // namespace

std::span<const NamedVerb> validate_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
