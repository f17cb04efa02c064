// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view class_annotation = "volume.beta.kubernetes.io/storage-class";

bool is_default(View storage_class) {
  const View annotations = objects::annotations_of(storage_class);
  for (const std::string_view key : {"storageclass.kubernetes.io/is-default-class",
                                     "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (annotations[key].string_or("") == "true") return true;
  }
  return false;
}

bool is_default_ingress(View ingress_class) {
  return objects::annotations_of(ingress_class)["ingressclass.kubernetes.io/is-default-class"]
             .string_or("") == "true";
}

// The newest of those that are marked; of two of one second the first by name.
std::string default_class(Context& context, std::string_view group, std::string_view plural,
                          bool (*is_default)(View)) {
  const auto kind = context.registry.find_resource(group, plural);
  if (kind == nullptr) return {};
  std::string name;
  std::string since;
  for (const auto& [key, cached] : context.cache.all_in(*kind, "")) {
    const Value tree = context.trees.tree_of(cached.bytes);
    if (!is_default(tree)) continue;
    const std::string_view created = tree["metadata"]["creationTimestamp"].string_or("");
    if (!name.empty() && created <= since) continue;
    name = cached.name;
    since = created;
  }
  return name;
}

}  // namespace

namespace {

bool is_claim_or_snapshot(View source) {
  const std::string_view kind = source["kind"].string_or("");
  const std::string_view group = source["apiGroup"].string_or("");
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

// A source is said in both fields, the older and the newer one.
void settle_sources(Admission& admission) {
  const View spec = admission.object["spec"];
  View reference = spec["dataSourceRef"];
  View source = spec["dataSource"];
  if (!source && !reference) return;
  if (!reference["namespace"].string_or("").empty()) reference = View();
  if (!reference && !is_claim_or_snapshot(source)) source = View();
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("dataSource", (source ? source : reference).node());
  next.set("dataSourceRef", (reference ? reference : source).node());
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

}  // namespace

void give_storage_class(Context& context, Admission& admission) {
  settle_sources(admission);
  const View spec = admission.object["spec"];
  if (spec["storageClassName"].is_string()) return;
  if (objects::annotations_of(admission.object)[class_annotation]) return;
  const std::string name = default_class(context, "storage.k8s.io", "storageclasses", is_default);
  if (name.empty()) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("storageClassName", builder.text(name));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

void give_ingress_class(Context& context, Admission& admission) {
  const View spec = admission.object["spec"];
  if (spec["ingressClassName"].is_string()) return;
  if (objects::annotations_of(admission.object)["kubernetes.io/ingress.class"]) {
    admission.warnings.emplace_back(
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
        "'spec.ingressClassName' instead");
    return;
  }
  const std::string name =
      default_class(context, "networking.k8s.io", "ingressclasses", is_default_ingress);
  if (name.empty()) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  next.set("ingressClassName", builder.text(name));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

// Where a driver gets tokens, and does not say that it expects them among secrets.
void warn_of_tokens(Admission& admission) {
  const View spec = admission.object["spec"];
  const View before = admission.old_object["spec"];
  if (spec["tokenRequests"].empty() || spec["serviceAccountTokenInSecrets"]) return;
  if (spec["tokenRequests"] == before["tokenRequests"]) return;
  admission.warnings.emplace_back(
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
      "prevent possible logging of tokens in volume attributes");
}

void stamp_volume(Context& context, Admission& admission) {
  Builder builder;
  builder.retain(admission.object);
  Rewrite status(admission.object["status"]);
  status.set("lastPhaseTransitionTime",
             builder.text(format_time(Timestamp::of(context.clock.wall()))));
  Rewrite root(admission.object);
  root.set("status", status.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

}  // namespace muster::server
