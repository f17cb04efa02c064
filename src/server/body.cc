// SPDX-License-Identifier: Apache-2.0
#include "server/body.h"

#include <fmt/format.h>

#include <optional>

#include "objects/json.h"
#include "objects/yaml.h"
#include "server/limits.h"
#include "server/negotiation.h"
#include "server/protobuf.h"

namespace muster::server {

using client::Propagation;
using objects::FieldError;
using objects::FieldErrors;
using objects::FieldValidation;
using objects::Value;
using objects::View;

namespace {

Failure unreadable(const Error& error) {
  return Error{ErrorCode::bad_request,
               fmt::format("the body of the request cannot be read: {}", error.message)};
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

Outcome<> read_write_options(const Query& query, WriteRequest& request) {
  request.dry_run = ALLOWED(dry_run_of(query));
  const std::string_view validation = query.text_or_empty("fieldValidation");
  if (validation.empty() || validation == "Warn") return {};
  if (validation == "Strict") {
    request.field_validation = FieldValidation::strict;
  } else if (validation == "Ignore") {
    request.field_validation = FieldValidation::ignore;
  } else {
    const std::string supported[] = {"Ignore", "Strict", "Warn"};
    FieldErrors errors;
    errors.add(FieldError::not_supported("fieldValidation", Value::string(validation), supported));
    return failures::invalid("meta.k8s.io", "CreateOptions", "", errors);
  }
  return {};
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
