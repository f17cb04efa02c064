// SPDX-License-Identifier: Apache-2.0
#include "server/account_keeper.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/timestamp.h"
#include "base/uid.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/service_account_token.h"
#include "server/token_signer.h"
#include "server/token_volume.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view default_account = "default";
constexpr std::string_view account_annotation = "kubernetes.io/service-account.name";
constexpr std::string_view account_uid_annotation = "kubernetes.io/service-account.uid";
// A token that is kept in a Secret lasts as long as the Secret: its end is the end of Instants.
constexpr Span lasting = Span::of_seconds(100LL * 365 * 24 * 3600);

Identity keeper_identity() {
  return {.name = "system:muster:account-keeper", .groups = {std::string(masters_group)}};
}

bool is_core(const CachedObject& object, std::string_view plural) {
  return object.kind->group.empty() && object.kind->plural == plural;
}

std::string data_text(View secret, std::string_view key) {
  return base64_decode(secret["data"][key].string_or("")).value_or(std::string());
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Value named(std::string_view name) {
  return Value::object({{"metadata", Value::object({{"name", Value::string(name)}})}});
}

// By which programs in pods know this server.
Value certificate_map(const std::string& authority_pem) {
  return Value::object(
      {{"metadata",
        Value::object(
            {{"name", Value::string(root_certificate_map)},
             {"annotations",
              Value::object({{"kubernetes.io/description",
                              Value::string("The certificate of the authority that vouches for "
                                            "this API server, mounted into every pod.")}})}})},
       {"data", Value::object({{root_certificate_key, Value::string(authority_pem)}})}});
}

// What a Secret of a service account gains: who it is for, and the token itself.
Value filled_secret(const Value& secret, const CachedObject& account, const std::string& token,
                    const std::string& authority_pem) {
  Builder builder;
  builder.retain(secret);
  Rewrite annotations(objects::annotations_of(secret));
  annotations.set(account_uid_annotation, builder.text(account.uid));
  Rewrite metadata(secret["metadata"]);
  metadata.set("annotations", annotations.finish(builder));
  Rewrite data(secret["data"]);
  data.set("token", builder.text(base64_encode(token)));
  data.set("namespace", builder.text(base64_encode(account.name_space)));
  if (!authority_pem.empty()) data.set("ca.crt", builder.text(base64_encode(authority_pem)));
  Rewrite root(secret);
  root.set("metadata", metadata.finish(builder));
  root.set("data", data.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace

std::optional<TokenRecord> read_token_secret(View secret) {
  if (secret["type"].string_or("") != token_secret_type) return std::nullopt;
  const auto digest = parse_digest(data_text(secret, "digest"));
  std::string user = data_text(secret, "user");
  if (!digest || user.empty()) return std::nullopt;
  TokenRecord record{
      .digest = *digest,
      .identity = {.name = std::move(user), .groups = lines_of(data_text(secret, "groups"))}};
  if (const std::string expires = data_text(secret, "expires"); !expires.empty()) {
    const auto instant = objects::instant_of(Value::string(expires));
    if (!instant) return std::nullopt;
    record.expires = *instant;
  }
  return record;
}

Value token_secret(const TokenRecord& record, std::string_view description) {
  Builder builder;
  std::vector<Node> data;
  const auto add = [&](std::string_view key, std::string_view text) {
    if (text.empty()) return;
    data.push_back(Builder::literal(key));
    data.push_back(builder.text(base64_encode(text)));
  };
  add("digest", digest_text(record.digest));
  add("user", record.identity.name);
  add("groups", fmt::format("{}", fmt::join(record.identity.groups, "\n")));
  if (record.expires) add("expires", format_time(Timestamp::of(*record.expires)));
  add("description", description);
  const std::vector<Node> metadata = {Builder::literal("generateName"), Builder::literal("token-"),
                                      Builder::literal("namespace"),
                                      Builder::literal(token_namespace)};
  const std::vector<Node> pairs = {
      Builder::literal("apiVersion"), Builder::literal("v1"),
      Builder::literal("kind"),       Builder::literal("Secret"),
      Builder::literal("metadata"),   builder.object_of_pairs(metadata),
      Builder::literal("type"),       Builder::literal(token_secret_type),
      Builder::literal("data"),       builder.object_of_pairs(data)};
  const Node node = builder.object_of_pairs(pairs);
  return std::move(builder).finish(node);
}

void AccountKeeper::start() {
  const auto namespaces = context_.registry.find_resource("", "namespaces");
  for (const auto& [key, object] : context_.cache.all_in(*namespaces, "")) look_at(object.name);
  if (const auto secrets = context_.registry.find_resource("", "secrets")) {
    for (const auto& [key, object] : context_.cache.all_in(*secrets, "")) {
      secrets_.insert(key);
    }
  }
  tell_tokens();
}

void AccountKeeper::on_change(const CacheChange& change) {
  const CachedObject* about = change.now != nullptr ? change.now : change.before;
  if (is_core(*about, "namespaces")) {
    if (change.now != nullptr && change.before == nullptr) look_at(about->name);
  } else if (is_core(*about, "serviceaccounts")) {
    const bool is_default = about->name == default_account;
    if (is_default && change.now == nullptr) look_at(about->name_space);
  } else if (is_core(*about, "configmaps")) {
    if (about->name == root_certificate_map) look_at(about->name_space);
  } else if (is_core(*about, "secrets")) {
    if (about->name_space == token_namespace) tokens_changed_ = true;
    if (change.now != nullptr) secrets_.insert(about->name_space + "/" + about->name);
    look_at({});
  }
}

// An empty name: there is something else to do.
void AccountKeeper::look_at(std::string name_space) {
  if (!name_space.empty()) namespaces_.insert(std::move(name_space));
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = alive_] {
    if (*alive) turn();
  });
}

bool AccountKeeper::is_open(const std::string& name_space) const {
  const auto namespaces = context_.registry.find_resource("", "namespaces");
  const CachedObject* found = context_.cache.find(*namespaces, "", name_space);
  return found != nullptr && !found->is_being_deleted;
}

void AccountKeeper::turn() {
  turn_posted_ = false;
  for (const std::string& name_space : std::exchange(namespaces_, {})) {
    if (!is_open(name_space)) continue;
    ensure("serviceaccounts", name_space, default_account, named(default_account));
    if (!options_.authority_pem.empty()) keep_certificate(name_space);
  }
  const auto secrets = context_.registry.find_resource("", "secrets");
  for (const std::string& place : std::exchange(secrets_, {})) {
    const std::size_t slash = place.find('/');
    const CachedObject* secret = context_.cache.find(
        *secrets, std::string_view(place).substr(0, slash), place.substr(slash + 1));
    if (secret != nullptr) fill_account_secret(*secret);
  }
  if (std::exchange(tokens_changed_, false)) tell_tokens();
}

void AccountKeeper::ensure(std::string_view plural, const std::string& name_space,
                           std::string_view name, const Value& body) {
  const auto kind = context_.registry.find_resource("", plural);
  if (kind == nullptr || context_.cache.find(*kind, name_space, name) != nullptr) return;
  create(context_,
         {.target = {.kind = kind, .version = &kind->storage_version(), .name_space = name_space},
          .body = body,
          .identity = keeper_identity()},
         [](const Outcome<Written>&) {});
}

// Whoever changes it would cut off the pods of the namespace: it is put right.
void AccountKeeper::keep_certificate(const std::string& name_space) {
  const auto maps = context_.registry.find_resource("", "configmaps");
  const CachedObject* found = context_.cache.find(*maps, name_space, root_certificate_map);
  const Value wanted = certificate_map(options_.authority_pem);
  if (found == nullptr) return ensure("configmaps", name_space, root_certificate_map, wanted);
  if (context_.trees.tree_of(found->bytes)["data"] == wanted["data"]) return;
  update(context_,
         {.target = {.kind = maps,
                     .version = &maps->storage_version(),
                     .name_space = name_space,
                     .name = std::string(root_certificate_map)},
          .body = wanted,
          .identity = keeper_identity()},
         [](const Outcome<Written>&) {});
}

void AccountKeeper::fill_account_secret(const CachedObject& object) {
  const Value secret = context_.trees.tree_of(object.bytes);
  if (secret["type"].string_or("") != account_secret_type || context_.signer == nullptr) return;
  if (secret["data"]["token"]) return;
  const std::string_view name = objects::annotations_of(secret)[account_annotation].string_or("");
  const auto accounts = context_.registry.find_resource("", "serviceaccounts");
  const CachedObject* account = context_.cache.find(*accounts, object.name_space, name);
  if (account == nullptr) return;
  const Instant now = context_.clock.wall();
  const auto token = context_.signer->sign(
      claims_value({.name_space = object.name_space,
                    .account = {account->name, account->uid},
                    .secret = ServiceAccountToken::Reference{object.name, object.uid},
                    .audiences = {std::string(token_issuer)},
                    .id = make_uid(context_.random),
                    .issued = now,
                    .not_before = now,
                    .expires = now + lasting}));
  if (!token) return;
  update(context_,
         {.target = {.kind = context_.registry.find_resource("", "secrets"),
                     .version = &object.kind->storage_version(),
                     .name_space = object.name_space,
                     .name = object.name},
          .body = filled_secret(secret, *account, *token, options_.authority_pem),
          .identity = keeper_identity()},
         [](const Outcome<Written>&) {});
}

void AccountKeeper::tell_tokens() {
  const auto kind = context_.registry.find_resource("", "secrets");
  if (options_.authenticator == nullptr || kind == nullptr) return;
  std::vector<TokenRecord> records;
  for (const auto& [key, object] : context_.cache.all_in(*kind, token_namespace)) {
    auto record = read_token_secret(context_.trees.tree_of(object.bytes));
    if (record) records.push_back(std::move(*record));
  }
  options_.authenticator->set_tokens(std::move(records));
}

}  // namespace muster::server
