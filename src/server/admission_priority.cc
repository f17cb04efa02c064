// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

struct Priority {
  std::int64_t value = 0;
  std::string class_name;
  std::string preemption = "PreemptLowerPriority";
};

std::optional<Priority> read_priority(Context& context, const CachedObject& cached) {
  const Value tree = context.trees.tree_of(cached.bytes);
  return Priority{tree["value"].integer_or(0), cached.name,
                  std::string(tree["preemptionPolicy"].string_or("PreemptLowerPriority"))};
}

// The class by name; of no name the global default, or zero.
std::optional<Priority> find_priority(Context& context, std::string_view name) {
  const auto classes = context.registry.find_resource("scheduling.k8s.io", "priorityclasses");
  if (name == "system-node-critical") return Priority{2'000'001'000, std::string(name)};
  if (name == "system-cluster-critical") return Priority{2'000'000'000, std::string(name)};
  if (!name.empty()) {
    const CachedObject* found = context.cache.find(*classes, "", name);
    return found == nullptr ? std::nullopt : read_priority(context, *found);
  }
  std::optional<Priority> chosen;
  for (const auto& [key, cached] : context.cache.all_in(*classes, "")) {
    if (!context.trees.tree_of(cached.bytes)["globalDefault"].boolean_or(false)) continue;
    const auto candidate = read_priority(context, cached);
    if (!chosen || candidate->value < chosen->value) chosen = candidate;
  }
  return chosen ? chosen : Priority{};
}

}  // namespace

Outcome<> resolve_priority(Context& context, Admission& admission) {
  const View spec = admission.object["spec"];
  const std::string_view class_name = spec["priorityClassName"].string_or("");
  const auto priority = find_priority(context, class_name);
  if (!priority) {
    return forbidden(admission.target,
                     fmt::format("no PriorityClass with name {} was found", class_name));
  }
  const View given = spec["priority"];
  if (given.is_integer() && given.integer_or(0) != priority->value) {
    return forbidden(
        admission.target,
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                    "admission controller computed {} from the given PriorityClass name",
                    given.integer_or(0), priority->value));
  }
  const std::string_view preemption = spec["preemptionPolicy"].string_or("");
  if (!preemption.empty() && preemption != priority->preemption) {
    return forbidden(
        admission.target,
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    preemption, priority->preemption));
  }
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("priority", Builder::integer(priority->value));
  if (class_name.empty() && !priority->class_name.empty()) {
    next.set("priorityClassName", builder.text(priority->class_name));
  }
  if (!spec["preemptionPolicy"]) {
    next.set("preemptionPolicy", builder.text(priority->preemption));
  }
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

void keep_priority(Admission& admission) {
  const View spec = admission.object["spec"];
  const View old = admission.old_object["spec"];
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  bool kept = false;
  for (const std::string_view field : {"priority", "preemptionPolicy"}) {
    if (spec[field] || !old[field]) continue;
    next.set(field, builder.copy(old[field]));
    kept = true;
  }
  if (!kept) return;
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

Outcome<> check_priority_class(Context& context, const Admission& admission) {
  if (!admission.object["globalDefault"].boolean_or(false)) return {};
  const auto present = find_priority(context, "");
  if (!present || present->class_name.empty()) return {};
  if (!admission.is_create() && present->class_name == admission.target.name) return {};
  return forbidden(
      admission.target,
      fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                  present->class_name));
}

}  // namespace muster::server
