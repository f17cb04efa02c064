// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <vector>

#include "objects/convert_kueue.h"
#include "objects/convert_kueue_topology.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

// v1beta1 names where a priority comes from by one word, v1beta2 by group and kind.
struct PrioritySource {
  std::string_view source;
  std::string_view group;
  std::string_view kind;
};

constexpr std::array<PrioritySource, 2> priority_sources = {{
    {"kueue.x-k8s.io/workloadpriorityclass", "kueue.x-k8s.io", "WorkloadPriorityClass"},
    {"scheduling.k8s.io/priorityclass", "scheduling.k8s.io", "PriorityClass"},
}};

Node priority_class_ref(Builder& builder, View spec) {
  const std::string_view source = spec["priorityClassSource"].string_or("");
  for (const PrioritySource& known : priority_sources) {
    if (known.source != source) continue;
    Rewrite reference((View()));
    reference.set("group", Builder::literal(known.group));
    reference.set("kind", Builder::literal(known.kind));
    if (!spec["priorityClassName"].string_or("").empty()) {
      reference.set("name", spec["priorityClassName"].node());
    }
    return reference.finish(builder);
  }
  return {};
}

void set_priority_class_name(Rewrite& spec, View reference) {
  for (const PrioritySource& known : priority_sources) {
    if (reference["group"].string_or("") != known.group) continue;
    if (reference["kind"].string_or("") != known.kind) continue;
    if (!reference["name"].string_or("").empty()) {
      spec.set("priorityClassName", reference["name"].node());
    }
    spec.set("priorityClassSource", Builder::literal(known.source));
    return;
  }
}

// The pod sets without the one field of v1beta2 that v1beta1 has no place for.
Node pod_sets_of_v1beta1(Builder& builder, View pod_sets) {
  if (!pod_sets.is_array()) return pod_sets.node();
  std::vector<Node> result;
  result.reserve(pod_sets.size());
  for (const View pod_set : pod_sets.elements()) {
    Rewrite request(pod_set["topologyRequest"]);
    request.drop("podsetSliceRequiredTopologyConstraints");
    Rewrite changed(pod_set);
    changed.set("topologyRequest", request.finish(builder));
    result.push_back(changed.finish(builder));
  }
  return builder.array(result);
}

Node convert_spec(Builder& builder, View old, KueueConversion which) {
  Rewrite spec(old);
  if (which == KueueConversion::to_v1beta2) {
    spec.drop("priorityClassName");
    spec.drop("priorityClassSource");
    spec.set("priorityClassRef", priority_class_ref(builder, old));
  } else {
    spec.drop("priorityClassRef");
    spec.drop("preemptionGates");
    set_priority_class_name(spec, old["priorityClassRef"]);
    spec.set("podSets", pod_sets_of_v1beta1(builder, old["podSets"]));
  }
  return spec.finish(builder);
}

Result<Node> convert_assignment(Builder& builder, View old, KueueConversion which) {
  const View topology = old["topologyAssignment"];
  if (!topology.is_object()) return old.node();
  Rewrite assignment(old);
  assignment.set("topologyAssignment", which == KueueConversion::to_v1beta2
                                           ? TRY(pack_topology_assignment(builder, topology))
                                           : TRY(unpack_topology_assignment(builder, topology)));
  return assignment.finish(builder);
}

Result<Node> convert_admission(Builder& builder, View old, KueueConversion which) {
  if (!old["podSetAssignments"].is_array()) return old.node();
  std::vector<Node> assignments;
  assignments.reserve(old["podSetAssignments"].size());
  for (const View assignment : old["podSetAssignments"].elements()) {
    assignments.push_back(TRY(convert_assignment(builder, assignment, which)));
  }
  Rewrite admission(old);
  admission.set("podSetAssignments", builder.array(assignments));
  return admission.finish(builder);
}

Result<Node> convert_status(Builder& builder, View old, KueueConversion which) {
  Rewrite status(old);
  if (which == KueueConversion::to_v1beta2) {
    // v1beta1 shipped with a typing error in this name.
    status.rename("accumulatedPastExexcutionTimeSeconds", "accumulatedPastExecutionTimeSeconds");
  } else {
    status.rename("accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds");
    status.drop("preemptionGates");
  }
  status.set("admission", TRY(convert_admission(builder, old["admission"], which)));
  return status.finish(builder);
}

}  // namespace

Result<Node> convert_kueue_workload(Builder& builder, View object, KueueConversion which) {
  Rewrite root(object);
  root.set("spec", convert_spec(builder, object["spec"], which));
  root.set("status", TRY(convert_status(builder, object["status"], which)));
  return root.finish(builder);
}

}  // namespace muster::objects
