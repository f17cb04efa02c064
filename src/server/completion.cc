// SPDX-License-Identifier: Apache-2.0
#include "server/completion.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "base/uid.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/kind_traits.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::SchemaStyle;
using objects::Value;
using objects::View;

namespace {

// What no caller may say about an object.
constexpr std::string_view server_fields[] = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "selfLink",          "managedFields",     "resourceVersion"};

// Name, namespace and type as the request has them.
void set_place(const Target& target, Builder& builder, Rewrite& metadata, Rewrite& root) {
  if (!target.name.empty()) metadata.set("name", builder.text(target.name));
  if (target.is_namespaced()) {
    metadata.set("namespace", builder.text(target.name_space));
  } else {
    metadata.drop("namespace");
  }
  root.set("kind", builder.text(target.kind->kind));
  root.set("apiVersion", builder.text(target.api_version()));
}

}  // namespace

bool can_be_completed(View body) {
  const View metadata = body["metadata"];
  return body.is_object() && (metadata.is_object() || metadata.is_absent() || metadata.is_null());
}

bool are_readable(View metadata) {
  const View name_space = metadata["namespace"];
  if (name_space && !name_space.is_null() && !name_space.is_string()) return false;
  for (const std::string_view field : server_fields) {
    const View value = metadata[field];
    if (value.is_absent() || value.is_null()) continue;
    const bool is_time = field.ends_with("Timestamp");
    const bool is_number = field == "generation" || field == "deletionGracePeriodSeconds";
    const bool fits = field == "managedFields" ? value.is_array()
                      : is_number              ? value.is_integer()
                                               : value.is_string();
    if (!fits || (is_time && !parse_time(value.string_or("")))) return false;
  }
  return true;
}

Value completed_new(Context& context, const WriteRequest& request) {
  const Target& target = request.target;
  const KindTraits traits = traits_of(*target.kind);
  Builder builder;
  builder.retain(request.body);
  Rewrite metadata(request.body["metadata"]);
  Rewrite root(request.body);
  for (const std::string_view field : server_fields) {
    if (field != "generation" || traits.has_generation) metadata.drop(field);
  }
  set_place(target, builder, metadata, root);
  metadata.set("uid", builder.text(make_uid(context.random)));
  metadata.set("creationTimestamp", builder.text(format_time(Timestamp::of(context.clock.wall()))));
  if (traits.has_generation) metadata.set("generation", Builder::integer(1));
  if (target.version->has_status && !traits.keeps_status_on_create) root.drop("status");
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

namespace {

// The parts of a pod's spec that an endpoint of its own writes; none for all other endpoints.
std::span<const std::string_view> spec_parts_of(const Target& target) {
  static constexpr std::string_view ephemeral[] = {"ephemeralContainers"};
  static constexpr std::string_view sized[] = {"containers", "initContainers"};
  if (target.subresource == "ephemeralcontainers") return ephemeral;
  if (target.subresource == "resize") return sized;
  return {};
}

// The old containers with the amounts of the new ones; the new ones where they are others.
Node resized(Builder& builder, View next, View old) {
  if (next.empty() || next.size() != old.size()) return next.node();
  std::vector<Node> containers;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!(next[i]["name"] == old[i]["name"])) return next.node();
    Rewrite container(old[i]);
    for (const std::string_view field : {"resources", "resizePolicy"}) {
      container.set(field, next[i][field].node());
    }
    containers.push_back(container.finish(builder));
  }
  return builder.array(containers);
}

// The finalizers of a namespace are changed at an endpoint of their own.
Node namespace_spec(Builder& builder, const Value& body, const Value& old) {
  Rewrite spec(body["spec"]);
  spec.set("finalizers", old["spec"]["finalizers"].node());
  return spec.finish(builder);
}

// An approval writes the conditions of a request for a certificate; each says since when it holds.
Node approved_status(Builder& builder, const Value& body, const Value& old, Instant now) {
  const Node time = builder.text(format_time(Timestamp::of(now)));
  std::vector<Node> conditions;
  for (const View condition : body["status"]["conditions"].elements()) {
    Rewrite dated(condition);
    if (!condition["lastUpdateTime"].is_string()) dated.set("lastUpdateTime", time);
    if (!condition["lastTransitionTime"].is_string()) dated.set("lastTransitionTime", time);
    conditions.push_back(dated.finish(builder));
  }
  Rewrite status(old["status"]);
  status.set("conditions", conditions.empty() ? Node() : builder.array(conditions));
  return status.finish(builder);
}

}  // namespace

Value completed_next(const WriteRequest& request, const Value& body, const Value& old,
                     Instant now) {
  const Target& target = request.target;
  Builder builder;
  builder.retain(body);
  builder.retain(old);
  const bool custom = target.kind->style == SchemaStyle::custom;
  const auto parts = spec_parts_of(target);
  const bool approves = target.subresource == "approval";
  const bool keeps_rest = target.is_status() || approves || !parts.empty();
  const bool keeps_metadata = (target.is_status() && custom) || !parts.empty();
  Rewrite metadata(keeps_metadata ? old["metadata"] : body["metadata"]);
  for (const std::string_view field : server_fields) {
    const bool counted = field != "generation" || traits_of(*target.kind).has_generation;
    if (counted) metadata.set(field, old["metadata"][field].node());
  }
  metadata.drop("resourceVersion");
  Rewrite root(keeps_rest ? old.view() : body.view());
  set_place(target, builder, metadata, root);
  if (!parts.empty()) {
    Rewrite spec(old["spec"]);
    const bool resizes = target.subresource == "resize";
    for (const std::string_view part : parts) {
      const View next = body["spec"][part];
      spec.set(part, resizes ? resized(builder, next, old["spec"][part]) : next.node());
    }
    root.set("spec", spec.finish(builder));
  } else if (approves) {
    root.set("status", approved_status(builder, body, old, now));
  } else if (target.is_status()) {
    root.set("status", body["status"].node());
  } else if (target.is("", "namespaces") && target.subresource.empty()) {
    root.set("spec", namespace_spec(builder, body, old));
    root.set("status", old["status"].node());
  } else if (target.version->has_status) {
    root.set("status", old["status"].node());
  }
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace muster::server
