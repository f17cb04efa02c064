// SPDX-License-Identifier: Apache-2.0
#include "server/body.h"

#include <fmt/format.h>

#include <optional>

#include "objects/json.h"
#include "objects/yaml.h"
#include "server/limits.h"
#include "server/negotiation.h"
#include "server/ownership.h"
#include "server/protobuf.h"

namespace muster::server {

using client::Propagation;
using objects::FieldError;
using objects::FieldErrors;
using objects::FieldValidation;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t manager_bytes_max = 128;

Failure unreadable(const Error& error) {
  return Error{ErrorCode::bad_request,
               fmt::format("the body of the request cannot be read: {}", error.message)};
}

// dryRun may be there more than once; only All is known.
bool check_dry_run(const Query& query, FieldErrors& errors) {
  const auto values = query.all("dryRun");
  const std::string supported[] = {"All"};
  for (const std::string_view value : values) {
    if (!value.empty() && value != "All") {
      errors.add(FieldError::not_supported("dryRun", Value::string(value), supported));
    }
  }
  return !values.empty() && !values.front().empty();
}

FieldValidation validation_of(std::string_view text, FieldErrors& errors) {
  if (text == "Strict") return FieldValidation::strict;
  if (text == "Ignore") return FieldValidation::ignore;
  if (!text.empty() && text != "Warn") {
    const std::string supported[] = {"Ignore", "Strict", "Warn"};
    errors.add(FieldError::not_supported("fieldValidation", Value::string(text), supported));
  }
  return FieldValidation::warn;
}

void check_manager(std::string_view manager, FieldErrors& errors) {
  if (manager.size() > manager_bytes_max) {
    errors.add(FieldError::too_long("fieldManager", manager_bytes_max));
  }
  for (std::size_t i = 0; i < manager.size(); ++i) {
    const auto byte = static_cast<unsigned char>(manager[i]);
    if (byte >= 0x20 && byte != 0x7f) continue;
    errors.add(FieldError::invalid(
        "fieldManager", Value::string(manager),
        fmt::format("invalid character U+{:04X} (at position {})", unsigned{byte}, i)));
  }
}

Outcome<> check_dry_run(View value) {
  if (value.string_or("") == "All") return {};
  const std::string supported[] = {"All"};
  FieldErrors errors;
  errors.add(FieldError::not_supported("dryRun", value, supported));
  return failures::invalid("meta.k8s.io", "CreateOptions", "", errors);
}

Outcome<bool> dry_run_of(const Query& query) {
  const auto values = query.all("dryRun");
  for (const std::string_view value : values) {
    if (!value.empty()) ALLOWED(check_dry_run(Value::string(value)));
  }
  return !values.empty() && !values.front().empty();
}

Outcome<std::optional<Propagation>> propagation_of(View policy, View orphans) {
  if (policy.is_string()) {
    const std::string_view text = policy.string_or("");
    if (text == "Background") return std::optional(Propagation::background);
    if (text == "Foreground") return std::optional(Propagation::foreground);
    if (text == "Orphan") return std::optional(Propagation::orphan);
    const std::string supported[] = {"Background", "Foreground", "Orphan"};
    FieldErrors errors;
    errors.add(FieldError::not_supported("propagationPolicy", policy, supported));
    return failures::invalid("meta.k8s.io", "DeleteOptions", "", errors);
  }
  if (!orphans.is_boolean()) return std::optional<Propagation>();
  return std::optional(orphans.boolean_or(false) ? Propagation::orphan : Propagation::background);
}

Outcome<> read_options(View options, RemoveRequest& removal) {
  const auto wish =
      ALLOWED(propagation_of(options["propagationPolicy"], options["orphanDependents"]));
  if (wish) removal.propagation = wish;
  const View grace = options["gracePeriodSeconds"];
  if (grace && !grace.is_null()) {
    if (!grace.is_integer()) return Error::bad_request("gracePeriodSeconds must be a whole number");
    removal.grace_period_seconds = grace.integer();
  }
  const View preconditions = options["preconditions"];
  removal.preconditions.uid = preconditions["uid"].string_or("");
  removal.preconditions.resource_version = preconditions["resourceVersion"].string_or("");
  for (View each : options["dryRun"].elements()) {
    ALLOWED(check_dry_run(each));
    removal.dry_run = true;
  }
  return {};
}

}  // namespace

