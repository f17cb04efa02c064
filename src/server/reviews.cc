// SPDX-License-Identifier: Apache-2.0
#include "server/reviews.h"

#include <fmt/format.h>

#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/authentication.h"
#include "server/authorization.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view authorization_group = "authorization.k8s.io";

Node texts_node(Builder& builder, const std::vector<std::string>& texts) {
  std::vector<Node> nodes;
  nodes.reserve(texts.size());
  for (const std::string& text : texts) nodes.push_back(builder.text(text));
  return builder.array(nodes);
}

Value with_status(const Value& object, const Value& status) {
  Builder builder;
  builder.retain(object);
  Rewrite root(object);
  root.set("status", builder.embed(status));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Failure refused(FieldError error) {
  FieldErrors errors;
  errors.add(std::move(error));
  return failures::invalid(authorization_group, "", "", errors);
}

// The attributes of a path as Go prints the struct.
Value path_attributes(View attributes) {
  return Value::object({{"Path", Value::string(attributes["path"].string_or(""))},
                        {"Verb", Value::string(attributes["verb"].string_or(""))}});
}

bool is_given(View value) {
  return value.is_object();
}

Outcome<> check_attributes(View spec) {
  const bool resource = is_given(spec["resourceAttributes"]);
  const bool path = is_given(spec["nonResourceAttributes"]);
  if (resource && path) {
    return refused(FieldError::invalid("spec.nonResourceAttributes",
                                       path_attributes(spec["nonResourceAttributes"]),
                                       "cannot be specified in combination with "
                                       "resourceAttributes"));
  }
  if (resource || path) return {};
  return refused(FieldError::invalid("spec.resourceAttributes", Value::null(),
                                     "exactly one of nonResourceAttributes or resourceAttributes "
                                     "must be specified"));
}

// Who writes metadata into a question has mistaken it for an object.
Outcome<> check_metadata(View metadata, std::string_view allowed) {
  for (const MemberView member : metadata.members()) {
    if (member.key == allowed || member.key == "creationTimestamp") continue;
    return refused(FieldError::invalid("metadata", metadata, "must be empty"));
  }
  return {};
}

Access access_of(const Identity& identity, View spec) {
  const View resource = spec["resourceAttributes"];
  if (!is_given(resource)) {
    const View path = spec["nonResourceAttributes"];
    return {.identity = identity,
            .verb = path["verb"].string_or(""),
            .path = path["path"].string_or("")};
  }
  return {.identity = identity,
          .verb = resource["verb"].string_or(""),
          .group = resource["group"].string_or(""),
          .resource = resource["resource"].string_or(""),
          .subresource = resource["subresource"].string_or(""),
          .name_space = resource["namespace"].string_or(""),
          .name = resource["name"].string_or(""),
          .field_selector = resource["fieldSelector"]["rawSelector"].string_or("")};
}

Value verdict_value(const Verdict& verdict) {
  Builder builder;
  std::vector<Node> pairs = {Builder::literal("allowed"), Builder::boolean(verdict.allowed)};
  if (!verdict.reason.empty()) {
    pairs.push_back(Builder::literal("reason"));
    pairs.push_back(builder.text(verdict.reason));
  }
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

Identity identity_of(View spec) {
  Identity identity{.name = std::string(spec["user"].string_or("")),
                    .uid = std::string(spec["uid"].string_or(""))};
  for (const View group : spec["groups"].elements()) {
    identity.groups.emplace_back(group.string_or(""));
  }
  return identity;
}

Outcome<Value> review_self_access(Context& context, const WriteRequest& request,
                                  const Value& object) {
  ALLOWED(check_attributes(object["spec"]));
  ALLOWED(check_metadata(object["metadata"], ""));
  const Verdict verdict = context.authorizer.judge(access_of(request.identity, object["spec"]));
  return with_status(object, verdict_value(verdict));
}

Outcome<> check_subject(View spec) {
  if (!spec["user"].string_or("").empty() || !spec["groups"].empty()) return {};
  return refused(FieldError::invalid("spec.user", Value::string(""),
                                     "at least one of user or group must be specified"));
}

Outcome<Value> review_access(Context& context, const Value& object) {
  const View spec = object["spec"];
  ALLOWED(check_attributes(spec));
  ALLOWED(check_subject(spec));
  ALLOWED(check_metadata(object["metadata"], ""));
  const Identity identity = identity_of(spec);
  return with_status(object, verdict_value(context.authorizer.judge(access_of(identity, spec))));
}

Outcome<Value> review_local_access(Context& context, const WriteRequest& request,
                                   const Value& object) {
  const View spec = object["spec"];
  ALLOWED(check_attributes(spec));
  ALLOWED(check_subject(spec));
  ALLOWED(check_metadata(object["metadata"], "namespace"));
  const View name_space = spec["resourceAttributes"]["namespace"];
  if (is_given(spec["resourceAttributes"]) &&
      name_space.string_or("") != request.target.name_space) {
    return refused(FieldError::invalid("spec.resourceAttributes.namespace",
                                       Value::string(name_space.string_or("")),
                                       "must match metadata.namespace"));
  }
  if (is_given(spec["nonResourceAttributes"])) {
    return refused(FieldError::invalid("spec.nonResourceAttributes",
                                       path_attributes(spec["nonResourceAttributes"]),
                                       "disallowed on this kind of request"));
  }
  const Identity identity = identity_of(spec);
  const Verdict verdict = context.authorizer.judge(access_of(identity, spec));
  Builder builder;
  builder.retain(object);
  Rewrite metadata(object["metadata"]);
  metadata.set("namespace", builder.text(request.target.name_space));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  root.set("status", builder.embed(verdict_value(verdict)));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Node rule_node(Builder& builder, const PolicyRule& rule, bool of_paths) {
  std::vector<Node> pairs = {Builder::literal("verbs"), texts_node(builder, rule.verbs)};
  const auto add = [&](std::string_view key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    pairs.push_back(Builder::literal(key));
    pairs.push_back(texts_node(builder, texts));
  };
  if (of_paths) {
    add("nonResourceURLs", rule.paths);
  } else {
    add("apiGroups", rule.groups);
    add("resources", rule.resources);
    add("resourceNames", rule.resource_names);
  }
  return builder.object_of_pairs(pairs);
}

Value rules_value(const OwnedRules& owned, bool is_node) {
  Builder builder;
  std::vector<Node> resources;
  std::vector<Node> paths;
  for (const PolicyRule& rule : owned.rules) {
    if (!rule.resources.empty()) resources.push_back(rule_node(builder, rule, false));
    if (!rule.paths.empty()) paths.push_back(rule_node(builder, rule, true));
  }
  std::vector<std::string> errors = owned.errors;
  if (is_node) errors.emplace_back("node authorizer does not support user rule resolution");
  std::vector<Node> pairs = {Builder::literal("resourceRules"),    builder.array(resources),
                             Builder::literal("nonResourceRules"), builder.array(paths),
                             Builder::literal("incomplete"),       Builder::boolean(is_node)};
  if (!errors.empty()) {
    pairs.push_back(Builder::literal("evaluationError"));
    pairs.push_back(builder.text(joined_errors(errors)));
  }
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

Outcome<Value> review_rules(Context& context, const WriteRequest& request, const Value& object) {
  const std::string_view name_space = object["spec"]["namespace"].string_or("");
  if (name_space.empty()) return Error::bad_request("no namespace on request");
  const OwnedRules owned = context.roles.rules_of(request.identity, name_space);
  const Value status = rules_value(owned, !node_of(request.identity).empty());
  // The answer is about the caller; what was asked is not repeated.
  Builder builder;
  builder.retain(object);
  Rewrite root(object);
  root.set("spec", builder.object({}));
  root.set("status", builder.embed(status));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Value review_self(Context& context, const WriteRequest& request, const Value& object) {
  Builder builder;
  builder.retain(object);
  Rewrite metadata(object["metadata"]);
  metadata.set("creationTimestamp", builder.text(format_time(Timestamp::of(context.clock.wall()))));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  root.set("status", builder.embed(Value::object({{"userInfo", user_value(request.identity)}})));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Value token_trouble(std::string_view why) {
  return Value::object({{"user", Value::object({})}, {"error", Value::string(why)}});
}

// The audiences for which it is good, of those that were asked for.
Value common_audiences(const std::vector<std::string>& asked, const Authenticated& who) {
  const std::vector<std::string> own = {std::string(token_issuer)};
  const std::vector<std::string>& good = who.bound ? who.bound->audiences : own;
  const std::vector<std::string>& wanted = asked.empty() ? own : asked;
  Builder builder;
  std::vector<std::string> common;
  for (const std::string& audience : good) {
    if (std::find(wanted.begin(), wanted.end(), audience) != wanted.end()) {
      common.push_back(audience);
    }
  }
  const Node node = texts_node(builder, common);
  return std::move(builder).finish(node);
}

Outcome<Value> review_token(Context& context, const Value& object) {
  const std::string_view token = object["spec"]["token"].string_or("");
  if (token.empty())
    return Error::bad_request("token is required for TokenReview in authentication");
  std::vector<std::string> audiences;
  for (const View each : object["spec"]["audiences"].elements()) {
    audiences.emplace_back(each.string_or(""));
  }
  if (context.authenticator == nullptr) {
    return with_status(object, token_trouble("invalid bearer token"));
  }
  const auto who = context.authenticator->authenticate_token(token, audiences);
  if (!who) return with_status(object, token_trouble(who.error().message));
  if (who->bound) {
    if (const auto trouble = bound_trouble(context, *who->bound)) {
      return with_status(object,
                         token_trouble(fmt::format("[invalid bearer token, {}]", *trouble)));
    }
  }
  return with_status(object, Value::object({{"authenticated", Value::boolean(true)},
                                            {"user", user_value(who->identity)},
                                            {"audiences", common_audiences(audiences, *who)}}));
}

Outcome<Value> answered(Context& context, const WriteRequest& request, const Value& object) {
  const std::string_view kind = request.target.kind->kind;
  if (kind == "SelfSubjectAccessReview") return review_self_access(context, request, object);
  if (kind == "SubjectAccessReview") return review_access(context, object);
  if (kind == "LocalSubjectAccessReview") return review_local_access(context, request, object);
  if (kind == "SelfSubjectRulesReview") return review_rules(context, request, object);
  if (kind == "SelfSubjectReview") return review_self(context, request, object);
  if (kind == "TokenReview") return review_token(context, object);
  return failures::method_not_allowed();
}

}  // namespace

Value user_value(const Identity& identity) {
  Builder builder;
  std::vector<Node> pairs = {Builder::literal("username"), builder.text(identity.name)};
  if (!identity.uid.empty()) {
    pairs.push_back(Builder::literal("uid"));
    pairs.push_back(builder.text(identity.uid));
  }
  if (!identity.groups.empty()) {
    pairs.push_back(Builder::literal("groups"));
    pairs.push_back(texts_node(builder, identity.groups));
  }
  if (!identity.extra.empty()) {
    std::vector<Node> extra;
    for (const auto& [key, values] : identity.extra) {
      extra.push_back(builder.text(key));
      extra.push_back(texts_node(builder, values));
    }
    pairs.push_back(Builder::literal("extra"));
    pairs.push_back(builder.object_of_pairs(extra));
  }
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

Outcome<Reviewed> decode_review(const objects::Kind& kind, const WriteRequest& request) {
  const objects::KindVersion& version = kind.storage_version();
  const std::string own = fmt::format("{}/{}", kind.group, version.name);
  const View body = request.body;
  const std::string_view said_kind = body["kind"].string_or("");
  const std::string_view said_version = body["apiVersion"].string_or("");
  if (!said_kind.empty() && (said_kind != kind.kind || said_version != own)) {
    const std::size_t slash = said_version.rfind('/');
    const std::string_view short_version =
        slash == std::string_view::npos ? said_version : said_version.substr(slash + 1);
    const std::string_view package = std::string_view(kind.group).substr(0, kind.group.find('.'));
    return failures::cannot_be_handled(
        said_kind, short_version, kind.kind,
        fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", short_version, said_kind,
                    package, kind.kind));
  }
  auto decoded = objects::decode(version.schema, request.body, request.field_validation,
                                 request.duplicate_fields);
  if (!decoded) {
    return failures::cannot_be_handled(kind.kind, version.name, kind.kind, decoded.error().message);
  }
  const Value defaulted = objects::apply_defaults(version.schema, decoded->object);
  Builder builder;
  builder.retain(defaulted);
  Rewrite metadata(defaulted["metadata"]);
  metadata.drop("managedFields");
  Rewrite root(defaulted);
  root.set("kind", builder.text(kind.kind));
  root.set("apiVersion", builder.text(own));
  root.set("metadata",
           defaulted["metadata"].is_object() ? metadata.finish(builder) : builder.object({}));
  root.drop("status");
  const Node node = root.finish(builder);
  return Reviewed{std::move(builder).finish(node), std::move(decoded->warnings)};
}

Outcome<Reviewed> review(Context& context, const WriteRequest& request) {
  Reviewed asked = ALLOWED(decode_review(*request.target.kind, request));
  asked.object = ALLOWED(answered(context, request, asked.object));
  return asked;
}

}  // namespace muster::server
