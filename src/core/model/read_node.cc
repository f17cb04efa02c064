// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_node.h"

#include <algorithm>

#include "core/model/address_range.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

constexpr std::int64_t pods_of_kubelet = 110;

// One pod has one address, so more pods than addresses are no room.
void limit_pods(Node& node, View allocatable, const ResourceNames& names) {
  std::int64_t pods = amount_of(node.allocatable, names.pods());
  node.declared_pods = pods;
  if (!allocatable["pods"]) pods = pods_of_kubelet;
  if (const auto range = AddressRange::parse(node.pod_cidr)) pods = std::min(pods, range->count());
  add_amount(node.allocatable, names.pods(), pods - amount_of(node.allocatable, names.pods()),
             names);
}

}  // namespace

bool is_discouraging(const Node& node) {
  const auto discourages = [](const Taint& taint) {
    return taint.effect == TaintEffect::prefer_no_schedule;
  };
  return std::ranges::any_of(node.taints, discourages);
}

Result<Node> read_node(View object, ResourceNames& names) {
  const View spec = object["spec"];
  Node node;
  node.is_ready = is_true(condition(object, "Ready")) && !is_being_deleted(object);
  node.is_unschedulable = spec["unschedulable"].boolean_or(false);
  node.labels = read_labels(objects::labels_of(object));
  node.taints = read_taints(spec["taints"]);
  node.allocatable = TRY(read_amounts(object["status"]["allocatable"], names));
  node.pod_cidr = spec["podCIDR"].string_or("");
  limit_pods(node, object["status"]["allocatable"], names);
  return node;
}

}  // namespace muster::core
