// TopologyAssignment: where the pods of a pod set go, as domains of a topology: how many pods in
// each. The plain form of what a Workload's status carries compressed.
//
//   {.levels = {"rack", "kubernetes.io/hostname"}, .domains = {{{"r1", "n1"}, 2}, {{"r1", "n2"},
//   1}}}
//
// Assumes: every domain has one value per level. The order of domains is that of ranks where it was
// read from a status; decisions make it lexicographic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::core {

struct TopologyDomain {
  std::vector<std::string> values;  // by level
  std::int64_t count = 0;           // pods there

  friend bool operator==(const TopologyDomain&, const TopologyDomain&) = default;
};

struct TopologyAssignment {
  std::vector<std::string> levels;  // labels of nodes, the widest first
  std::vector<TopologyDomain> domains;

  friend bool operator==(const TopologyAssignment&, const TopologyAssignment&) = default;
};

}  // namespace muster::core
