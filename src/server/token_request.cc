// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/timestamp.h"
#include "base/uid.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/node_access.h"
#include "server/reviews.h"
#include "server/service_account_token.h"
#include "server/token_signer.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view authentication_group = "authentication.k8s.io";
constexpr std::int64_t expiration_seconds_default = 3600;
constexpr std::int64_t expiration_seconds_min = 600;
constexpr std::int64_t expiration_seconds_max = std::int64_t{1} << 32;
// A kubelet asks for a token of this length for every pod: it lasts a year, for programs that read
// theirs only once, and tells after an hour that it should have been renewed.
constexpr std::int64_t pod_token_seconds = 3607;
constexpr std::int64_t extended_seconds = 365LL * 24 * 3600;

Failure invalid_request(std::string_view name, FieldError error) {
  FieldErrors errors;
  errors.add(std::move(error));
  return failures::invalid(authentication_group, "TokenRequest", name, errors);
}

Outcome<> check_place(const Target& target, View metadata) {
  const std::string_view name = metadata["name"].string_or("");
  if (!name.empty() && name != target.name) {
    return invalid_request(target.name,
                           FieldError::invalid("metadata.name", metadata["name"],
                                               "must match the service account name if specified"));
  }
  const std::string_view name_space = metadata["namespace"].string_or("");
  if (!name_space.empty() && name_space != target.name_space) return failures::namespace_mismatch();
  return {};
}

Outcome<> check_expiration(View seconds) {
  const auto refuse = [&](std::string why) {
    return invalid_request("",
                           FieldError::invalid("spec.expirationSeconds", seconds, std::move(why)));
  };
  const std::int64_t asked = seconds.integer_or(expiration_seconds_default);
  if (asked < expiration_seconds_min) {
    return refuse("may not specify a duration less than 10 minutes");
  }
  if (asked > expiration_seconds_max) {
    return refuse("may not specify a duration larger than 2^32 seconds");
  }
  return {};
}

struct Bound {
  std::string_view plural;
  std::string_view kind;
};
constexpr Bound bindable[] = {{"pods", "Pod"}, {"nodes", "Node"}, {"secrets", "Secret"}};

Outcome<> bind_to(Context& context, const Target& target, View reference,
                  ServiceAccountToken& token) {
  const std::string_view kind = reference["kind"].string_or("");
  const std::string_view version = reference["apiVersion"].string_or("");
  const auto* found = std::find_if(std::begin(bindable), std::end(bindable),
                                   [&](const Bound& each) { return each.kind == kind; });
  const bool core = version.find('/') == std::string_view::npos;
  if (found == std::end(bindable) || !core) {
    const std::string group_version = core ? fmt::format("/{}", version) : std::string(version);
    return Error::bad_request(
        fmt::format("cannot bind token to object of type {}, Kind={}", group_version, kind));
  }
  const std::string name(reference["name"].string_or(""));
  const auto registered = context.registry.find_resource("", found->plural);
  const std::string_view place = kind == "Node" ? std::string_view() : target.name_space;
  const CachedObject* object =
      registered == nullptr ? nullptr : context.cache.find(*registered, place, name);
  if (object == nullptr) return failures::not_found({.resource = found->plural}, name);
  const ServiceAccountToken::Reference bound{name, object->uid};
  if (kind == "Pod") {
    const Value pod = context.trees.tree_of(object->bytes);
    if (pod["spec"]["serviceAccountName"].string_or("") != target.name) {
      return Error::bad_request(
          fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different "
                      "serviceaccount name.",
                      target.name));
    }
    token.pod = bound;
    const std::string node_name(pod["spec"]["nodeName"].string_or(""));
    const auto nodes = context.registry.find_resource("", "nodes");
    if (!node_name.empty()) {
      const CachedObject* node = context.cache.find(*nodes, "", node_name);
      token.node = {node_name, node == nullptr ? std::string() : node->uid};
    }
  } else if (kind == "Node") {
    token.node = bound;
  } else {
    token.secret = bound;
  }
  const std::string_view uid = reference["uid"].string_or("");
  if (uid.empty() || uid == object->uid) return {};
  return failures::conflict(
      {.resource = kind}, name,
      fmt::format(
          "the UID in the bound object reference ({}) does not match the UID in record. The "
          "object might have been deleted and then recreated",
          uid));
}

