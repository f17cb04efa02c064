// SPDX-License-Identifier: Apache-2.0
#include "server/body.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/utf8.h"
#include "objects/builder.h"
#include "objects/go_json_error.h"
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

// The struct into which Go first reads a body, to learn what it is.
constexpr std::string_view type_struct =
    R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string )"
    R"("json:\"kind,omitempty\"" })";
constexpr std::string_view type_unknown = "couldn't get version/kind; json parse error: ";

std::string_view word_of(View value) {
  if (value.is_boolean()) return "bool";
  if (value.is_number()) return "number";
  return objects::type_name(value.type());
}

std::string cannot_unmarshal(View value, std::string_view where) {
  return fmt::format("json: cannot unmarshal {} into Go {}", word_of(value), where);
}

// Why Go cannot find out what the object is; empty where it can.
std::string why_untyped(View body) {
  if (!body.is_object()) {
    return cannot_unmarshal(body, fmt::format("value of type {}", type_struct));
  }
  for (const std::string_view field : {"apiVersion", "kind"}) {
    const View value = body[field];
    if (value.is_absent() || value.is_null() || value.is_string()) continue;
    return cannot_unmarshal(value, fmt::format("struct field .{} of type string", field));
  }
  return {};
}

std::string go_words(BodyForm form, std::string_view body, const Error& own) {
  if (form == BodyForm::yaml) return objects::go_yaml_error(body).value_or(own.message);
  return fmt::format("{}{}", type_unknown, objects::go_json_error(body).value_or(own.message));
}

// The beginning of a body as errors show it: what looks like JSON as it is, the rest in digits.
std::string summary_of(std::string_view body) {
  constexpr std::size_t shown_max = 30;
  if (body.empty()) return "<empty>";
  std::string text;
  for (const char byte : body.substr(0, shown_max)) {
    if (body[0] == '{') {
      text += byte;
    } else {
      text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
  }
  if (body.size() > shown_max) text += " ...";
  return repaired_utf8(text);
}

// As what the body of a request is read; a part of an object has a kind of its own.
std::string_view kind_of_body(const Target& target) {
  if (target.subresource == "binding") return "Binding";
  if (target.subresource == "eviction") return "Eviction";
  if (target.subresource == "scale") return "Scale";
  if (target.subresource == "token") return "TokenRequest";
  return target.kind->kind;
}

Failure unrecognized(const Target& target, std::string_view why, std::string_view body) {
  return failures::bad_request(
      fmt::format("the object provided is unrecognized (must be of type {}): {} ({})",
                  kind_of_body(target), why, summary_of(body)));
}

// JSON or YAML; a sentence where it cannot be read.
Result<Value> read_object(const Request& request, BodyForm form,
                          std::vector<std::string>* doubles) {
  const objects::ParseOptions options{.duplicate_keys = objects::DuplicateKeys::last_wins,
                                      .duplicate_fields = doubles};
  auto parsed = form == BodyForm::yaml ? objects::parse_yaml_document(request.body, options)
                                       : objects::parse_json(request.body, options);
  if (!parsed) return Error::bad_request(go_words(form, request.body, parsed.error()));
  if (View(*parsed).is_null()) return Value::object({});
  const std::string why = why_untyped(*parsed);
  if (!why.empty()) return Error::bad_request(fmt::format("{}{}", type_unknown, why));
  return parsed;
}

constexpr std::string_view yaml_errors = "yaml: unmarshal errors:";

// What is odd about a YAML text: a warning for each key that stands twice, or one refusal.
std::vector<std::string> yaml_complaints(std::string_view text, FieldValidation validation) {
  std::vector<std::string> lines = objects::go_yaml_duplicates(text);
  if (lines.empty() || validation != FieldValidation::strict) return lines;
  return {fmt::format("{}\n  {}", yaml_errors, fmt::join(lines, "\n  "))};
}

// Objects of definitions must say what they are.
Outcome<> check_says_type(const Target& target, const Request& request, View body) {
  if (target.kind->style != objects::SchemaStyle::custom) return {};
  if (!target.subresource.empty() && !target.is_status()) return {};
  if (body["kind"].string_or("").empty()) {
    return unrecognized(target, fmt::format("Object 'Kind' is missing in '{}'", request.body),
                        request.body);
  }
  if (!body["apiVersion"].string_or("").empty()) return {};
  return failures::bad_request(
      fmt::format("the API version in the data () does not match the expected API version ({})",
                  target.api_version()));
}

// What Go's decoder of JSON patches has to say; a warning for each field it does not know.
Outcome<> check_operations(View patch, std::vector<std::string>& complaints) {
  if (patch.is_null()) return {};
  if (!patch.is_array()) {
    return failures::bad_request(cannot_unmarshal(patch, "value of type []handlers.jsonPatchOp"));
  }
  std::size_t index = 0;
  for (const View operation : patch.elements()) {
    if (!operation.is_object() && !operation.is_null()) {
      return failures::bad_request(
          cannot_unmarshal(operation, "value of type handlers.jsonPatchOp"));
    }
    for (const objects::MemberView member : operation.members()) {
      if (member.key == "value") continue;
      if (member.key != "op" && member.key != "path" && member.key != "from") {
        complaints.push_back(
            fmt::format("json patch unknown field \"[{}].{}\"", index, member.key));
      } else if (!member.value.is_string() && !member.value.is_null()) {
        return failures::bad_request(cannot_unmarshal(
            member.value, fmt::format("struct field jsonPatchOp.{} of type string", member.key)));
      }
    }
    ++index;
  }
  return {};
}

// Whether a document that was read is a patch of that form.
Outcome<> check_patch(View patch, PatchForm form, FieldValidation validation,
                      std::vector<std::string>& complaints) {
  const bool lenient = validation == FieldValidation::ignore;
  if (form == PatchForm::json) return lenient ? Outcome<>() : check_operations(patch, complaints);
  if (form == PatchForm::merge && patch.is_null()) {
    return failures::bad_request("Invalid JSON Patch");
  }
  if (patch.is_object() || patch.is_null() || (form == PatchForm::merge && lenient)) return {};
  return failures::bad_request(cannot_unmarshal(patch, "value of type map[string]interface {}"));
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

Outcome<Body> decode_body(const Context& context, const Request& request, const Target& target,
                          FieldValidation validation) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  const auto form = body_form(request.content_type);
  if (!form) return failures::unsupported_body();
  Body body;
  if (*form == BodyForm::protobuf) {
    body.value = TRY(decode_protobuf(request.body, context.registry));
    return body;
  }
  auto read = read_object(request, *form, &body.duplicate_fields);
  if (!read) return unrecognized(target, read.error().message, request.body);
  if (*form == BodyForm::yaml && !body.duplicate_fields.empty()) {
    body.duplicate_fields.clear();
    body.text_complaints = yaml_complaints(request.body, validation);
  }
  ALLOWED(check_says_type(target, request, *read));
  body.value = std::move(read).take();
  return body;
}

Outcome<Body> decode_patch(const Request& request, PatchForm form, FieldValidation validation) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  const bool lenient = validation == FieldValidation::ignore;
  const std::string_view before =
      lenient || form == PatchForm::strategic_merge ? "" : "error decoding patch: ";
  std::vector<std::string> duplicates;
  auto parsed = objects::parse_json(
      request.body,
      {.duplicate_keys = objects::DuplicateKeys::last_wins, .duplicate_fields = &duplicates});
  if (!parsed && lenient && form == PatchForm::merge) {
    return failures::bad_request("Invalid JSON Patch");
  }
  if (!parsed) {
    return failures::bad_request(fmt::format(
        "{}{}", before, objects::go_json_error(request.body).value_or(parsed.error().message)));
  }
  Body body;
  for (const std::string& path : duplicates) {
    body.text_complaints.push_back(fmt::format("{}duplicate field {}",
                                               form == PatchForm::json ? "json patch " : "",
                                               objects::go_quoted(path)));
  }
  auto checked = check_patch(*parsed, form, validation, body.text_complaints);
  if (!checked) {
    Failure failure = std::move(checked).error();
    if (failure.message.starts_with("json: ")) failure.message.insert(0, before);
    return failure;
  }
  const bool is_none = View(*parsed).is_null() && form == PatchForm::strategic_merge;
  body.value = is_none ? Value::object({}) : std::move(parsed).take();
  return body;
}

