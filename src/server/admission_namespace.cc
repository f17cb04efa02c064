// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "objects/schema/formats.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

bool is_known_finalizer(std::string_view name) {
  return name == "kubernetes" || name == "orphan" || name == "foregroundDeletion" ||
         name.find('/') != std::string_view::npos;
}

void check_finalizers(Admission& admission) {
  std::size_t index = 0;
  for (View finalizer : admission.object["spec"]["finalizers"].elements()) {
    const std::string place = admission.is_create() ? std::string("spec.finalizers")
                                                    : fmt::format("spec.finalizers[{}]", index++);
    for (std::string& why : objects::qualified_name_violations(finalizer.string_or(""))) {
      admission.errors.add(FieldError::invalid(place, finalizer, std::move(why)));
    }
    if (is_known_finalizer(finalizer.string_or(""))) continue;
    admission.errors.add(FieldError::invalid(
        place, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

void check_phase(Admission& admission) {
  const View phase = admission.object["status"]["phase"];
  const bool ends = objects::is_being_deleted(admission.object);
  if (phase.string_or("") == (ends ? "Terminating" : "Active")) return;
  admission.errors.add(
      FieldError::invalid("status.Phase", phase,
                          ends ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                               : "may only be 'Active' if `deletionTimestamp` is empty"));
}

// Those that were sent, and the one that the server itself holds it by.
Node held_by(Builder& builder, View given) {
  std::vector<Node> all;
  bool is_held = false;
  for (View each : given.elements()) {
    all.push_back(each.node());
    is_held = is_held || each.string_or("") == "kubernetes";
  }
  if (!is_held) all.push_back(Builder::literal("kubernetes"));
  return builder.array(all);
}

}  // namespace

// A new namespace is active, and held by the finalizer that its contents must go first.
Outcome<> admit_namespace(Admission& admission) {
  check_finalizers(admission);
  if (admission.target.is_status()) check_phase(admission);
  Builder builder;
  builder.retain(admission.object);
  builder.retain(admission.old_object);
  Rewrite root(admission.object);
  if (admission.is_create()) {
    Rewrite spec(admission.object["spec"]);
    spec.set("finalizers", held_by(builder, admission.object["spec"]["finalizers"]));
    Rewrite status(admission.object["status"]);
    status.set("phase", Builder::literal("Active"));
    root.set("spec", spec.finish(builder));
    root.set("status", status.finish(builder));
  } else if (admission.target.subresource != "finalize") {
    root.set("spec", admission.old_object["spec"].node());
  }
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

}  // namespace muster::server
