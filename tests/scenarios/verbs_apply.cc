// Verbs on who owns which fields: a history of writes, and the managedFields at its end.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "objects/admit.h"
#include "objects/apply/apply.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/patch/compiled_patch_schema.h"
#include "objects/patch/patch.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using namespace objects;

constexpr std::string_view one_time = "2026-01-01T00:00:00Z";

struct History {
  const Kind& kind;
  Value object = {};
  std::string managed = {};
};

OwnedWrite write_of(const History& history, View step) {
  const KindVersion& version = history.kind.storage_version();
  const bool status = step["subresource"].string_or("") == "status";
  const bool custom = history.kind.style == SchemaStyle::custom;
  OwnedWrite write;
  write.owner = {.manager = std::string(step["by"].string_or("unknown")),
                 .operation = step["apply"] ? Operation::apply : Operation::update,
                 .api_version = history.kind.group.empty()
                                    ? version.name
                                    : history.kind.group + "/" + version.name,
                 .subresource = std::string(step["subresource"].string_or(""))};
  write.time = one_time;
  if (status) {
    write.filter = custom ? FieldFilter{{"metadata", "spec"}} : FieldFilter{{"spec", ""}};
  } else if (version.has_status) {
    write.filter = {{"status", ""}};
  }
  write.schema = version.schema.root();
  write.force = step["force"].boolean_or(false);
  return write;
}

Result<Value> stored(const History& history, const Value& object) {
  const Schema& schema = history.kind.storage_version().schema;
  const Decoded decoded = TRY(decode(schema, object, FieldValidation::ignore));
  return apply_defaults(schema, decoded.object);
}

Result<std::vector<Conflict>> take_step(const Value& step, History& history) {
  const OwnedWrite write = write_of(history, step);
  if (step["create"]) {
    history.object = TRY(stored(history, step.part(step["create"])));
    history.managed = TRY(owners_of_new(history.object, write));
  } else if (step["apply"]) {
    Applied applied =
        TRY(apply_configuration(history.object, history.managed, step.part(step["apply"]), write));
    if (!applied.conflicts.empty()) return std::move(applied.conflicts);
    history.object = TRY(stored(history, applied.object));
    history.managed = std::move(applied.managed);
  } else {
    const CompiledPatchSchema schema(history.kind.storage_version().schema.root());
    const PatchType type =
        history.kind.style == SchemaStyle::native ? PatchType::strategic_merge : PatchType::merge;
    const Value patched = TRY(apply_patch(type, history.object, step.part(step["patch"]), schema));
    const Value next = TRY(stored(history, patched));
    history.managed = TRY(owners_after_update(history.object, next, history.managed, write));
    history.object = next;
  }
  return std::vector<Conflict>();
}

// definition: of a kind that is not built in; given: steps, each with create, patch or apply, and
// by, subresource, force; show: a part of the object that is answered as well.
Result<Value> own(const Value& scenario) {
  static const KindRegistry built_in = KindRegistry::built_in().must();
  KindRegistry registry = built_in;
  if (const View definition = scenario["definition"]) {
    const FieldErrors errors = registry.add(scenario.part(definition));
    if (!errors.empty()) return Error::invalid(errors.to_string());
  }
  const View first = scenario["given"][0];
  const View object = first["create"] ? first["create"] : first["apply"];
  const std::string_view version = object["apiVersion"].string_or("");
  const std::size_t slash = version.find('/');
  const auto kind = registry.find(slash == std::string_view::npos ? "" : version.substr(0, slash),
                                  object["kind"].string_or(""));
  if (kind == nullptr) return Error::bad_request("the scenario names no kind");
  History history{*kind};
  for (const View each : scenario["given"].elements()) {
    const auto conflicts = TRY(take_step(scenario.part(each), history));
    if (!conflicts.empty()) {
      return Value::object({{"conflict", Value::string(conflict_message(conflicts))}});
    }
  }
  const Value managed =
      history.managed.empty() ? Value::array({}) : TRY(parse_json(history.managed));
  const std::string_view show = scenario["show"].string_or("");
  if (show.empty()) return Value::object({{"managedFields", managed}});
  return Value::object(
      {{show, history.object.part(history.object[show])}, {"managedFields", managed}});
}

constexpr NamedVerb verbs[] = {{"own", own}};

}  // namespace

std::span<const NamedVerb> apply_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
