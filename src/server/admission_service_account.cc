// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/token_volume.h"

namespace muster::server {

using objects::Builder;
using objects::go_quoted;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";
constexpr std::string_view enforce_annotation = "kubernetes.io/enforce-mountable-secrets";
constexpr std::string_view default_name = "default";

bool names_secret(View account, std::string_view secret) {
  for (View each : account["secrets"].elements()) {
    if (each["name"].string_or("") == secret) return true;
  }
  return false;
}

bool enforces_secrets(View account) {
  const std::string_view text =
      account["metadata"]["annotations"][enforce_annotation].string_or("");
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  return false;
}

// The first secret that a container names and the account does not.
std::string strange_secret_of_container(View container, std::string_view what, View account) {
  const std::string_view account_name = objects::name_of(account);
  for (View variable : container["env"].elements()) {
    const View key = variable["valueFrom"]["secretKeyRef"];
    const std::string_view secret = key["name"].string_or("");
    if (!key.is_object() || names_secret(account, secret)) continue;
    return fmt::format(
        "{} {} with envVar {} referencing secret.secretName=\"{}\" is not allowed because service "
        "account {} does not reference that secret",
        what, container["name"].string_or(""), variable["name"].string_or(""), secret,
        account_name);
  }
  for (View source : container["envFrom"].elements()) {
    const View reference = source["secretRef"];
    const std::string_view secret = reference["name"].string_or("");
    if (!reference.is_object() || names_secret(account, secret)) continue;
    return fmt::format(
        "{} {} with envFrom referencing secret.secretName=\"{}\" is not allowed because service "
        "account {} does not reference that secret",
        what, container["name"].string_or(""), secret, account_name);
  }
  return {};
}

std::string strange_secret_of_pod(View spec, View account) {
  const std::string_view account_name = objects::name_of(account);
  for (View volume : spec["volumes"].elements()) {
    const std::string_view secret = volume["secret"]["secretName"].string_or("");
    if (!volume["secret"].is_object() || names_secret(account, secret)) continue;
    return fmt::format(
        "volume with secret.secretName=\"{}\" is not allowed because service account {} does not "
        "reference that secret",
        secret, account_name);
  }
  for (View container : spec["initContainers"].elements()) {
    auto strange = strange_secret_of_container(container, "init container", account);
    if (!strange.empty()) return strange;
  }
  for (View container : spec["containers"].elements()) {
    auto strange = strange_secret_of_container(container, "container", account);
    if (!strange.empty()) return strange;
  }
  const View pull_secrets = spec["imagePullSecrets"];
  for (std::size_t i = 0; i < pull_secrets.size(); ++i) {
    const std::string_view name = pull_secrets[i]["name"].string_or("");
    bool known = false;
    for (View each : account["imagePullSecrets"].elements()) {
      known = known || each["name"].string_or("") == name;
    }
    if (known) continue;
    return fmt::format(
        "imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not "
        "reference that imagePullSecret",
        i, name, account_name);
  }
  return {};
}

}  // namespace

Outcome<> give_service_account(Context& context, Admission& admission) {
  const View spec = admission.object["spec"];
  const std::string given(spec["serviceAccountName"].string_or(""));
  if (objects::annotations_of(admission.object)[mirror_annotation]) {
    if (given.empty()) return {};
    return forbidden(admission.target, "a mirror pod may not reference service accounts");
  }
  const auto kind = context.registry.find_resource("", "serviceaccounts");
  const std::string name = given.empty() ? std::string(default_name) : given;
  const std::string& name_space = admission.target.name_space;
  const CachedObject* found =
      kind == nullptr ? nullptr : context.cache.find(*kind, name_space, name);
  // "default" is the server's own to make, and may appear a moment after its namespace.
  if (found == nullptr && kind != nullptr && name != default_name) {
    return forbidden(admission.target,
                     fmt::format("error looking up service account {}/{}: serviceaccount {} not "
                                 "found",
                                 name_space, name, go_quoted(name)));
  }
  const Value account = found == nullptr ? Value() : context.trees.tree_of(found->bytes);
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("serviceAccountName", builder.text(name));
  next.set("serviceAccount", builder.text(name));
  if (spec["imagePullSecrets"].empty() && !account["imagePullSecrets"].empty()) {
    next.set("imagePullSecrets", builder.copy(account["imagePullSecrets"]));
  }
  // Without a signer there are no tokens, and a pod would wait for its own for ever.
  if (context.signer != nullptr && wants_token_volume(account, spec)) {
    mount_token_volume(spec, next, builder, context.random);
  }
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  if (!enforces_secrets(account)) return {};
  const std::string strange = strange_secret_of_pod(admission.object["spec"], account);
  if (strange.empty()) return {};
  return forbidden(admission.target, strange);
}

}  // namespace muster::server
