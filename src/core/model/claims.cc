// SPDX-License-Identifier: Apache-2.0
#include "core/model/claims.h"

#include <algorithm>

#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

constexpr std::string_view bind_completed = "pv.kubernetes.io/bind-completed";
constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

std::vector<std::string> read_modes(View modes) {
  std::vector<std::string> read;
  for (const View mode : modes.elements()) read.emplace_back(mode.string_or(""));
  return read;
}

bool has(const std::vector<std::string>& modes, std::string_view mode) {
  return std::ranges::find(modes, mode) != modes.end();
}

ClaimAccess access_of(const std::vector<std::string>& modes) {
  if (has(modes, "ReadWriteOncePod")) return ClaimAccess::one_pod;
  if (has(modes, "ReadWriteMany") || has(modes, "ReadOnlyMany")) return ClaimAccess::many_nodes;
  return has(modes, "ReadWriteOnce") ? ClaimAccess::one_node : ClaimAccess::many_nodes;
}

Quantity read_quantity(View text) {
  return Quantity::parse(text.string_or("0")).value_or(Quantity());
}

// A topology of a class names labels and their values, as an affinity does.
NodeSelectorTerm read_topology_term(View term) {
  NodeSelectorTerm read;
  for (const View expression : term["matchLabelExpressions"].elements()) {
    objects::LabelRequirement& requirement = read.labels.emplace_back();
    requirement.key = expression["key"].string_or("");
    requirement.operation = objects::LabelOperator::in;
    for (const View value : expression["values"].elements()) {
      requirement.values.emplace_back(value.string_or(""));
    }
    std::ranges::sort(requirement.values);
  }
  return read;
}

StorageClass read_class(View object) {
  StorageClass read;
  read.waits_for_consumer =
      object["volumeBindingMode"].string_or("Immediate") == "WaitForFirstConsumer";
  const std::string_view provisioner = object["provisioner"].string_or("");
  read.provisions = !provisioner.empty() && provisioner != no_provisioner;
  for (const View term : object["allowedTopologies"].elements()) {
    read.topologies.push_back(read_topology_term(term));
  }
  return read;
}

template <class Map>
const typename Map::mapped_type* find_in(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

ClaimNames read_claim_names(View pod_spec) {
  ClaimNames names;
  for (const View volume : pod_spec["volumes"].elements()) {
    const std::string_view name = volume["persistentVolumeClaim"]["claimName"].string_or("");
    if (!name.empty()) names.emplace_back(name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Claim read_claim(View object) {
  const View spec = object["spec"];
  Claim claim;
  claim.modes = read_modes(spec["accessModes"]);
  claim.access = access_of(claim.modes);
  claim.volume = spec["volumeName"].string_or("");
  claim.names_volume = !claim.volume.empty();
  claim.is_bound =
      claim.names_volume && objects::annotations_of(object)[bind_completed].is_string();
  claim.is_lost = object["status"]["phase"].string_or("") == "Lost";
  claim.is_being_deleted = objects::is_being_deleted(object);
  claim.class_name = spec["storageClassName"].string_or("");
  claim.mode = spec["volumeMode"].string_or("Filesystem");
  claim.selector = read_labels(spec["selector"]["matchLabels"]);
  claim.request = read_quantity(spec["resources"]["requests"]["storage"]);
  return claim;
}

Volume read_volume(View object) {
  const View spec = object["spec"];
  const std::string_view phase = object["status"]["phase"].string_or("Available");
  Volume volume;
  volume.is_available = !spec["claimRef"] && !objects::is_being_deleted(object) &&
                        (phase == "Available" || phase == "Pending");
  volume.class_name = spec["storageClassName"].string_or("");
  volume.mode = spec["volumeMode"].string_or("Filesystem");
  volume.modes = read_modes(spec["accessModes"]);
  volume.labels = read_labels(objects::labels_of(object));
  volume.capacity = read_quantity(spec["capacity"]["storage"]);
  volume.has_affinity = spec["nodeAffinity"]["required"].is_object();
  for (const View term : spec["nodeAffinity"]["required"]["nodeSelectorTerms"].elements()) {
    volume.affinity.push_back(read_node_selector_term(term));
  }
  return volume;
}

bool Volume::is_reachable_from(const Labels& node_labels, std::string_view node_name) const {
  return !has_affinity || std::ranges::any_of(affinity, [&](const NodeSelectorTerm& term) {
    return term.matches(node_labels, node_name);
  });
}

bool Volume::suits(const Claim& claim) const {
  return is_available && class_name == claim.class_name && mode == claim.mode &&
         !(capacity < claim.request) &&
         std::ranges::all_of(claim.modes,
                             [&](const std::string& each) { return has(modes, each); }) &&
         std::ranges::all_of(claim.selector, [&](const auto& wanted) {
           return find_label(labels, wanted.first) == std::string_view(wanted.second);
         });
}

bool Claims::show_claim(std::string_view key, View object) {
  const auto known = claims_.find(key);
  if (!object) {
    if (known != claims_.end()) claims_.erase(known);
    return false;
  }
  Claim read = read_claim(object);
  if (known != claims_.end() && known->second == read) return false;
  claims_.insert_or_assign(std::string(key), std::move(read));
  return true;
}

bool Claims::show_volume(std::string_view name, View object) {
  if (!object) {
    const auto known = volumes_.find(name);
    if (known != volumes_.end()) volumes_.erase(known);
    return false;
  }
  volumes_.insert_or_assign(std::string(name), read_volume(object));
  return true;
}

bool Claims::show_class(std::string_view name, View object) {
  if (!object) {
    const auto known = classes_.find(name);
    if (known != classes_.end()) classes_.erase(known);
    return false;
  }
  classes_.insert_or_assign(std::string(name), read_class(object));
  return true;
}

void Claims::use(const std::string& key, NodeId node, std::int64_t change) {
  if (change == 0) return;
  auto& nodes = users_[key];
  std::int64_t& count = nodes[node];
  count += change;
  if (count == 0) nodes.erase(node);
  if (nodes.empty()) users_.erase(key);
}

const Claim* Claims::find(std::string_view key) const {
  return find_in(claims_, key);
}

const Volume* Claims::find_volume(std::string_view name) const {
  return find_in(volumes_, name);
}

const StorageClass* Claims::find_class(std::string_view name) const {
  return find_in(classes_, name);
}

const std::map<NodeId, std::int64_t>& Claims::users_of(std::string_view key) const {
  static const std::map<NodeId, std::int64_t> nobody;
  const auto* found = find_in(users_, key);
  return found == nullptr ? nobody : *found;
}

bool Claims::has_volume_for(const Claim& claim, const Labels& node_labels,
                            std::string_view node_name) const {
  return std::ranges::any_of(volumes_, [&](const auto& entry) {
    return entry.second.suits(claim) && entry.second.is_reachable_from(node_labels, node_name);
  });
}

}  // namespace muster::core
