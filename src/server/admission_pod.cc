// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "objects/admit.h"
#include "objects/builder.h"
#include "objects/diff.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "objects/schema/error_order.h"
#include "objects/schema/formats.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

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
  std::size_t index = 0;
  for (View gate : now.elements()) {
    const std::string place = fmt::format("spec.schedulingGates[{}].name", index++);
    if (contains(before, gate)) continue;
    errors.add(FieldError::forbidden(
        place, fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                           gate["name"].string_or(""))));
  }
}

// Whether there is more to look at.
bool check_deadline(View now, View before, objects::FieldErrors& errors) {
  if (now == before) return true;
  const std::int64_t seconds = now.integer_or(0);
  if (seconds < 0 || seconds > std::numeric_limits<std::int32_t>::max()) {
    errors.add(FieldError::invalid("spec.activeDeadlineSeconds", now,
                                   "must be between 0 and 2147483647, inclusive"));
    return false;
  }
  const bool lowered = now.is_integer() && (!before || now.integer_or(0) <= before.integer_or(0));
  if (lowered) return true;
  errors.add(FieldError::invalid("spec.activeDeadlineSeconds", now,
                                 now ? "must be less than or equal to previous value"
                                     : "must not update from a positive integer to nil value"));
  return false;
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
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (now[list].size() == before[list].size()) continue;
    admission.errors.add(FieldError::forbidden(fmt::format("spec.{}", list),
                                               "pod updates may not add or remove "
                                               "containers"));
    return;
  }
  check_tolerations(now["tolerations"], before["tolerations"], admission.errors);
  check_gates(now["schedulingGates"], before["schedulingGates"], admission.errors);
  if (!check_deadline(now["activeDeadlineSeconds"], before["activeDeadlineSeconds"],
                      admission.errors)) {
    return;
  }
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
  FieldError error = FieldError::forbidden("spec", std::move(text));
  error.pass = objects::error_pass_of_changes;
  admission.errors.add(std::move(error));
}

void check_text(Admission& admission, const std::string& path, View text, objects::Format format) {
  for (std::string& why : objects::native_violations(format, text.string_or(""))) {
    admission.errors.add(FieldError::invalid(path, text, std::move(why)));
  }
}

// What a node reports must make sense.
void check_status(Admission& admission) {
  const View status = admission.object["status"];
  if (!status["nominatedNodeName"].string_or("").empty()) {
    check_text(admission, "status.nominatedNodeName", status["nominatedNodeName"],
               objects::Format::dns_subdomain);
  }
  std::size_t index = 0;
  for (View address : status["podIPs"].elements()) {
    check_text(admission, fmt::format("status.podIPs[{}]", index++), address["ip"],
               objects::Format::ip);
  }
  index = 0;
  for (View condition : status["conditions"].elements()) {
    check_text(admission, fmt::format("status.conditions[{}].Type", index++), condition["type"],
               objects::Format::qualified_name);
  }
}

// Containers that were put into a running pod stay as they are.
void check_ephemeral_update(Admission& admission) {
  const View now = admission.object["spec"]["ephemeralContainers"];
  for (View old : admission.old_object["spec"]["ephemeralContainers"].elements()) {
    const std::string name = objects::go_quoted(old["name"].string_or(""));
    View same;
    for (View each : now.elements()) {
      if (each["name"] == old["name"]) same = each;
    }
    if (!same) {
      admission.errors.add(FieldError::forbidden(
          "spec.ephemeralContainers",
          fmt::format("existing ephemeral containers {} may not be removed\n", name)));
    } else if (!(same == old)) {
      admission.errors.add(FieldError::forbidden(
          "spec.ephemeralContainers",
          fmt::format("existing ephemeral containers {} may not be changed\n", name)));
    }
  }
}

// A pod with gates says from the beginning why it is not scheduled.
Value with_gated_condition(const Value& pod, Instant now) {
  return objects::with_condition(
      pod,
      {.type = "PodScheduled",
       .status = "False",
       .reason = "SchedulingGated",
       .message = "Scheduling is blocked due to non-empty scheduling gates"},
      now);
}

// A grace that cannot be is the shortest one.
void mend_grace(Admission& admission) {
  const View spec = admission.object["spec"];
  if (spec["terminationGracePeriodSeconds"].integer_or(0) >= 0) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("terminationGracePeriodSeconds", Builder::integer(1));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

void check_new_pod(Context& context, Admission& admission) {
  mend_grace(admission);
  const View spec = admission.object["spec"];
  if (!spec["ephemeralContainers"].empty()) {
    admission.errors.add(
        FieldError::forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (spec["schedulingGates"].empty()) return;
  if (!spec["nodeName"].string_or("").empty()) {
    admission.errors.add(FieldError::forbidden(
        "spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  const auto& schema = admission.target.kind->storage_version().schema;
  admission.object =
      objects::apply_defaults(schema, with_gated_condition(admission.object, context.clock.wall()));
}

}  // namespace

Outcome<> admit_pod(Context& context, Admission& admission) {
  if (admission.is_create()) {
    queue_pod(context, admission);
    check_new_pod(context, admission);
  } else if (admission.target.subresource == "ephemeralcontainers") {
    check_ephemeral_update(admission);
  } else if (admission.target.subresource == "resize") {
    check_pod_resize(admission);
  } else if (admission.target.is_status()) {
    check_status(admission);
  } else if (admission.target.subresource.empty()) {
    check_pod_update(admission);
    queue_pod(context, admission);
  }
  return {};
}

}  // namespace muster::server
