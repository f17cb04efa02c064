// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "core/queueing/admit_job.h"
#include "core/queueing/validate_kueue.h"
#include "objects/admit.h"
#include "objects/builder.h"
#include "objects/convert.h"
#include "objects/edit.h"
#include "objects/go_structs.h"
#include "objects/resource.h"
#include "objects/schema/metadata.h"

namespace muster::core {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::FieldValidation;
using objects::GoType;
using objects::Kind;
using objects::KindVersion;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view hub_version = "v1beta2";

struct KindAndVersion {
  std::shared_ptr<const Kind> kind;
  const KindVersion* version = nullptr;
};

Result<KindAndVersion> find_kind(const objects::KindRegistry& registry, View object) {
  if (!object.is_object()) return Error::bad_request("an object is expected");
  const std::string_view api_version = object["apiVersion"].string_or("");
  const std::string_view name = object["kind"].string_or("");
  if (api_version.empty() || name.empty()) {
    return Error::bad_request("apiVersion and kind are required");
  }
  const std::size_t slash = api_version.rfind('/');
  const bool has_group = slash != std::string_view::npos;
  KindAndVersion found;
  found.kind = registry.find(has_group ? api_version.substr(0, slash) : "", name);
  if (found.kind != nullptr) {
    found.version = found.kind->version(has_group ? api_version.substr(slash + 1) : api_version);
  }
  if (found.version == nullptr) {
    return Error::bad_request(fmt::format("{} {} is no kind that is known", api_version, name));
  }
  return found;
}

// Each sentence once.
void tell(const FieldErrors& errors, Verdict& verdict) {
  std::set<std::string> told;
  for (const FieldError& error : errors) {
    if (told.insert(error.to_string()).second) verdict.errors.push_back(error);
  }
}

// Of the metadata what is there and wrong, not what is missing.
void tell_metadata(const FieldErrors& errors, Verdict& verdict) {
  constexpr std::string_view looked_at[] = {"metadata.name", "metadata.generateName",
                                            "metadata.labels", "metadata.annotations"};
  FieldErrors kept;
  for (const FieldError& error : errors) {
    const bool is_looked_at =
        std::find(std::begin(looked_at), std::end(looked_at), error.path) != std::end(looked_at);
    if (is_looked_at && error.type != FieldError::Type::required) kept.add(error);
  }
  tell(kept, verdict);
}

// `unknown field "spec.foo"`
FieldWarning warning_of(const std::string& sentence) {
  const std::size_t open = sentence.find('"');
  const std::size_t close = sentence.rfind('"');
  if (open == std::string::npos || close <= open) return {{}, sentence};
  return {sentence.substr(open + 1, close - open - 1), sentence};
}

struct Prepared {
  Value written;  // pruned, defaults filled, nulls left
  Value object;   // and nulls dropped
  Value hub;      // as Kueue's program has it; absent where it does not decode
};

GoType type_of(const Kind& kind, std::string_view version) {
  return objects::go_type(fmt::format("kueue.{}.{}", version, kind.kind));
}

Result<Value> hub_of(const KindAndVersion& found, const Value& object) {
  const GoType type = type_of(*found.kind, found.version->name);
  if (!objects::decodes(type, object)) return Value();
  const Value form = objects::decoded_form(type, object);
  if (found.version->name == hub_version) return form;
  const std::string_view conversion =
      found.kind->definition["spec"]["x-muster-conversion"].string_or("");
  const Value converted = TRY(objects::convert(conversion, form, hub_version));
  return objects::decoded_form(type_of(*found.kind, hub_version), converted);
}

// Kueue's mutating webhook, where partial admission is switched off.
Value without_min_counts(Value workload) {
  const std::size_t pod_sets = workload["spec"]["podSets"].size();
  for (std::size_t i = 0; i < pod_sets; ++i) {
    auto changed = objects::without(workload, {"spec", "podSets", i, "minCount"});
    if (changed) workload = std::move(*changed);
  }
  return workload;
}

Result<Prepared> prepare(const KindAndVersion& found, const Value& object, bool drops_min_counts,
                         Verdict* verdict) {
  const objects::Schema& schema = found.version->schema;
  auto decoded = objects::decode(schema, object, FieldValidation::warn);
  if (decoded) {
    for (const std::string& sentence : decoded->warnings) {
      if (verdict != nullptr) verdict->warnings.push_back(warning_of(sentence));
    }
  } else if (verdict != nullptr) {
    verdict->errors.push_back(
        {FieldError::Type::type_invalid, "metadata", "", decoded.error().message});
  }
  Prepared prepared;
  prepared.written = objects::apply_defaults_keeping_nulls(schema, object);
  if (drops_min_counts &&
      objects::decodes(type_of(*found.kind, found.version->name), prepared.written)) {
    prepared.written = without_min_counts(std::move(prepared.written));
  }
  prepared.object = objects::apply_defaults(schema, prepared.written);
  prepared.hub = TRY(hub_of(found, prepared.object));
  return prepared;
}

Result<Verdict> validate_kueue_object(const KindAndVersion& found, const ValidationRequest& request,
                                      const Value& old_object_of_kind) {
  Verdict verdict;
  const bool is_create = request.old_object.is_absent();
  const bool drops_min_counts = is_create && found.kind->kind == "Workload" &&
                                found.version->name == hub_version &&
                                !request.gates.enabled(Gate::partial_admission);
  const Prepared now = TRY(prepare(found, request.object, drops_min_counts, &verdict));
  Prepared before;
  if (!is_create) before = TRY(prepare(found, old_object_of_kind, false, nullptr));

  const objects::Schema& schema = found.version->schema;
  FieldErrors metadata;
  objects::check_metadata(now.object["metadata"],
                          {.scope = found.kind->scope, .style = objects::SchemaStyle::custom},
                          metadata);
  tell_metadata(metadata, verdict);
  tell(check_invented_fields(request.object), verdict);
  FieldErrors values = objects::check_values(schema, now.written);
  if (now.hub) values.add_all(objects::check_expressions(schema, now.object, before.object));
  tell(values, verdict);
  if (!now.hub) return verdict;

  const bool is_status = !is_create && before.object["spec"] == now.object["spec"] &&
                         !(before.object["status"] == now.object["status"]);
  WebhookReport report = check_kueue({.kind = found.kind->kind,
                                      .object = now.hub,
                                      .old_object = before.hub,
                                      .is_status = is_status,
                                      .gates = request.gates});
  tell(report.errors, verdict);
  for (FieldWarning& warning : report.warnings) verdict.warnings.push_back(std::move(warning));
  return verdict;
}

Result<Verdict> validate_other_object(const KindAndVersion& found,
                                      const ValidationRequest& request) {
  Verdict verdict;
  auto admitted = objects::admit(
      found.version->schema,
      {.object = request.object, .old_object = request.old_object, .scope = found.kind->scope});
  if (!admitted) {
    verdict.errors.push_back({FieldError::Type::type_invalid, "", "", admitted.error().message});
    return verdict;
  }
  for (const std::string& sentence : admitted->warnings) {
    verdict.warnings.push_back(warning_of(sentence));
  }
  FieldErrors rest;
  for (const FieldError& error : admitted->errors) {
    if (!error.path.starts_with("metadata.")) rest.add(error);
  }
  tell_metadata(admitted->errors, verdict);
  tell(rest, verdict);
  if (found.kind->group == "batch" && found.kind->kind == "Job") {
    const JobWrite write{
        .job = admitted->object, .old_job = request.old_object, .gates = &request.gates};
    tell(admit_job(write).errors, verdict);
  }
  return verdict;
}

}  // namespace

