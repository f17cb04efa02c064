// SPDX-License-Identifier: Apache-2.0
#include "agent/claim_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "core/model/claims.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;
using Kind = ClaimStep::Kind;

constexpr std::string_view bind_completed = "pv.kubernetes.io/bind-completed";
constexpr std::string_view bound_by_controller = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view provisioned_by = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

Value set(const Value& root, std::initializer_list<objects::Step> path, const Value& value) {
  auto next = objects::with(root, path, value);
  return next ? std::move(*next) : root;
}

Value reference_to(View claim) {
  return Value::object({{"apiVersion", Value::string("v1")},
                        {"kind", Value::string("PersistentVolumeClaim")},
                        {"name", Value::string(objects::name_of(claim))},
                        {"namespace", Value::string(objects::namespace_of(claim))},
                        {"resourceVersion", Value::string(objects::resource_version_of(claim))},
                        {"uid", Value::string(objects::uid_of(claim))}});
}

bool is_reference_to(View reference, View claim) {
  return reference["name"].string_or("") == objects::name_of(claim) &&
         reference["namespace"].string_or("") == objects::namespace_of(claim);
}

Quantity quantity_of(View text) {
  return Quantity::parse(text.string_or("0")).value_or(Quantity());
}

bool waits_for_consumer(const ClaimWorld& world) {
  return world.storage_class["volumeBindingMode"].string_or("Immediate") == "WaitForFirstConsumer";
}

// A claim that waits for its first pod gets a volume that the pod's node reaches.
bool may_have(const core::Claim& claim, const core::Volume& volume, const ClaimWorld& world) {
  if (!volume.suits(claim)) return false;
  return !waits_for_consumer(world) ||
         volume.is_reachable_from(core::read_labels(world.node_labels), world.consumer_node);
}

// The one that it names or that is meant for it; else the smallest that fits, the first by name.
Value volume_for(View claim, const ClaimWorld& world) {
  const std::vector<Value>& volumes = world.volumes;
  const bool may_choose = !waits_for_consumer(world) || !world.consumer_node.empty();
  const std::string_view named = claim["spec"]["volumeName"].string_or("");
  const core::Claim wanted = core::read_claim(claim);
  Value best;
  for (const Value& each : volumes) {
    if (!named.empty()) {
      if (objects::name_of(each) == named) return each;
      continue;
    }
    const View reference = each["spec"]["claimRef"];
    const std::string_view uid = reference["uid"].string_or("");
    if (reference && is_reference_to(reference, claim) &&
        (uid.empty() || uid == objects::uid_of(claim))) {
      return each;
    }
    if (!may_choose || !may_have(wanted, core::read_volume(each), world)) continue;
    const bool is_smaller =
        best.is_absent() || quantity_of(each["spec"]["capacity"]["storage"]) <
                                quantity_of(best["spec"]["capacity"]["storage"]);
    if (is_smaller) best = each;
  }
  return best;
}

ClaimStep bind(const Value& claim, const Value& volume) {
  const View reference = volume["spec"]["claimRef"];
  if (reference && !is_reference_to(reference, claim)) {
    return {.is_warning = true,
            .reason = "FailedBinding",
            .message = fmt::format("volume \"{}\" already bound to a different claim.",
                                   objects::name_of(volume))};
  }
  if (reference["uid"].string_or("") != objects::uid_of(claim)) {
    Value next =
        set(volume, {std::string_view("spec"), std::string_view("claimRef")}, reference_to(claim));
    next = set(next,
               {std::string_view("metadata"), std::string_view("annotations"), bound_by_controller},
               Value::string("yes"));
    return {.kind = Kind::update_volume, .object = std::move(next)};
  }
  if (volume["status"]["phase"].string_or("") != "Bound") {
    return {.kind = Kind::update_volume_status,
            .object = set(volume, {std::string_view("status"), std::string_view("phase")},
                          Value::string("Bound"))};
  }
  const View annotations = objects::annotations_of(claim);
  const bool is_named = !claim["spec"]["volumeName"].string_or("").empty();
  if (!is_named || !annotations[bind_completed]) {
    Value next = set(claim, {std::string_view("spec"), std::string_view("volumeName")},
                     Value::string(objects::name_of(volume)));
    for (const std::string_view key : {bind_completed, bound_by_controller}) {
      if (key == bound_by_controller && is_named) continue;
      next = set(next, {std::string_view("metadata"), std::string_view("annotations"), key},
                 Value::string("yes"));
    }
    return {.kind = Kind::update_claim, .object = std::move(next)};
  }
  const View modes = volume["spec"]["accessModes"];
  const View capacity = volume["spec"]["capacity"];
  Value next =
      set(claim, {std::string_view("status"), std::string_view("phase")}, Value::string("Bound"));
  next =
      set(next, {std::string_view("status"), std::string_view("accessModes")}, volume.part(modes));
  next =
      set(next, {std::string_view("status"), std::string_view("capacity")}, volume.part(capacity));
  return {.kind = Kind::update_claim_status, .object = std::move(next)};
}