// A node gets tokens for its own pods alone, and says which.
Outcome<> restrict_node_request(Context& context, const WriteRequest& request, View reference) {
  const std::string_view node = node_of(request.identity);
  if (node.empty()) return {};
  const Target& target = request.target;
  if (reference["kind"].string_or("") != "Pod" || reference["apiVersion"].string_or("") != "v1" ||
      reference["name"].string_or("").empty()) {
    return forbidden(target, "node requested token not bound to a pod");
  }
  const std::string_view uid = reference["uid"].string_or("");
  if (uid.empty()) {
    return forbidden(target, "node requested token with a pod binding without a uid");
  }
  const std::string_view name = reference["name"].string_or("");
  const auto pods = context.registry.find_resource("", "pods");
  const CachedObject* pod = context.cache.find(*pods, target.name_space, name);
  if (pod == nullptr) return failures::not_found({.resource = "pods"}, name);
  if (pod->uid != uid) {
    return forbidden(target,
                     fmt::format("the UID in the bound object reference ({}) does not match "
                                 "the UID in record. The object might have been deleted "
                                 "and then recreated",
                                 uid));
  }
  if (context.trees.tree_of(pod->bytes)["spec"]["nodeName"].string_or("") == node) return {};
  return forbidden(target, "node requested token bound to a pod scheduled on a different node");
}

std::vector<std::string> audiences_of(View spec) {
  std::vector<std::string> audiences;
  for (const View each : spec["audiences"].elements()) audiences.emplace_back(each.string_or(""));
  if (audiences.empty()) audiences.emplace_back(token_issuer);
  return audiences;
}

Value filled(const Value& asked, const CachedObject& account, const ServiceAccountToken& token,
             const std::string& text, Instant ends) {
  Builder builder;
  builder.retain(asked);
  Rewrite metadata(asked["metadata"]);
  metadata.set("name", builder.text(account.name));
  metadata.set("namespace", builder.text(account.name_space));
  metadata.set("uid", builder.text(account.uid));
  metadata.set("creationTimestamp", builder.text(format_time(Timestamp::of(token.issued))));
  std::vector<Node> audiences;
  for (const std::string& each : token.audiences) audiences.push_back(builder.text(each));
  Rewrite spec(asked["spec"]);
  spec.set("audiences", builder.array(audiences));
  spec.set("expirationSeconds",
           Builder::integer((ends - token.issued).nanoseconds / 1'000'000'000));
  if (!asked["spec"]["boundObjectRef"].is_object()) spec.set("boundObjectRef", Builder::null());
  const std::vector<Node> status = {Builder::literal("token"), builder.text(text),
                                    Builder::literal("expirationTimestamp"),
                                    builder.text(format_time(Timestamp::of(ends)))};
  Rewrite root(asked);
  root.set("metadata", metadata.finish(builder));
  root.set("spec", spec.finish(builder));
  root.set("status", builder.object_of_pairs(status));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace

Outcome<Reviewed> request_token(Context& context, const WriteRequest& request) {
  const Target& target = request.target;
  const auto kind = context.registry.find(authentication_group, "TokenRequest");
  if (kind == nullptr || context.signer == nullptr) return failures::unknown_resource();
  Reviewed asked = ALLOWED(decode_review(*kind, request));
  const View metadata = asked.object["metadata"];
  ALLOWED(check_place(target, metadata));
  const CachedObject* account = context.cache.find(*target.kind, target.name_space, target.name);
  if (account == nullptr) return not_found(target);
  const std::string_view uid = metadata["uid"].string_or("");
  if (!uid.empty() && uid != account->uid) {
    return failures::conflict(
        {.group = authentication_group, .resource = "TokenRequest"}, target.name,
        fmt::format("the UID in the token request ({}) does not match the UID "
                    "of the service account ({})",
                    uid, account->uid));
  }
  const View spec = asked.object["spec"];
  ALLOWED(check_expiration(spec["expirationSeconds"]));
  const View reference = spec["boundObjectRef"];
  ALLOWED(restrict_node_request(context, request, reference));
  const Instant now = context.clock.wall();
  const std::int64_t seconds = spec["expirationSeconds"].integer_or(expiration_seconds_default);
  ServiceAccountToken token{.name_space = target.name_space,
                            .account = {target.name, account->uid},
                            .audiences = audiences_of(spec),
                            .id = make_uid(context.random),
                            .issued = now,
                            .not_before = now,
                            .expires = now + Span::of_seconds(seconds)};
  if (reference.is_object()) ALLOWED(bind_to(context, target, reference, token));
  const bool own_audience = token.audiences.size() == 1 && token.audiences.front() == token_issuer;
  const Instant ends = token.expires;
  if (token.pod && seconds == pod_token_seconds && own_audience) {
    token.warn_after = token.expires;
    token.expires = now + Span::of_seconds(extended_seconds);
  }
  const std::string text = TRY(context.signer->sign(claims_value(token)));
  asked.object = filled(asked.object, *account, token, text, ends);
  return asked;
}

}  // namespace muster::server
