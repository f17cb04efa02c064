// SPDX-License-Identifier: Apache-2.0
#include "server/ownership.h"

#include <fmt/format.h>

#include <utility>

#include "base/timestamp.h"
#include "objects/apply/check_configuration.h"
#include "objects/metadata.h"
#include "server/prepare.h"
#include "server/scale.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::FieldFilter;
using objects::InVersion;
using objects::ManagedFields;
using objects::Operation;
using objects::OwnedWrite;
using objects::SchemaStyle;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t manager_bytes_max = 128;

// What an endpoint does not write belongs to nobody who writes there.
FieldFilter filter_of(const Target& target) {
  if (target.is_status()) {
    if (target.kind->style == SchemaStyle::custom) return {{"metadata", "spec"}};
    return {{"spec", ""}};
  }
  return target.version->has_status ? FieldFilter{{"status", ""}} : FieldFilter{};
}

objects::ToVersion to_version(const Target& target) {
  return [kind = target.kind](const Value& object,
                              std::string_view api_version) -> std::optional<InVersion> {
    for (const objects::Kind* each : {kind.get(), &kind->stored_kind()}) {
      for (const objects::KindVersion& version : each->versions) {
        const std::string name =
            each->group.empty() ? version.name : fmt::format("{}/{}", each->group, version.name);
        if (name != api_version) continue;
        auto other = converted(*kind, object, version);
        if (!other) return std::nullopt;
        return InVersion{std::move(other).take(), version.schema.root()};
      }
    }
    return std::nullopt;
  };
}

OwnedWrite owned_write(const WriteRequest& request, Operation operation, Instant now) {
  const Target& target = request.target;
  return {.owner = {.manager = request.field_manager.empty() ? "unknown" : request.field_manager,
                    .operation = operation,
                    .api_version = target.api_version(),
                    .subresource = target.subresource},
          .time = target.subresource == "scale" ? "" : format_time(Timestamp::of(now)),
          .filter = filter_of(target),
          .schema = target.version->schema.root(),
          .to_version = to_version(target),
          .force = request.force};
}

// The owners that a body brings along, where it may: clients send back what they have read.
std::string owners_in(const Target& target, View body, std::string_view managed) {
  const View given = body["metadata"]["managedFields"];
  if (!target.subresource.empty() || !given.is_array()) return std::string(managed);
  if (objects::is_reset(given)) return {};
  const auto owners = ManagedFields::parse(given);
  return owners && !owners->empty() ? owners->to_json() : std::string(managed);
}

Outcome<> check_type(const Target& target, View configuration) {
  const std::string_view version = configuration["apiVersion"].string_or("");
  const std::string_view kind = configuration["kind"].string_or("");
  if (version == target.api_version() && kind == target.kind->kind) return {};
  const std::size_t slash = version.find('/');
  return Error::bad_request(slash == std::string_view::npos
                                ? fmt::format("invalid object type: /{}, Kind={}", version, kind)
                                : fmt::format("invalid object type: {}, Kind={}", version, kind));
}

// kube-apiserver answers a configuration that does not fit the schema as an error of its own, and
// without a reason.
Failure unfit(const Target& target, View configuration, std::string_view why) {
  Failure failure;
  const std::string version = target.api_version();
  const bool core = version.find('/') == std::string::npos;
  failure.message =
      fmt::format("failed to create typed patch object ({}/{}; {}{}, Kind={}): {}",
                  objects::namespace_of(configuration), objects::name_of(configuration),
                  core ? "/" : "", version, target.kind->kind, why);
  return failure;
}

Failure conflict_failure(const std::vector<objects::Conflict>& conflicts) {
  Failure failure;
  failure.code = 409;
  failure.reason = reason(ErrorCode::conflict);
  failure.message = objects::conflict_message(conflicts);
  failure.details.emplace();
  for (const objects::Conflict& conflict : conflicts) {
    failure.details->causes.push_back({"FieldManagerConflict",
                                       "conflict with " + objects::to_string(conflict.owner),
                                       objects::to_string(conflict.path)});
  }
  return failure;
}

}  // namespace

std::string manager_of(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  std::string out;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (out.size() >= manager_bytes_max) break;
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) out += c;
  }
  return out;
}

bool mentions_managed_fields(View patch) {
  if (patch.is_object()) return static_cast<bool>(patch["metadata"]["managedFields"]);
  for (const View operation : patch.elements()) {
    for (const std::string_view place : {"path", "from"}) {
      const std::string_view pointer = operation[place].string_or("");
      if (pointer.starts_with("/metadata/managedFields") || pointer == "/metadata") return true;
    }
  }
  return false;
}

std::string owners_of_created(const WriteRequest& request, View object, Instant now) {
  auto owners = objects::owners_of_new(object, owned_write(request, Operation::update, now));
  return owners ? std::move(owners).take() : std::string();
}

std::string owners_of_updated(const WriteRequest& request, View body, const Value& before,
                              const Value& after, std::string_view managed, Instant now) {
  // The peer sees a Scale that nobody owns anything of, and that has no owners after it either.
  const Target& target = request.target;
  if (target.subresource == "scale" && !is_scale_owned(*target.version, managed)) {
    return std::string(managed);
  }
  const std::string owners = owners_in(target, body, managed);
  auto next = objects::owners_after_update(before, after, owners,
                                           owned_write(request, Operation::update, now));
  return next ? std::move(next).take() : std::string();
}

Outcome<AppliedBody> applied_body(const WriteRequest& request, const Present& present,
                                  Instant now) {
  const Target& target = request.target;
  const Value& configuration = request.body;
  ALLOWED(check_type(target, configuration));
  const View managed = configuration["metadata"]["managedFields"];
  if (managed && !managed.is_null()) {
    return Error::bad_request("metadata.managedFields must be nil");
  }
  const auto why =
      objects::why_configuration_is_unfit(configuration, target.version->schema.root());
  if (why) return unfit(target, configuration, *why);
  if (!present && objects::name_of(configuration).empty()) {
    return Error::bad_request(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        target.name));
  }
  const std::string_view uid = objects::uid_of(configuration);
  if (!present && !uid.empty()) {
    return conflict(target, fmt::format("uid mismatch: the provided object specified uid {}, and "
                                        "no existing object was found",
                                        uid));
  }
  const Value live =
      present ? ALLOWED(converted(*target.kind, present.tree, *target.version)) : Value();
  auto applied = objects::apply_configuration(live, present.managed(), configuration,
                                              owned_write(request, Operation::apply, now));
  if (!applied) return unfit(target, configuration, applied.error().message);
  if (!applied->conflicts.empty()) return conflict_failure(applied->conflicts);
  return AppliedBody{std::move(applied->object), std::move(applied->managed)};
}

}  // namespace muster::server
