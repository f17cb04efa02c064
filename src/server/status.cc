// SPDX-License-Identifier: Apache-2.0
#include "server/status.h"

#include <fmt/format.h>

#include <utility>

#include "objects/builder.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;

namespace {

// Members in the order of kube-apiserver; empty texts are left out.
struct Members {
  Builder& builder;
  std::vector<Node::Member> members = {};

  void set(std::string_view literal_key, const Node& value) {
    members.push_back({Builder::literal(literal_key), value});
  }
  void text(std::string_view literal_key, std::string_view value) {
    if (!value.empty()) set(literal_key, builder.text(value));
  }
  Node finish() { return builder.object(members); }
};

Node causes_node(const std::vector<StatusCause>& causes, Builder& builder) {
  std::vector<Node> all;
  all.reserve(causes.size());
  for (const StatusCause& cause : causes) {
    Members members{builder};
    members.text("reason", cause.reason);
    members.text("message", cause.message);
    members.text("field", cause.field);
    all.push_back(members.finish());
  }
  return builder.array(all);
}

Node details_node(const StatusDetails& details, Builder& builder) {
  Members members{builder};
  members.text("name", details.name);
  members.text("group", details.group);
  members.text("kind", details.kind);
  members.text("uid", details.uid);
  if (!details.causes.empty()) members.set("causes", causes_node(details.causes, builder));
  if (details.retry_after_seconds != 0) {
    members.set("retryAfterSeconds", Builder::integer(details.retry_after_seconds));
  }
  return members.finish();
}

void begin_status(Members& members, std::string_view continue_token, std::string_view status) {
  members.set("kind", Builder::literal("Status"));
  members.set("apiVersion", Builder::literal("v1"));
  Members metadata{members.builder};
  metadata.text("continue", continue_token);
  members.set("metadata", metadata.finish());
  members.set("status", Builder::literal(status));
}

Failure failure(int code, std::string_view reason, std::string message) {
  Failure made;
  made.code = code;
  made.reason = reason;
  made.message = std::move(message);
  return made;
}

Failure failure(int code, std::string_view reason, std::string message, StatusDetails details) {
  Failure made = failure(code, reason, std::move(message));
  made.details = std::move(details);
  return made;
}

StatusDetails details_of(const StatusResource& resource, std::string_view name) {
  return {.name = std::string(name),
          .group = std::string(resource.group),
          .kind = std::string(resource.resource)};
}

ErrorCode error_code(const Failure& failure) {
  for (const ErrorCode code :
       {ErrorCode::unauthorized, ErrorCode::forbidden, ErrorCode::not_found,
        ErrorCode::already_exists, ErrorCode::conflict, ErrorCode::expired, ErrorCode::too_large,
        ErrorCode::unsupported_media_type, ErrorCode::invalid, ErrorCode::too_many_requests,
        ErrorCode::internal, ErrorCode::unavailable, ErrorCode::timeout,
        ErrorCode::insufficient_storage}) {
    if (reason(code) == failure.reason) return code;
  }
  return failure.code >= 500 ? ErrorCode::internal : ErrorCode::bad_request;
}

// Browsers that take an answer for a page must not find one in it.
std::string without_markup(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '&') {
      safe += "&amp;";
    } else if (character == '<') {
      safe += "&lt;";
    } else if (character == '>') {
      safe += "&gt;";
    } else {
      safe += character;
    }
  }
  return safe;
}

}  // namespace

Failure::Failure(const Error& error)
    : code(http_status(error.code)),
      reason(muster::reason(error.code)),
      message(error.to_string()) {}

Error Failure::to_error() const {
  return {error_code(*this), message};
}

Value status_of(const Failure& failure) {
  Builder builder;
  Members members{builder};
  begin_status(members, failure.continue_token, "Failure");
  members.text("message", failure.message);
  members.text("reason", failure.reason);
  if (failure.details) members.set("details", details_node(*failure.details, builder));
  members.set("code", Builder::integer(failure.code));
  const Node root = members.finish();
  return std::move(builder).finish(root);
}

Value success_status(const StatusDetails& details) {
  Builder builder;
  Members members{builder};
  begin_status(members, {}, "Success");
  members.set("details", details_node(details, builder));
  const Node root = members.finish();
  return std::move(builder).finish(root);
}

Value success_status(int code) {
  Builder builder;
  Members members{builder};
  begin_status(members, {}, "Success");
  members.set("code", Builder::integer(code));
  const Node root = members.finish();
  return std::move(builder).finish(root);
}

std::string StatusResource::to_string() const {
  return group.empty() ? std::string(resource) : fmt::format("{}.{}", resource, group);
}

namespace failures {

Failure not_found(const StatusResource& resource, std::string_view name) {
  return failure(404, "NotFound", fmt::format("{} \"{}\" not found", resource.to_string(), name),
                 details_of(resource, name));
}

Failure already_exists(const StatusResource& resource, std::string_view name) {
  return failure(409, "AlreadyExists",
                 fmt::format("{} \"{}\" already exists", resource.to_string(), name),
                 details_of(resource, name));
}

Failure conflict(const StatusResource& resource, std::string_view name, std::string_view why) {
  return failure(409, "Conflict",
                 fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource.to_string(),
                             name, why),
                 details_of(resource, name));
}

Failure modified(const StatusResource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Failure uid_precondition(std::string_view kind, std::string_view name, std::string_view wanted,
                         std::string_view found) {
  return conflict({.resource = kind}, name,
                  fmt::format("the UID in the precondition ({}) does not match the UID in record "
                              "({}). The object might have been deleted and then recreated",
                              wanted, found));
}

Failure resource_version_precondition(std::string_view kind, std::string_view name,
                                      std::string_view wanted, std::string_view found) {
  return conflict({.resource = kind}, name,
                  fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                              "ResourceVersion in record ({}). The object might have been modified",
                              wanted, found));
}