Value document_of(const Verdict& verdict) {
  Builder builder;
  std::vector<Node> errors;
  for (const objects::FieldError& error : verdict.errors) {
    const Node::Member members[] = {{Builder::literal("field"), builder.text(error.path)},
                                    {Builder::literal("type"), Builder::literal(error.reason())},
                                    {Builder::literal("message"), builder.text(error.to_string())}};
    errors.push_back(builder.object(members));
  }
  std::vector<Node> warnings;
  for (const FieldWarning& warning : verdict.warnings) {
    const Node::Member members[] = {{Builder::literal("field"), builder.text(warning.field)},
                                    {Builder::literal("message"), builder.text(warning.message)}};
    warnings.push_back(builder.object(members));
  }
  const Node::Member members[] = {{Builder::literal("valid"), Builder::boolean(verdict.is_valid())},
                                  {Builder::literal("errors"), builder.array(errors)},
                                  {Builder::literal("warnings"), builder.array(warnings)}};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

Result<Verdict> validate_object(const objects::KindRegistry& registry,
                                const ValidationRequest& request) {
  const KindAndVersion found = TRY(find_kind(registry, request.object));
  if (found.kind->group != objects::resources::kueue_group) {
    return validate_other_object(found, request);
  }
  Value old_object = request.old_object;
  if (old_object) {
    const KindAndVersion old_found = TRY(find_kind(registry, old_object));
    if (old_found.kind->kind != found.kind->kind) {
      return Error::bad_request("the old object is of another kind");
    }
    if (old_found.version->name != found.version->name) {
      const std::string_view conversion =
          found.kind->definition["spec"]["x-muster-conversion"].string_or("");
      old_object = TRY(objects::convert(conversion, old_object, found.version->name));
    }
  }
  return validate_kueue_object(found, request, old_object);
}

}  // namespace muster::core
