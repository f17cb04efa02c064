// What decisions need of a Node: whether it takes pods, what it has, and the addresses it gives.
// It has room for no more pods than its podCIDR has addresses; where it does not say for how many,
// it is kubelet's default.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "objects/value.h"

namespace muster::core {

struct Node {
  bool is_ready = false;
  bool is_unschedulable = false;
  Labels labels;
  std::vector<Taint> taints;
  Amounts allocatable;
  std::int64_t declared_pods = 0;  // as its status has it; topologies count no others
  std::string pod_cidr;            // empty: it gives no addresses

  friend bool operator==(const Node&, const Node&) = default;
};

// Whether a taint of its says that pods should rather go elsewhere (PreferNoSchedule).
bool is_discouraging(const Node& node);

Result<Node> read_node(objects::View object, ResourceNames& names);

}  // namespace muster::core
