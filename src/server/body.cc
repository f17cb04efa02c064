// SPDX-License-Identifier: Apache-2.0
#include "server/body.h"

#include <fmt/format.h>

#include <optional>

#include "objects/builder.h"
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

// Only All is known; the error shows all that was said.
void check_dry_run_values(View values, FieldErrors& errors) {
  for (const View value : values.elements()) {
    if (value.string_or("") == "All") continue;
    const std::string supported[] = {"All"};
    errors.add(FieldError::not_supported("dryRun", values, supported));
    return;
  }
}

Value dry_run_values(const Query& query) {
  objects::Builder builder;
  std::vector<objects::Node> values;
  for (const std::string_view value : query.all("dryRun")) values.push_back(builder.text(value));
  const objects::Node root = builder.array(values);
  return std::move(builder).finish(root);
}

bool check_dry_run(const Query& query, FieldErrors& errors) {
  const Value values = dry_run_values(query);
  check_dry_run_values(values, errors);
  return !values.view().empty();
}

FieldValidation validation_of(std::string_view text, FieldErrors& errors) {
  if (text == "Strict") return FieldValidation::strict;
  if (text == "Ignore") return FieldValidation::ignore;
  if (!text.empty() && text != "Warn") {
    const std::string supported[] = {"", "Ignore", "Strict", "Warn"};
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

Outcome<std::optional<Propagation>> propagation_of(View policy, View orphans) {
  FieldErrors errors;
  const std::string_view text = policy.string_or("");
  std::optional<Propagation> wish;
  if (text == "Background") wish = Propagation::background;
  if (text == "Foreground") wish = Propagation::foreground;
  if (text == "Orphan") wish = Propagation::orphan;
  if (policy.is_string() && !wish) {
    const std::string supported[] = {"Foreground", "Background", "Orphan", "nil"};
    errors.add(FieldError::not_supported("propagationPolicy", policy, supported));
  }
  if (policy.is_string() && orphans.is_boolean()) {
    errors.add(FieldError::invalid("propagationPolicy", policy,
                                   "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (!errors.empty()) return failures::invalid("meta.k8s.io", "DeleteOptions", "", errors);
  if (wish || !orphans.is_boolean()) return wish;
  return std::optional(orphans.boolean_or(false) ? Propagation::orphan : Propagation::background);
}

Outcome<bool> dry_run_in(View values) {
  FieldErrors errors;
  check_dry_run_values(values, errors);
  if (!errors.empty()) return failures::invalid("meta.k8s.io", "DeleteOptions", "", errors);
  return !values.empty();
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
        fmt::format("error {}decoding YAML: error converting YAML to JSON: yaml: {}",
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
  const auto force = query.find("force");
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
  request.force = force && *force != "0" && *force != "false";  // as Go reads it
  request.field_manager = manager_of(manager, from.user_agent);
  if (errors.empty()) return {};
  const std::string_view kind = patch                  ? "PatchOptions"
                                : from.method == "PUT" ? "UpdateOptions"
                                                       : "CreateOptions";
  return failures::invalid("meta.k8s.io", kind, "", errors);
}

Outcome<RemoveRequest> delete_options(View options) {
  RemoveRequest removal;
  removal.propagation =
      ALLOWED(propagation_of(options["propagationPolicy"], options["orphanDependents"]));
  const View grace = options["gracePeriodSeconds"];
  if (grace && !grace.is_null()) {
    if (!grace.is_integer()) return Error::bad_request("gracePeriodSeconds must be a whole number");
    removal.grace_period_seconds = grace.integer();
  }
  const View preconditions = options["preconditions"];
  removal.preconditions.uid = preconditions["uid"].string_or("");
  removal.preconditions.resource_version = preconditions["resourceVersion"].string_or("");
  removal.dry_run = ALLOWED(dry_run_in(options["dryRun"]));
  return removal;
}

Outcome<RemoveRequest> decode_delete_options(const Context& context, const Request& request,
                                             const Route& route) {
  if (!request.body.empty()) {
    const Body body = ALLOWED(decode_body(context, request));
    const std::string_view kind = body.value["kind"].string_or("");
    if (!kind.empty() && kind != "DeleteOptions") {
      return Error::bad_request(
          fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                      "\"pkg/runtime/scheme.go:111\"",
                      kind, body.value["apiVersion"].string_or("")));
    }
    return delete_options(body.value);
  }
  const Query& query = route.query;
  RemoveRequest removal;
  const auto orphans = TRY(query.boolean("orphanDependents"));
  const auto policy = query.find("propagationPolicy");
  const Value said = policy ? Value::string(*policy) : Value();
  const Value keeps = orphans ? Value::boolean(*orphans) : Value();
  removal.propagation = ALLOWED(propagation_of(said, keeps));
  removal.grace_period_seconds = TRY(query.integer("gracePeriodSeconds"));
  removal.dry_run = ALLOWED(dry_run_in(dry_run_values(query)));
  return removal;
}

}  // namespace muster::server
