// What decisions need of a ResourceFlavor: which nodes it promises, and what its pods tolerate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/scheduling_terms.h"
#include "objects/value.h"

namespace muster::core {

struct ResourceFlavor {
  Labels node_labels;
  std::vector<Taint> node_taints;
  std::vector<Toleration> tolerations;  // added to the pods that get this flavor
  std::string topology_name;
};

ResourceFlavor read_resource_flavor(objects::View object);

}  // namespace muster::core
