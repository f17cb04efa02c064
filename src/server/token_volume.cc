// SPDX-License-Identifier: Apache-2.0
#include "server/token_volume.h"

#include <string>
#include <vector>

#include "base/uid.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

constexpr std::string_view volume_prefix = "kube-api-access-";
constexpr std::string_view mount_path = "/var/run/secrets/kubernetes.io/serviceaccount";
// A pod's token says after an hour that it should have been renewed (server/token_request.cc).
constexpr std::int64_t token_seconds = 3607;
constexpr std::int64_t file_mode = 0644;

Node pairs(Builder& builder, std::initializer_list<Node> nodes) {
  return builder.object_of_pairs(std::span<const Node>(nodes.begin(), nodes.size()));
}

Node list(Builder& builder, std::initializer_list<Node> nodes) {
  return builder.array(std::span<const Node>(nodes.begin(), nodes.size()));
}

Node key(std::string_view text) {
  return Builder::literal(text);
}

Node token_source(Builder& builder) {
  return pairs(builder, {key("serviceAccountToken"),
                         pairs(builder, {key("expirationSeconds"), Builder::integer(token_seconds),
                                         key("path"), key("token")})});
}

Node certificate_source(Builder& builder) {
  const Node item = pairs(
      builder, {key("key"), key(root_certificate_key), key("path"), key(root_certificate_key)});
  return pairs(builder, {key("configMap"), pairs(builder, {key("name"), key(root_certificate_map),
                                                           key("items"), list(builder, {item})})});
}

Node namespace_source(Builder& builder) {
  const Node field =
      pairs(builder, {key("apiVersion"), key("v1"), key("fieldPath"), key("metadata.namespace")});
  const Node item = pairs(builder, {key("path"), key("namespace"), key("fieldRef"), field});
  return pairs(builder,
               {key("downwardAPI"), pairs(builder, {key("items"), list(builder, {item})})});
}

Node token_volume(Builder& builder, const Node& name) {
  const Node sources = list(
      builder, {token_source(builder), certificate_source(builder), namespace_source(builder)});
  return pairs(
      builder,
      {key("name"), name, key("projected"),
       pairs(builder, {key("sources"), sources, key("defaultMode"), Builder::integer(file_mode)})});
}

bool mounts_there(View container) {
  for (View mount : container["volumeMounts"].elements()) {
    if (mount["mountPath"].string_or("") == mount_path) return true;
  }
  return false;
}

// Whether one of the containers got the mount.
bool mount_in_all(View spec, std::string_view list_name, const Node& mount, Rewrite& next,
                  Builder& builder) {
  std::vector<Node> containers;
  bool mounted = false;
  for (View container : spec[list_name].elements()) {
    Rewrite with(container);
    if (!mounts_there(container)) {
      std::vector<Node> mounts;
      for (View each : container["volumeMounts"].elements()) mounts.push_back(each.node());
      mounts.push_back(mount);
      with.set("volumeMounts", builder.array(mounts));
      mounted = true;
    }
    containers.push_back(with.finish(builder));
  }
  if (mounted) next.set(list_name, builder.array(containers));
  return mounted;
}

}  // namespace

bool wants_token_volume(View account, View spec) {
  const auto said = spec["automountServiceAccountToken"].boolean();
  return said ? *said : account["automountServiceAccountToken"].boolean_or(true);
}

void mount_token_volume(View spec, Rewrite& next, Builder& builder, Random& random) {
  std::vector<Node> volumes;
  std::string name;
  for (View volume : spec["volumes"].elements()) {
    volumes.push_back(volume.node());
    const std::string_view each = volume["name"].string_or("");
    if (name.empty() && each.starts_with(volume_prefix)) name = each;
  }
  const bool is_there = !name.empty();
  if (!is_there) name = generate_name(volume_prefix, random);
  const Node named = builder.text(name);
  const Node mount = pairs(builder, {key("name"), named, key("readOnly"), Builder::boolean(true),
                                     key("mountPath"), key(mount_path)});
  bool mounted = mount_in_all(spec, "initContainers", mount, next, builder);
  mounted = mount_in_all(spec, "containers", mount, next, builder) || mounted;
  if (is_there || !mounted) return;
  volumes.push_back(token_volume(builder, named));
  next.set("volumes", builder.array(volumes));
}

}  // namespace muster::server