Failure forbidden(const StatusResource& resource, std::string_view name, std::string_view why) {
  const std::string subject =
      name.empty() ? resource.to_string() : fmt::format("{} \"{}\"", resource.to_string(), name);
  return failure(403, "Forbidden", fmt::format("{} is forbidden: {}", subject, why),
                 details_of(resource, name));
}

Failure denied(const Denied& denied) {
  const std::string where =
      denied.name_space.empty()
          ? "at the cluster scope"
          : fmt::format("in the namespace {}", objects::go_quoted(denied.name_space));
  // The sentence names the subresource, the subject and the details do not.
  StatusResource subject = denied.resource;
  subject.resource = subject.resource.substr(0, subject.resource.find('/'));
  std::string why = without_markup(fmt::format("User {} cannot {} resource {} in API group {} {}",
                                               objects::go_quoted(denied.user), denied.verb,
                                               objects::go_quoted(denied.resource.resource),
                                               objects::go_quoted(denied.resource.group), where));
  if (!denied.reason.empty()) why += fmt::format(": {}", denied.reason);
  return forbidden(subject, denied.name, why);
}

Failure denied_path(std::string_view user, std::string_view verb, std::string_view path,
                    std::string_view reason) {
  std::string why = without_markup(fmt::format(
      "User {} cannot {} path {}", objects::go_quoted(user), verb, objects::go_quoted(path)));
  if (!reason.empty()) why += fmt::format(": {}", reason);
  return failure(403, "Forbidden", "forbidden: " + why, StatusDetails());
}

Failure unauthorized() {
  return failure(401, "Unauthorized", "Unauthorized");
}

Failure namespace_terminating(const StatusResource& resource, std::string_view name,
                              std::string_view name_space) {
  Failure made = forbidden(resource, name,
                           fmt::format("unable to create new content in namespace {} because it is "
                                       "being terminated",
                                       name_space));
  made.details->causes.push_back(
      {.reason = "NamespaceTerminating",
       .message = fmt::format("namespace {} is being terminated", name_space),
       .field = "metadata.namespace"});
  return made;
}

Failure invalid(std::string_view group, std::string_view kind, std::string_view name,
                const objects::FieldErrors& errors) {
  StatusDetails details = details_of({.group = group, .resource = kind}, name);
  for (const objects::FieldError& error : errors) {
    details.causes.push_back({.reason = std::string(error.reason()),
                              .message = error.body(),
                              .field = error.path.empty() ? "<nil>" : error.path});
  }
  const StatusResource subject{.group = group, .resource = kind};
  return failure(422, "Invalid", errors.message(subject.to_string(), name), std::move(details));
}

Failure bad_request(std::string message) {
  return failure(400, "BadRequest", std::move(message));
}

Failure cannot_be_handled(std::string_view kind, std::string_view version, std::string_view as_kind,
                          std::string_view why) {
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind,
                                 version, as_kind, why));
}

Failure name_mismatch(std::string_view of_object, std::string_view of_url) {
  return bad_request(fmt::format(
      "the name of the object ({}) does not match the name on the URL ({})", of_object, of_url));
}

Failure namespace_mismatch() {
  return bad_request(
      "the namespace of the provided object does not match the namespace sent on the request");
}

Failure method_not_allowed() {
  return failure(405, "MethodNotAllowed",
                 "the server does not allow this method on the requested resource",
                 StatusDetails());
}

Failure unknown_resource() {
  return failure(404, "NotFound", "the server could not find the requested resource",
                 StatusDetails());
}

Failure body_too_large() {
  return failure(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
}

Failure patch_rejected() {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request",
                 StatusDetails());
}

Failure unsupported_body() {
  return failure(415, "UnsupportedMediaType",
                 "the body of the request was in an unknown format - accepted media types include: "
                 "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

Failure unsupported_patch() {
  return failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", StatusDetails());
}

Failure unsupported_custom_patch() {
  return failure(415, "UnsupportedMediaType",
                 "the body of the request was in an unknown format - accepted media types include: "
                 "application/json-patch+json, application/merge-patch+json, "
                 "application/apply-patch+yaml");
}

Failure bad_include_object(std::string_view text) {
  return bad_request(
      fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: \"{}\": "
                  "must be 'Metadata', 'Object', 'None', or empty",
                  text));
}

Failure not_acceptable() {
  return failure(406, "NotAcceptable",
                 "406: Not Acceptable\n\nAvailable representations: application/json, "
                 "application/yaml, application/json;stream=watch",
                 StatusDetails());
}

Failure not_acceptable_form() {
  return failure(406, "NotAcceptable",
                 "only the following media types are accepted: application/json, application/yaml");
}

Failure expired(std::string_view message) {
  return failure(410, "Expired", std::string(message));
}

Failure too_old_resource_version(std::uint64_t asked, std::uint64_t oldest) {
  return expired(fmt::format("too old resource version: {} ({})", asked, oldest));
}

Failure too_large_resource_version(std::uint64_t asked, std::uint64_t current) {
  StatusDetails details;
  details.causes.push_back(
      {.reason = "ResourceVersionTooLarge", .message = "Too large resource version"});
  details.retry_after_seconds = 1;
  return failure(
      504, "Timeout",
      fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current),
      std::move(details));
}

Failure too_many_requests(std::string_view message, std::int64_t retry_after_seconds) {
  return failure(429, "TooManyRequests", std::string(message),
                 StatusDetails{.retry_after_seconds = retry_after_seconds});
}

}  // namespace failures

}  // namespace muster::server
