// SPDX-License-Identifier: Apache-2.0
#include "server/service_account_token.h"

#include <fmt/format.h>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/authorization.h"
#include "server/context.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

using Reference = ServiceAccountToken::Reference;

constexpr std::int64_t seconds_max = 9'000'000'000;  // an Instant ends in 2262

Node seconds_node(Instant instant) {
  return Builder::integer(instant.nanoseconds / 1'000'000'000);
}

Node reference_node(Builder& builder, const Reference& reference) {
  std::vector<Node> pairs = {Builder::literal("name"), builder.text(reference.name)};
  if (!reference.uid.empty()) {
    pairs.push_back(Builder::literal("uid"));
    pairs.push_back(builder.text(reference.uid));
  }
  return builder.object_of_pairs(pairs);
}

// In the order of their keys, as all claims are.
Node private_claims(Builder& builder, const ServiceAccountToken& token) {
  std::vector<Node> pairs = {Builder::literal("namespace"), builder.text(token.name_space)};
  const auto add = [&](std::string_view key, const std::optional<Reference>& reference) {
    if (!reference) return;
    pairs.push_back(Builder::literal(key));
    pairs.push_back(reference_node(builder, *reference));
  };
  add("node", token.node);
  add("pod", token.pod);
  add("secret", token.secret);
  add("serviceaccount", token.account);
  if (token.warn_after) {
    pairs.push_back(Builder::literal("warnafter"));
    pairs.push_back(seconds_node(*token.warn_after));
  }
  return builder.object_of_pairs(pairs);
}

std::optional<Instant> epoch_instant(View seconds) {
  const auto number = seconds.integer();
  if (!number || *number < 0 || *number > seconds_max) return std::nullopt;
  return Instant{} + Span::of_seconds(*number);
}

std::optional<Reference> reference_of(View reference) {
  if (!reference.is_object()) return std::nullopt;
  return Reference{std::string(reference["name"].string_or("")),
                   std::string(reference["uid"].string_or(""))};
}

// One text or a list of them.
std::vector<std::string> audiences_of(View audiences) {
  if (audiences.is_string()) return {std::string(audiences.string_or(""))};
  std::vector<std::string> texts;
  for (const View each : audiences.elements()) texts.emplace_back(each.string_or(""));
  return texts;
}

Error not_ours() {
  return {ErrorCode::unauthorized, "Unauthorized"};
}

bool is_there(const Context& context, std::string_view plural, std::string_view name_space,
              const Reference& reference) {
  const auto kind = context.registry.find_resource("", plural);
  const CachedObject* found =
      kind == nullptr ? nullptr : context.cache.find(*kind, name_space, reference.name);
  return found != nullptr && found->uid == reference.uid;
}

}  // namespace

Value claims_value(const ServiceAccountToken& token) {
  Builder builder;
  std::vector<Node> audiences;
  for (const std::string& audience : token.audiences) audiences.push_back(builder.text(audience));
  const std::string subject =
      fmt::format("{}{}:{}", service_account_user_prefix, token.name_space, token.account.name);
  const std::vector<Node> pairs = {
      Builder::literal("aud"),           builder.array(audiences),
      Builder::literal("exp"),           seconds_node(token.expires),
      Builder::literal("iat"),           seconds_node(token.issued),
      Builder::literal("iss"),           Builder::literal(token_issuer),
      Builder::literal("jti"),           builder.text(token.id),
      Builder::literal("kubernetes.io"), private_claims(builder, token),
      Builder::literal("nbf"),           seconds_node(token.not_before),
      Builder::literal("sub"),           builder.text(subject)};
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

Result<ServiceAccountToken> read_service_account_token(View claims) {
  const View own = claims["kubernetes.io"];
  ServiceAccountToken token;
  token.name_space = own["namespace"].string_or("");
  token.account = reference_of(own["serviceaccount"]).value_or(Reference{});
  const std::string subject =
      fmt::format("{}{}:{}", service_account_user_prefix, token.name_space, token.account.name);
  const auto expires = epoch_instant(claims["exp"]);
  const auto issued = epoch_instant(claims["iat"]);
  const auto not_before = epoch_instant(claims["nbf"]);
  if (claims["iss"].string_or("") != token_issuer || claims["sub"].string_or("") != subject ||
      token.name_space.empty() || token.account.name.empty() || token.account.uid.empty() ||
      !expires || !issued || !not_before) {
    return not_ours();
  }
  token.pod = reference_of(own["pod"]);
  token.node = reference_of(own["node"]);
  token.secret = reference_of(own["secret"]);
  token.audiences = audiences_of(claims["aud"]);
  token.id = claims["jti"].string_or("");
  token.issued = *issued;
  token.not_before = *not_before;
  token.expires = *expires;
  token.warn_after = epoch_instant(own["warnafter"]);
  return token;
}

std::vector<std::string> service_account_groups(std::string_view name_space) {
  return {std::string(service_accounts_group),
          fmt::format("{}:{}", service_accounts_group, name_space)};
}

Identity identity_of(const ServiceAccountToken& token) {
  Identity identity{.name = fmt::format("{}{}:{}", service_account_user_prefix, token.name_space,
                                        token.account.name),
                    .groups = service_account_groups(token.name_space),
                    .uid = token.account.uid};
  identity.groups.emplace_back(authenticated_group);
  const auto add = [&](std::string_view key, std::string value) {
    identity.extra.emplace_back(fmt::format("authentication.kubernetes.io/{}", key),
                                std::vector<std::string>{std::move(value)});
  };
  if (!token.id.empty()) add("credential-id", "JTI=" + token.id);
  if (token.node) {
    add("node-name", token.node->name);
    if (!token.node->uid.empty()) add("node-uid", token.node->uid);
  }
  if (token.pod) {
    add("pod-name", token.pod->name);
    add("pod-uid", token.pod->uid);
  }
  return identity;
}

std::optional<ServiceAccountName> service_account_of(std::string_view user) {
  if (!user.starts_with(service_account_user_prefix)) return std::nullopt;
  user.remove_prefix(service_account_user_prefix.size());
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const ServiceAccountName name{user.substr(0, colon), user.substr(colon + 1)};
  if (name.name.empty() || name.name.find(':') != std::string_view::npos) return std::nullopt;
  return name;
}

std::optional<std::string> bound_trouble(const Context& context, const ServiceAccountToken& token) {
  const auto accounts = context.registry.find_resource("", "serviceaccounts");
  const CachedObject* account =
      accounts == nullptr ? nullptr
                          : context.cache.find(*accounts, token.name_space, token.account.name);
  if (account == nullptr) {
    return fmt::format("serviceaccounts \"{}\" not found", token.account.name);
  }
  if (account->uid != token.account.uid) {
    return fmt::format("service account UID ({}) does not match claim ({})", account->uid,
                       token.account.uid);
  }
  constexpr std::string_view invalidated = "service account token has been invalidated";
  if (token.secret && !is_there(context, "secrets", token.name_space, *token.secret)) {
    return std::string(invalidated);
  }
  if (token.pod && !is_there(context, "pods", token.name_space, *token.pod)) {
    return std::string(invalidated);
  }
  // A pod's token names its node for information alone.
  if (token.node && !token.pod && !is_there(context, "nodes", "", *token.node)) {
    return std::string(invalidated);
  }
  return std::nullopt;
}

}  // namespace muster::server
