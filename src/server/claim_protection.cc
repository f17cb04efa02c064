// SPDX-License-Identifier: Apache-2.0
#include "server/claim_protection.h"

#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/write.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view writer = "system:muster:claim-protection";

// The finalizer of a kind; empty for kinds that are not protected.
std::string_view finalizer_of(const objects::Kind& kind) {
  if (!kind.group.empty()) return {};
  if (kind.plural == "persistentvolumeclaims") return "kubernetes.io/pvc-protection";
  if (kind.plural == "persistentvolumes") return "kubernetes.io/pv-protection";
  return {};
}

bool is_pod(const CachedObject& object) {
  return object.kind->group.empty() && object.kind->plural == "pods";
}

bool has(View finalizers, std::string_view wanted) {
  for (View each : finalizers.elements()) {
    if (each.string_or("") == wanted) return true;
  }
  return false;
}

bool has_ended(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

// The claim of a volume; one that was made for the pod alone bears both their names.
std::string claim_of(View pod, View volume) {
  if (volume["ephemeral"].is_object()) {
    return std::string(objects::name_of(pod)) + "-" + std::string(volume["name"].string_or(""));
  }
  return std::string(volume["persistentVolumeClaim"]["claimName"].string_or(""));
}

}  // namespace

void protect_storage(Admission& admission) {
  const std::string_view finalizer = finalizer_of(*admission.target.kind);
  if (finalizer.empty() || !admission.is_create() || !admission.target.subresource.empty()) return;
  const View present = admission.object["metadata"]["finalizers"];
  if (has(present, finalizer)) return;
  Builder builder;
  builder.retain(admission.object);
  std::vector<Node> finalizers;
  for (View each : present.elements()) finalizers.push_back(each.node());
  finalizers.push_back(builder.text(finalizer));
  Rewrite metadata(admission.object["metadata"]);
  metadata.set("finalizers", builder.array(finalizers));
  Rewrite root(admission.object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

void ClaimProtection::start() {
  for (const std::string_view plural : {"persistentvolumeclaims", "persistentvolumes"}) {
    const auto kind = context_.registry.find_resource("", plural);
    if (kind == nullptr) continue;
    for (const auto& [key, cached] : context_.cache.all_in(*kind, "")) look_at(cached);
  }
}

void ClaimProtection::on_change(const CacheChange& change) {
  if (change.now != nullptr) look_at(*change.now);
  // A pod that goes or ends may free what is waiting; which claims it had, the turn finds out.
  const CachedObject& object = change.now != nullptr ? *change.now : *change.before;
  if (!is_pod(object) || uids_waiting_.empty()) return;
  const bool ends = change.now == nullptr || has_ended(context_.trees.tree_of(object.bytes));
  if (!ends) return;
  uids_.insert(uids_waiting_.begin(), uids_waiting_.end());
  post_turn();
}

void ClaimProtection::look_at(const CachedObject& object) {
  if (!object.is_being_deleted || !object.has_finalizers) return;
  if (finalizer_of(*object.kind).empty()) return;
  uids_.insert(object.uid);
  post_turn();
}

void ClaimProtection::post_turn() {
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) turn();
  });
}

void ClaimProtection::turn() {
  turn_posted_ = false;
  context_.cache.catch_up();
  for (const std::string& uid : std::exchange(uids_, {})) {
    uids_waiting_.erase(uid);
    const CachedObject* object = context_.cache.find_uid(uid);
    if (object == nullptr || !object->is_being_deleted) continue;
    if (is_used(*object)) {
      uids_waiting_.insert(uid);
    } else {
      release(*object);
    }
  }
}

bool ClaimProtection::is_used(const CachedObject& object) const {
  if (object.kind->plural == "persistentvolumeclaims") {
    return pods_use(object.name_space, object.name);
  }
  const Value volume = context_.trees.tree_of(object.bytes);
  return volume["status"]["phase"].string_or("") == "Bound";
}

bool ClaimProtection::pods_use(std::string_view name_space, std::string_view claim) const {
  const auto pods = context_.registry.find_resource("", "pods");
  for (const auto& [key, cached] : context_.cache.all_in(*pods, name_space)) {
    const Value pod = context_.trees.tree_of(cached.bytes);
    // Who has no node yet has not opened it.
    if (has_ended(pod) || pod["spec"]["nodeName"].string_or("").empty()) continue;
    for (View volume : pod["spec"]["volumes"].elements()) {
      if (claim_of(pod, volume) == claim) return true;
    }
  }
  return false;
}

void ClaimProtection::release(const CachedObject& object) {
  const std::string_view finalizer = finalizer_of(*object.kind);
  const Value tree = context_.trees.tree_of(object.bytes);
  const View present = tree["metadata"]["finalizers"];
  if (!has(present, finalizer)) return;
  Builder builder;
  std::vector<Node> kept;
  for (View each : present.elements()) {
    if (each.string_or("") != finalizer) kept.push_back(builder.copy(each));
  }
  const Node::Member inner[] = {
      {Builder::literal("uid"), builder.text(object.uid)},
      {Builder::literal("finalizers"), kept.empty() ? Builder::null() : builder.array(kept)}};
  const Node::Member outer[] = {{Builder::literal("metadata"), builder.object(inner)}};
  const Node node = builder.object(outer);
  const auto kind = context_.registry.find_resource(object.kind->group, object.kind->plural);
  patch(context_,
        {.target = {.kind = kind,
                    .version = &kind->storage_version(),
                    .name_space = object.name_space,
                    .name = object.name},
         .body = std::move(builder).finish(node),
         .identity = {.name = std::string(writer)}},
        objects::PatchType::merge, [log = context_.log](const Outcome<Written>& written) {
          if (!written) log.warning("claim not released", {{"why", written.error().message}});
        });
}

}  // namespace muster::server
