// SPDX-License-Identifier: Apache-2.0
#include "core/placement/claim_filter.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::core {

namespace {

constexpr std::string_view unreachable = "node(s) didn't match PersistentVolume's node affinity";
constexpr std::string_view no_volume = "node(s) didn't find available persistent volumes to bind";
constexpr std::string_view volume_gone =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
constexpr std::string_view pod_in_use =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";
constexpr std::string_view node_in_use =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOnce access mode already "
    "in-use on another node";

Refusal refusal(std::string_view claim, std::string_view sentence) {
  return {fmt::format("claim \"{}\"", claim), std::string(sentence)};
}

}  // namespace

ClaimFilter::ClaimFilter(const Claims& claims, std::string_view name_space, const ClaimNames& names,
                         const std::vector<std::int64_t>& pods)
    : claims_(claims) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Used used{&names[i], fmt::format("{}/{}", name_space, names[i])};
    used.claim = claims.find(used.key);
    if (objection_.empty()) look_at(used, pods[i]);
    used_.push_back(std::move(used));
  }
}

void ClaimFilter::look_at(const Used& used, std::int64_t pods) {
  const std::string& name = *used.name;
  const Claim* claim = used.claim;
  if (claim == nullptr) {
    objection_ = fmt::format("persistentvolumeclaim \"{}\" not found", name);
    return;
  }
  if (claim->is_lost) {
    objection_ =
        fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                    name, claim->volume);
    return;
  }
  if (claim->is_being_deleted) {
    objection_ = fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
    return;
  }
  if (!claim->is_bound) {
    const StorageClass* storage = claims_.find_class(claim->class_name);
    if (storage == nullptr && !claim->class_name.empty() && !claim->names_volume) {
      objection_ = fmt::format("storageclass.storage.k8s.io \"{}\" not found", claim->class_name);
      return;
    }
    if (claim->names_volume || storage == nullptr || !storage->waits_for_consumer) {
      objection_ = "pod has unbound immediate PersistentVolumeClaims";
      return;
    }
  }
  if (pods > 1 && claim->access == ClaimAccess::one_pod) {
    objection_ = fmt::format(
        "persistentvolumeclaim \"{}\" has access mode ReadWriteOncePod and {} pods use it", name,
        pods);
    return;
  }
  if (pods > 1 && claim->access == ClaimAccess::one_node) binding_.push_back(name);
}

std::optional<Refusal> ClaimFilter::refuses(NodeId node, const NodeRow& row,
                                            std::string_view name) const {
  if (!only_.is_none() && node != only_) return refusal(binding_.front(), node_in_use);
  for (const Used& used : used_) {
    if (auto found = refuses(used, node, row, name)) return found;
  }
  return std::nullopt;
}

std::optional<Refusal> ClaimFilter::refuses(const Used& used, NodeId node, const NodeRow& row,
                                            std::string_view name) const {
  const Claim& claim = *used.claim;
  const auto& users = claims_.users_of(used.key);
  if (claim.access == ClaimAccess::one_pod && !users.empty()) {
    return refusal(*used.name, pod_in_use);
  }
  if (claim.is_bound) {
    const Volume* volume = claims_.find_volume(claim.volume);
    if (volume == nullptr) return refusal(*used.name, volume_gone);
    if (!volume->is_reachable_from(row.spec.labels, name)) return refusal(*used.name, unreachable);
  } else if (!claims_.has_volume_for(claim, row.spec.labels, name)) {
    const StorageClass& storage = *claims_.find_class(claim.class_name);
    const bool is_served =
        storage.provisions &&
        (storage.topologies.empty() ||
         std::ranges::any_of(storage.topologies, [&](const NodeSelectorTerm& term) {
           return term.matches(row.spec.labels, name);
         }));
    if (!is_served) return refusal(*used.name, no_volume);
  }
  if (claim.access == ClaimAccess::one_node && !users.empty() && !users.contains(node)) {
    return refusal(*used.name, node_in_use);
  }
  return std::nullopt;
}

}  // namespace muster::core