Outcome<Body> decode_body(const Context& context, const Request& request) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  const auto form = body_form(request.content_type);
  if (!form) return failures::unsupported_body();
  Body body;
  if (*form == BodyForm::protobuf) {
    body.value = TRY(decode_protobuf(request.body, context.registry));
    return body;
  }
  const objects::ParseOptions options{.duplicate_keys = objects::DuplicateKeys::last_wins,
                                      .duplicate_fields = &body.duplicate_fields};
  auto parsed = *form == BodyForm::yaml ? objects::parse_yaml_document(request.body, options)
                                        : objects::parse_json(request.body, options);
  if (!parsed) return unreadable(parsed.error());
  body.value = std::move(parsed).take();
  if (!body.value.is_object()) {
    return Error::bad_request("the body of the request must be an object");
  }
  return body;
}

Outcome<Body> decode_patch(const Request& request) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  auto parsed =
      objects::parse_json(request.body, {.duplicate_keys = objects::DuplicateKeys::last_wins});
  if (!parsed) return unreadable(parsed.error());
  return Body{std::move(parsed).take(), {}};
}

Outcome<Body> decode_configuration(const Request& request, FieldValidation validation) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  if (request.body.empty()) return Body{Value::object({}), {}};
  const bool strict = validation == FieldValidation::strict;
  const objects::ParseOptions options{.duplicate_keys = strict ? objects::DuplicateKeys::refuse
                                                               : objects::DuplicateKeys::last_wins};
  auto parsed = objects::parse_yaml_document(request.body, options);
  if (!parsed) {
    return Error::bad_request(
        fmt::format("error {}decoding YAML: error converting YAML to JSON: {}",
                    strict ? "strict " : "", parsed.error().message));
  }
  if (!(*parsed).is_object()) {
    return Error::bad_request(
        fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: "
                    "cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    objects::type_name((*parsed).type())));
  }
  return Body{std::move(parsed).take(), {}};
}

Outcome<> read_write_options(const Request& from, const Query& query,
                             std::optional<PatchForm> patch, WriteRequest& request) {
  FieldErrors errors;
  const auto force = TRY(query.boolean("force"));
  const std::string_view manager = query.text_or_empty("fieldManager");
  if (patch && *patch != PatchForm::apply && force) {
    errors.add(FieldError::forbidden("force", "may not be specified for non-apply patch"));
  }
  if (patch && *patch == PatchForm::apply && manager.empty()) {
    errors.add(FieldError::required("fieldManager", "is required for apply patch"));
  }
  check_manager(manager, errors);
  request.dry_run = check_dry_run(query, errors);
  request.field_validation = validation_of(query.text_or_empty("fieldValidation"), errors);
  request.force = force.value_or(false);
  request.field_manager = manager_of(manager, from.user_agent);
  if (errors.empty()) return {};
  const std::string_view kind = patch                  ? "PatchOptions"
                                : from.method == "PUT" ? "UpdateOptions"
                                                       : "CreateOptions";
  return failures::invalid("meta.k8s.io", kind, "", errors);
}

Outcome<RemoveRequest> decode_delete_options(const Context& context, const Request& request,
                                             const Route& route) {
  RemoveRequest removal;
  const Query& query = route.query;
  if (const auto policy = query.find("propagationPolicy")) {
    const Value text = Value::string(*policy);
    removal.propagation = ALLOWED(propagation_of(text, Value()));
  }
  const auto orphans = TRY(query.boolean("orphanDependents"));
  if (orphans && !removal.propagation) {
    removal.propagation = *orphans ? Propagation::orphan : Propagation::background;
  }
  removal.grace_period_seconds = TRY(query.integer("gracePeriodSeconds"));
  removal.dry_run = ALLOWED(dry_run_of(query));
  if (request.body.empty()) return removal;
  const Body body = ALLOWED(decode_body(context, request));
  ALLOWED(read_options(body.value, removal));
  return removal;
}

}  // namespace muster::server