Outcome<Body> decode_configuration(const Request& request, FieldValidation validation) {
  if (request.body.size() > body_bytes_max) return failures::body_too_large();
  if (request.body.empty()) return Body{Value::object({}), {}};
  const bool strict = validation == FieldValidation::strict;
  Body body;
  auto parsed = objects::parse_yaml_document(request.body,
                                             {.duplicate_keys = objects::DuplicateKeys::last_wins,
                                              .duplicate_fields = &body.duplicate_fields});
  if (!parsed) {
    return Error::bad_request(fmt::format(
        "error {}decoding YAML: error converting YAML to JSON: {}", strict ? "strict " : "",
        objects::go_yaml_error(request.body).value_or("yaml: " + parsed.error().message)));
  }
  if (!(*parsed).is_object()) {
    return Error::bad_request(
        fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: "
                    "cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    objects::type_name((*parsed).type())));
  }
  if (!std::exchange(body.duplicate_fields, {}).empty()) {
    body.text_complaints = yaml_complaints(request.body, validation);
    if (strict && !body.text_complaints.empty()) {
      return Error::bad_request(
          fmt::format("error strict decoding YAML: error converting YAML to JSON: {}",
                      body.text_complaints.front()));
    }
  }
  body.value = std::move(parsed).take();
  return body;
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
    if (!grace.is_integer()) {
      return Error::bad_request(
          cannot_unmarshal(grace, "struct field DeleteOptions.gracePeriodSeconds of type int64"));
    }
    removal.grace_period_seconds = grace.integer();
  }
  const View preconditions = options["preconditions"];
  if (preconditions && !preconditions.is_null() && !preconditions.is_object()) {
    return Error::bad_request(cannot_unmarshal(
        preconditions, "struct field DeleteOptions.preconditions of type v1.Preconditions"));
  }
  removal.preconditions.uid = preconditions["uid"].string_or("");
  removal.preconditions.resource_version = preconditions["resourceVersion"].string_or("");
  removal.dry_run = ALLOWED(dry_run_in(options["dryRun"]));
  return removal;
}

Outcome<RemoveRequest> decode_delete_options(const Context& context, const Request& request,
                                             const Route& route) {
  if (!request.body.empty()) {
    if (request.body.size() > body_bytes_max) return failures::body_too_large();
    const auto form = body_form(request.content_type);
    if (!form) return failures::unsupported_body();
    Body body;
    body.value = *form == BodyForm::protobuf ? TRY(decode_protobuf(request.body, context.registry))
                                             : TRY(read_object(request, *form, nullptr));
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
  const auto orphans = query.boolean("orphanDependents");
  const auto policy = query.find("propagationPolicy");
  const Value said = policy ? Value::string(*policy) : Value();
  const Value keeps = orphans ? Value::boolean(*orphans) : Value();
  removal.propagation = ALLOWED(propagation_of(said, keeps));
  removal.grace_period_seconds = TRY(query.integer("gracePeriodSeconds"));
  removal.dry_run = ALLOWED(dry_run_in(dry_run_values(query)));
  return removal;
}

}  // namespace muster::server
