// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <span>
#include <vector>

#include "objects/builder.h"
#include "objects/diff.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::int64_t toleration_seconds = 300;
constexpr std::string_view node_conditions[] = {"node.kubernetes.io/not-ready",
                                                "node.kubernetes.io/unreachable"};

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

bool tolerates(View tolerations, std::string_view key) {
  for (View toleration : tolerations.elements()) {
    const std::string_view own_key = toleration["key"].string_or("");
    const std::string_view effect = toleration["effect"].string_or("");
    if ((own_key == key || own_key.empty()) && (effect == "NoExecute" || effect.empty())) {
      return true;
    }
  }
  return false;
}

Node toleration(Builder& builder, std::string_view literal_key) {
  const Node::Member members[] = {
      {Builder::literal("key"), Builder::literal(literal_key)},
      {Builder::literal("operator"), Builder::literal("Exists")},
      {Builder::literal("effect"), Builder::literal("NoExecute")},
      {Builder::literal("tolerationSeconds"), Builder::integer(toleration_seconds)}};
  return builder.object(members);
}

// Pods stay for five minutes on a node that is not well, unless they say otherwise.
Node tolerations(Builder& builder, View spec) {
  const View present = spec["tolerations"];
  std::vector<Node> all;
  for (View each : present.elements()) all.push_back(each.node());
  for (const std::string_view key : node_conditions) {
    if (!tolerates(present, key)) all.push_back(toleration(builder, key));
  }
  return builder.array(all);
}

Outcome<> complete_new_pod(Context& context, Admission& admission) {
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
  next.set("tolerations", tolerations(builder, spec));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

bool contains(View list, View element) {
  for (View each : list.elements()) {
    if (each == element) return true;
  }
  return false;
}

// The containers as they were, but with the images they have now.
Node containers_with_images(Builder& builder, View old_containers, View containers) {
  if (old_containers.size() != containers.size()) return old_containers.node();
  std::vector<Node> all;
  for (std::size_t i = 0; i < old_containers.size(); ++i) {
    Rewrite container(old_containers[i]);
    container.set("image", containers[i]["image"].node());
    all.push_back(container.finish(builder));
  }
  return all.empty() ? Node() : builder.array(all);
}

void check_tolerations(View now, View before, objects::FieldErrors& errors) {
  for (View old : before.elements()) {
    bool kept = contains(now, old);
    for (View each : now.elements()) {
      kept = kept || (each["key"] == old["key"] && each["operator"] == old["operator"] &&
                      each["value"] == old["value"] && each["effect"] == old["effect"]);
    }
    if (!kept) {
      errors.add(FieldError::forbidden(
          "spec.tolerations",
          "existing toleration can not be modified except its tolerationSeconds"));
      return;
    }
  }
}

void check_gates(View now, View before, objects::FieldErrors& errors) {
  for (View gate : now.elements()) {
    if (contains(before, gate)) continue;
    errors.add(FieldError::forbidden(
        "spec.schedulingGates",
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                    gate["name"].string_or(""))));
  }
}

void check_deadline(View now, View before, objects::FieldErrors& errors) {
  if (now == before) return;
  const bool lowered = now.is_integer() && (!before || now.integer_or(0) <= before.integer_or(0));
  if (lowered) return;
  errors.add(FieldError::invalid("spec.activeDeadlineSeconds", now,
                                 now ? "must be less than or equal to previous value"
                                     : "must not update from a positive integer to nil value"));
}

// The old spec with everything that may change as it is now: whatever still differs may not.
Value allowed_spec(const Admission& admission) {
  const View now = admission.object["spec"];
  const View before = admission.old_object["spec"];
  Builder builder;
  builder.retain(admission.object);
  builder.retain(admission.old_object);
  Rewrite spec(before);
  for (const std::string_view field : {"containers", "initContainers"}) {
    spec.set(field, containers_with_images(builder, before[field], now[field]));
  }
  for (const std::string_view field : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    spec.set(field, now[field].node());
  }
  if (!before["schedulingGates"].empty()) {
    for (const std::string_view field : {"nodeSelector", "affinity"}) {
      spec.set(field, now[field].node());
    }
  }
  const Node node = spec.finish(builder);
  return std::move(builder).finish(node);
}

void check_pod_update(Admission& admission) {
  const View now = admission.object["spec"];
  const View before = admission.old_object["spec"];
  if (now == before) return;
  check_tolerations(now["tolerations"], before["tolerations"], admission.errors);
  check_gates(now["schedulingGates"], before["schedulingGates"], admission.errors);
  check_deadline(now["activeDeadlineSeconds"], before["activeDeadlineSeconds"], admission.errors);
  const Value allowed = allowed_spec(admission);
  if (now == allowed.view()) return;
  std::string text =
      "pod updates may not change fields other than `spec.containers[*].image`,"
      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
      "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
      "set to 1 if it was previously negative)";
  for (const objects::Difference& difference : objects::diff(allowed, now, 10)) {
    text += "\n" + difference.to_string();
  }
  admission.errors.add(FieldError::forbidden("spec", std::move(text)));
}

}  // namespace

Outcome<> admit_pod(Context& context, Admission& admission) {
  if (admission.is_create()) return complete_new_pod(context, admission);
  if (!admission.target.is_status()) check_pod_update(admission);
  return {};
}

}  // namespace muster::server
