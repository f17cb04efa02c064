// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "objects/metadata.h"
#include "server/cells_table.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::View;

namespace {

constexpr std::string_view none_text = "<none>";
constexpr std::string_view unset_text = "<unset>";

// Volumes and claims.

std::string access_modes(View modes) {
  struct Mode {
    std::string_view name;
    std::string_view letters;
  };
  constexpr Mode known[] = {{"ReadWriteOnce", "RWO"},
                            {"ReadOnlyMany", "ROX"},
                            {"ReadWriteMany", "RWX"},
                            {"ReadWriteOncePod", "RWOP"}};
  std::string all;
  for (const Mode& mode : known) {
    bool has = false;
    for (View each : modes.elements()) has = has || each.string_or("") == mode.name;
    if (!has) continue;
    if (!all.empty()) all += ',';
    all += mode.letters;
  }
  return all;
}

Node volume_capacity(View volume, const CellContext& context) {
  return cell_text(context, volume["spec"]["capacity"]["storage"].string_or("0"));
}

Node volume_access_modes(View volume, const CellContext& context) {
  return cell_text(context, access_modes(volume["spec"]["accessModes"]));
}

Node volume_status(View object, const CellContext& context) {
  if (objects::is_being_deleted(object)) return cell_text(context, "Terminating");
  return cell_text(context, object["status"]["phase"].string_or(""));
}

Node volume_claim(View volume, const CellContext& context) {
  const View claim = volume["spec"]["claimRef"];
  if (!claim) return cell_text(context, "");
  std::string text(claim["namespace"].string_or(""));
  text += '/';
  text += claim["name"].string_or("");
  return cell_text(context, text);
}

Node volume_storage_class(View object, const CellContext& context) {
  constexpr std::string_view old_name = "volume.beta.kubernetes.io/storage-class";
  const View old = objects::annotations_of(object)[old_name];
  return cell_text(context, old.string_or(object["spec"]["storageClassName"].string_or("")));
}

Node volume_attributes_class(View object, const CellContext& context) {
  return cell_text(context, object["spec"]["volumeAttributesClassName"].string_or(unset_text));
}

Node volume_mode(View object, const CellContext& context) {
  return cell_text(context, object["spec"]["volumeMode"].string_or(unset_text));
}

bool is_bound(View claim) {
  return !claim["spec"]["volumeName"].string_or("").empty();
}

Node claim_capacity(View claim, const CellContext& context) {
  if (!is_bound(claim)) return cell_text(context, "");
  return cell_text(context, claim["status"]["capacity"]["storage"].string_or("0"));
}

Node claim_access_modes(View claim, const CellContext& context) {
  return cell_text(context, is_bound(claim) ? access_modes(claim["status"]["accessModes"]) : "");
}

// Classes.

Node storage_class_name(View storage_class, const CellContext& context) {
  const View annotations = objects::annotations_of(storage_class);
  std::string name(storage_class["metadata"]["name"].string_or(""));
  for (const std::string_view mark : {"storageclass.kubernetes.io/is-default-class",
                                      "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (annotations[mark].string_or("") != "true") continue;
    name += " (default)";
    break;
  }
  return cell_text(context, name);
}

Node storage_class_reclaim_policy(View storage_class, const CellContext& context) {
  return cell_text(context, storage_class["reclaimPolicy"].string_or("Delete"));
}

Node storage_class_binding_mode(View storage_class, const CellContext& context) {
  return cell_text(context, storage_class["volumeBindingMode"].string_or("Immediate"));
}

Node storage_class_expansion(View storage_class, const CellContext&) {
  return Builder::boolean(storage_class["allowVolumeExpansion"].boolean_or(false));
}

// Drivers.

Node csi_attach_required(View driver, const CellContext&) {
  return Builder::boolean(driver["spec"]["attachRequired"].boolean_or(true));
}

Node csi_token_requests(View driver, const CellContext& context) {
  const View requests = driver["spec"]["tokenRequests"];
  if (!requests) return cell_text(context, unset_text);
  std::string all;
  for (View each : requests.elements()) {
    if (!all.empty()) all += ',';
    all += each["audience"].string_or("");
  }
  return cell_text(context, all);
}

Node csi_modes(View driver, const CellContext& context) {
  std::string all;
  for (View each : driver["spec"]["volumeLifecycleModes"].elements()) {
    if (!all.empty()) all += ',';
    all += each.string_or("");
  }
  return cell_text(context, all.empty() ? none_text : all);
}

Node csi_node_drivers(View node, const CellContext&) {
  return cell_count(node["spec"]["drivers"].size());
}

Node csi_capacity(View capacity, const CellContext& context) {
  return cell_text(context, capacity["capacity"].string_or(unset_text));
}

constexpr NamedCell cells[] = {
    {"claim-access-modes", claim_access_modes},
    {"claim-capacity", claim_capacity},
    {"csi-attach-required", csi_attach_required},
    {"csi-capacity", csi_capacity},
    {"csi-modes", csi_modes},
    {"csi-node-drivers", csi_node_drivers},
    {"csi-token-requests", csi_token_requests},
    {"storage-class-binding-mode", storage_class_binding_mode},
    {"storage-class-expansion", storage_class_expansion},
    {"storage-class-name", storage_class_name},
    {"storage-class-reclaim-policy", storage_class_reclaim_policy},
    {"volume-access-modes", volume_access_modes},
    {"volume-attributes-class", volume_attributes_class},
    {"volume-capacity", volume_capacity},
    {"volume-claim", volume_claim},
    {"volume-mode", volume_mode},
    {"volume-status", volume_status},
    {"volume-storage-class", volume_storage_class},
};

}  // namespace

std::span<const NamedCell> storage_cells() {
  return cells;
}

}  // namespace muster::server