bool is_shared(View claim) {
  for (View mode : claim["spec"]["accessModes"].elements()) {
    if (mode.string_or("") == "ReadWriteMany" || mode.string_or("") == "ReadOnlyMany") return true;
  }
  return false;
}

// A folder that one node may write belongs to that node.
Value made_volume(const Value& claim, const ClaimWorld& world) {
  const std::string name = fmt::format("pvc-{}", objects::uid_of(claim));
  const View requests = claim["spec"]["resources"]["requests"];
  const std::string_view policy = world.storage_class["reclaimPolicy"].string_or("Delete");
  Value volume = Value::object(
      {{"apiVersion", Value::string("v1")},
       {"kind", Value::string("PersistentVolume")},
       {"metadata", Value::object({{"name", Value::string(name)}})},
       {"spec", Value::object(
                    {{"accessModes", claim.part(claim["spec"]["accessModes"])},
                     {"capacity", Value::object({{"storage", claim.part(requests["storage"])}})},
                     {"claimRef", reference_to(claim)},
                     {"persistentVolumeReclaimPolicy", Value::string(policy)},
                     {"storageClassName", claim.part(claim["spec"]["storageClassName"])},
                     {"volumeMode", Value::string("Filesystem")},
                     {"hostPath",
                      Value::object(
                          {{"path", Value::string(fmt::format("{}/{}", world.claims_folder, name))},
                           {"type", Value::string("DirectoryOrCreate")}})}})}});
  volume =
      set(volume, {std::string_view("metadata"), std::string_view("annotations"), provisioned_by},
          Value::string(local_provisioner));
  if (is_shared(claim) || world.consumer_node.empty()) return volume;
  const Value match =
      Value::object({{"key", Value::string("kubernetes.io/hostname")},
                     {"operator", Value::string("In")},
                     {"values", Value::array({Value::string(world.consumer_node)})}});
  const Value term = Value::object({{"matchExpressions", Value::array({match})}});
  return set(volume,
             {std::string_view("spec"), std::string_view("nodeAffinity"),
              std::string_view("required"), std::string_view("nodeSelectorTerms")},
             Value::array({term}));
}

ClaimStep provision(const Value& claim, const ClaimWorld& world) {
  const std::string class_name(claim["spec"]["storageClassName"].string_or(""));
  if (class_name.empty()) {
    return {
        .reason = "FailedBinding",
        .message = "no persistent volumes available for this claim and no storage class is set"};
  }
  if (world.storage_class.is_absent()) {
    return {.is_warning = true,
            .reason = "ProvisioningFailed",
            .message = fmt::format("storageclass.storage.k8s.io \"{}\" not found", class_name)};
  }
  if (waits_for_consumer(world) && world.consumer_node.empty()) {
    return {.reason = "WaitForFirstConsumer",
            .message = "waiting for first consumer to be created before binding"};
  }
  const std::string_view provisioner = world.storage_class["provisioner"].string_or("");
  if (provisioner == no_provisioner) {
    return {.reason = "FailedBinding",
            .message =
                "no persistent volumes available for this claim and its storage class makes "
                "none"};
  }
  if (provisioner != local_provisioner) {
    return {.reason = "ExternalProvisioning",
            .message = fmt::format(
                "Waiting for a volume to be created either by the external provisioner '{}' or "
                "manually by the system administrator. If volume creation is delayed, please "
                "verify that the provisioner is running and correctly registered.",
                provisioner)};
  }
  Value volume = made_volume(claim, world);
  std::string message = fmt::format("Successfully provisioned volume {}", objects::name_of(volume));
  return {.kind = Kind::make_volume,
          .object = std::move(volume),
          .reason = "ProvisioningSucceeded",
          .message = std::move(message)};
}

}  // namespace

