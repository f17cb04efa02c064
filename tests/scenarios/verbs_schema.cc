// Verbs on kinds and their schemas: what a server answers to an object, or to a definition.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "objects/admit.h"
#include "objects/builder.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {

namespace {

using namespace objects;

Value texts(std::vector<std::string> lines) {
  Builder builder;
  std::vector<Node> nodes;
  for (const std::string& line : lines) nodes.push_back(builder.text(line));
  const Node root = builder.array(nodes);
  return std::move(builder).finish(root);
}

// {errors: [...]}, sorted: the real server's order is that of a Go map.
Value errors_answer(const FieldErrors& errors) {
  std::vector<std::string> lines;
  for (const FieldError& error : errors) lines.push_back(error.to_string());
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return Value::object({{"errors", texts(std::move(lines))}});
}

struct Target {
  std::shared_ptr<const Kind> kind;
  const KindVersion* version;
};

Result<Target> target_of(const KindRegistry& registry, View object) {
  const std::string_view api_version = object["apiVersion"].string_or("");
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  Target target;
  target.kind =
      registry.find(core ? "" : api_version.substr(0, slash), object["kind"].string_or(""));
  if (!target.kind) return Error::invalid("there is no such kind");
  target.version = target.kind->version(core ? api_version : api_version.substr(slash + 1));
  if (target.version == nullptr) return Error::invalid("there is no such version");
  return target;
}

Result<KindRegistry> registry_of(const Value& scenario) {
  static const KindRegistry built_in = KindRegistry::built_in().must();
  KindRegistry registry = built_in;
  if (const View definition = scenario["given"]["definition"]) {
    const FieldErrors errors = registry.add(scenario.part(definition));
    if (!errors.empty()) return Error::invalid(errors.to_string());
  }
  return registry;
}

Result<Admitted> admitted(const KindRegistry& registry, View given, const Value& object) {
  AdmitRequest request;
  request.object = object;
  if (const auto text = given["text"].string()) {
    request.object = TRY(parse_json(*text, {.duplicate_keys = DuplicateKeys::last_wins,
                                            .duplicate_fields = &request.duplicate_fields}));
  }
  const Target target = TRY(target_of(registry, request.object));
  request.scope = target.kind->scope;
  const std::string_view mode = given["fieldValidation"].string_or("Strict");
  request.field_validation = mode == "Strict" ? FieldValidation::strict
                             : mode == "Warn" ? FieldValidation::warn
                                              : FieldValidation::ignore;
  if (const View old = given["old"]) {
    request.old_object = apply_defaults(target.version->schema, Value::copy_of(old));
  }
  return admit(target.version->schema, request);
}

// {errors: […]}, or {object: as it would be stored}, or {valid: true}; and warnings.
Value answer_of(const Admitted& admitted, bool whole) {
  if (!admitted.errors.empty()) return errors_answer(admitted.errors);
  const std::string_view key = whole ? "object" : "valid";
  const Value answer = whole ? admitted.object : Value::boolean(true);
  if (admitted.warnings.empty()) return Value::object({{key, answer}});
  return Value::object({{key, answer}, {"warnings", texts(admitted.warnings)}});
}

// given: one `object`; or several `objects` by name, each with an answer of its own.
Result<Value> answers(const Value& scenario, bool whole) {
  const KindRegistry registry = TRY(registry_of(scenario));
  const View given = scenario["given"];
  if (!given["objects"]) {
    return answer_of(TRY(admitted(registry, given, scenario.part(given["object"]))), whole);
  }
  Builder builder;
  std::vector<Node::Member> members;
  for (MemberView entry : given["objects"].members()) {
    const auto one = admitted(registry, given, scenario.part(entry.value));
    const Value answer = one ? answer_of(*one, whole)
                             : Value::object({{"error", Value::string(one.error().to_string())}});
    members.push_back({builder.text(entry.key), builder.copy(answer)});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

Result<Value> validate_verb(const Value& scenario) {
  return answers(scenario, false);
}
Result<Value> admit_verb(const Value& scenario) {
  return answers(scenario, true);
}

// given is a CustomResourceDefinition.
Result<Value> define_verb(const Value& scenario) {
  KindRegistry registry = TRY(registry_of(scenario));
  const FieldErrors errors = registry.add(scenario.part(scenario["given"]));
  if (!errors.empty()) return errors_answer(errors);
  return Value::object({{"valid", Value::boolean(true)}});
}

constexpr NamedVerb verbs[] = {
    {"admit", admit_verb}, {"validate", validate_verb}, {"define", define_verb}};

}  // namespace

std::span<const NamedVerb> schema_verbs() {
  return verbs;
}

}  // namespace muster::scenarios
