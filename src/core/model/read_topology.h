// What decisions need of a Topology: the labels of nodes that are its levels, the widest first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/topology_assignment.h"
#include "objects/value.h"

namespace muster::core {

struct Topology {
  std::vector<std::string> levels;

  friend bool operator==(const Topology&, const Topology&) = default;
};

// invalid: no levels, or more than topology_levels_max.
Result<Topology> read_topology(objects::View object);

// An assignment as the status of a Workload carries it (v1beta2, compressed). `by_prefix` is
// Kueue's gate TASAssignmentsEncodingByHostnamePrefix: slices by prefixes of host names where that
// is shorter.
objects::Value to_value(const TopologyAssignment& assignment, bool by_prefix);

}  // namespace muster::core