ClaimStep step_of_claim(const Value& claim, const ClaimWorld& world) {
  if (objects::is_being_deleted(claim)) return {};
  const std::string_view phase = claim["status"]["phase"].string_or("");
  const Value volume = volume_for(claim, world);
  if (phase == "Bound" || phase == "Lost") {
    if (!volume.is_absent() || phase == "Lost") return {};
    return {.kind = Kind::update_claim_status,
            .object = set(claim, {std::string_view("status"), std::string_view("phase")},
                          Value::string("Lost")),
            .is_warning = true,
            .reason = "ClaimLost",
            .message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"};
  }
  if (!volume.is_absent()) return bind(claim, volume);
  if (!claim["spec"]["volumeName"].string_or("").empty()) {
    return {.reason = "FailedBinding",
            .message =
                fmt::format("volume \"{}\" not found", claim["spec"]["volumeName"].string_or(""))};
  }
  return provision(claim, world);
}

ClaimStep step_of_volume(const Value& volume, const Value& claim) {
  if (objects::is_being_deleted(volume)) return {};
  const std::string_view phase = volume["status"]["phase"].string_or("Pending");
  const auto to_phase = [&](std::string_view next) {
    return ClaimStep{.kind = Kind::update_volume_status,
                     .object = set(volume, {std::string_view("status"), std::string_view("phase")},
                                   Value::string(next))};
  };
  const View reference = volume["spec"]["claimRef"];
  const std::string_view uid = reference["uid"].string_or("");
  if (!reference || uid.empty()) {
    return phase == "Available" ? ClaimStep{} : to_phase("Available");
  }
  if (!claim.is_absent() && objects::uid_of(claim) == uid) return {};
  if (phase == "Bound") return to_phase("Released");
  const bool is_ours =
      objects::annotations_of(volume)[provisioned_by].string_or("") == local_provisioner;
  const std::string_view policy =
      volume["spec"]["persistentVolumeReclaimPolicy"].string_or("Retain");
  if (phase != "Released" || !is_ours || policy != "Delete") return {};
  return {.kind = Kind::remove_volume, .object = volume};
}

Value default_class() {
  return Value::object(
      {{"apiVersion", Value::string("storage.k8s.io/v1")},
       {"kind", Value::string("StorageClass")},
       {"metadata", Value::object({{"name", Value::string(default_class_name)},
                                   {"annotations",
                                    Value::object({{"storageclass.kubernetes.io/is-default-class",
                                                    Value::string("true")}})}})},
       {"provisioner", Value::string(local_provisioner)},
       {"reclaimPolicy", Value::string("Delete")},
       {"volumeBindingMode", Value::string("WaitForFirstConsumer")}});
}

Value ephemeral_claim(const Value& pod, View volume) {
  const View given = volume["ephemeral"]["volumeClaimTemplate"];
  const Value owner = Value::object({{"apiVersion", Value::string("v1")},
                                     {"kind", Value::string("Pod")},
                                     {"name", Value::string(objects::name_of(pod))},
                                     {"uid", Value::string(objects::uid_of(pod))},
                                     {"controller", Value::boolean(true)},
                                     {"blockOwnerDeletion", Value::boolean(true)}});
  Value metadata = given["metadata"].is_object() ? pod.part(given["metadata"]) : Value::object({});
  metadata =
      set(metadata, {std::string_view("name")},
          Value::string(fmt::format("{}-{}", objects::name_of(pod), volume["name"].string_or(""))));
  metadata = set(metadata, {std::string_view("ownerReferences")}, Value::array({owner}));
  return Value::object({{"apiVersion", Value::string("v1")},
                        {"kind", Value::string("PersistentVolumeClaim")},
                        {"metadata", metadata},
                        {"spec", pod.part(given["spec"])}});
}

}  // namespace muster::agent
