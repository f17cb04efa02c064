// SPDX-License-Identifier: Apache-2.0
#include "server/metrics_kinds.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/quantity.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "server/read.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

bool is_about_nodes(const Target& target) {
  return target.kind->plural == "nodes";
}

Node usage_node(Builder& builder, const ContainerUsage& used) {
  const Quantity cpu = Quantity::of_scaled(used.nanocores, QuantityScale::nano);
  const Quantity memory = Quantity::of(used.memory_bytes, QuantityFormat::binary_si);
  const Node pairs[] = {Builder::literal("cpu"), builder.text(cpu.to_string()),
                        Builder::literal("memory"), builder.text(memory.to_string())};
  return builder.object_of_pairs(pairs);
}

// `subject` is the pod or node; what is measured takes its name and labels over.
Value metrics_value(const Target& target, View subject, const Usage& used, bool typed) {
  Builder builder;
  std::vector<Node> root;
  const auto add = [&builder](std::vector<Node>& pairs, std::string_view key, const Node& value) {
    pairs.push_back(builder.text(key));
    pairs.push_back(value);
  };
  if (typed) {
    add(root, "kind", builder.text(target.kind->kind));
    add(root, "apiVersion", builder.text(target.api_version()));
  }
  const Node taken = builder.text(format_time(Timestamp::of(used.taken)));
  std::vector<Node> metadata;
  add(metadata, "name", builder.text(objects::name_of(subject)));
  const std::string_view name_space = objects::namespace_of(subject);
  if (!name_space.empty()) add(metadata, "namespace", builder.text(name_space));
  add(metadata, "creationTimestamp", taken);
  if (const View labels = objects::labels_of(subject); !labels.empty()) {
    add(metadata, "labels", builder.copy(labels));
  }
  add(root, "metadata", builder.object_of_pairs(metadata));
  add(root, "timestamp", taken);
  add(root, "window", builder.text(format_duration(used.window)));
  if (is_about_nodes(target)) {
    add(root, "usage", usage_node(builder, used.containers.front()));
  } else {
    std::vector<Node> containers;
    for (const ContainerUsage& each : used.containers) {
      std::vector<Node> container;
      add(container, "name", builder.text(each.name));
      add(container, "usage", usage_node(builder, each));
      containers.push_back(builder.object_of_pairs(container));
    }
    add(root, "containers", builder.array(containers));
  }
  const Node node = builder.object_of_pairs(root);
  return std::move(builder).finish(node);
}

std::optional<Usage> usage_of(const UsageSource* source, const Target& target,
                              const CachedObject& subject) {
  if (source == nullptr) return std::nullopt;
  auto used = is_about_nodes(target) ? source->node(subject.name) : source->pod(subject.uid);
  return used && !used->containers.empty() ? std::move(used) : std::nullopt;
}

// The core kind that is measured.
objects::KindRegistry::Found measured_kind(const Context& context, const Target& target) {
  return context.registry.find_resource("", target.kind->plural);
}

}  // namespace

Outcome<Value> metrics_of(Context& context, const UsageSource* usage, const Target& target) {
  context.cache.catch_up();
  const auto kind = measured_kind(context, target);
  const CachedObject* subject = context.cache.find(*kind, target.name_space, target.name);
  const auto used = subject == nullptr ? std::nullopt : usage_of(usage, target, *subject);
  if (!used) {
    const bool nodes = is_about_nodes(target);
    return failures::not_found(
        {.group = target.kind->group, .resource = nodes ? "nodemetrics" : "podmetrics"},
        nodes ? target.name : fmt::format("{}/{}", target.name_space, target.name));
  }
  return metrics_value(target, context.trees.tree_of(subject->bytes), *used, true);
}

Outcome<Value> metrics_list(Context& context, const UsageSource* usage, const MetricsQuery& query) {
  const Target& target = query.target;
  context.cache.catch_up();
  const Selection selection = ALLOWED(parse_selection(target, query.labels, query.fields));
  const auto kind = measured_kind(context, target);
  const Target measured{.kind = kind, .version = &kind->storage_version()};
  std::vector<Value> items;
  for (const auto& [key, subject] : context.cache.all_in(*kind, target.name_space)) {
    const auto used = usage_of(usage, target, subject);
    if (!used || !selects(context, measured, selection, subject.bytes)) continue;
    items.push_back(
        metrics_value(target, context.trees.tree_of(subject.bytes), *used, query.typed_items));
  }
  Builder builder;
  std::vector<Node> nodes;
  nodes.reserve(items.size());
  for (const Value& item : items) nodes.push_back(builder.embed(item));
  const Node pairs[] = {Builder::literal("kind"),       builder.text(target.kind->list_kind),
                        Builder::literal("apiVersion"), builder.text(target.api_version()),
                        Builder::literal("metadata"),   builder.object({}),
                        Builder::literal("items"),      builder.array(nodes)};
  const Node list = builder.object_of_pairs(pairs);
  return std::move(builder).finish(list);
}

}  // namespace muster::server
