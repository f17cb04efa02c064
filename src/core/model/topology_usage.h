// TopologyUsage: what pods of one pod set take of the domains of a flavor's topology: so many pods
// of these requests in each. Domains are leaves of the flavor's tree.
//
//   {.flavor = gpus, .requests = {{gpu, 8}}, .domains = {{.leaf = 4, .count = 2}}}
//
// Assumes: leaves are those of the tree as it is now (`tree` is its number); usage that outlives a
// change of nodes is made anew from names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/ids.h"
#include "core/model/resource_names.h"

namespace muster::core {

struct TopologyDomainUsage {
  std::uint32_t leaf = 0;
  std::int32_t count = 0;

  friend bool operator==(const TopologyDomainUsage&, const TopologyDomainUsage&) = default;
};

struct TopologyUsage {
  FlavorId flavor;
  std::uint64_t tree = 0;
  Amounts requests;  // of one pod, without `pods`
  std::vector<TopologyDomainUsage> domains;
  bool is_stale = false;  // some of its domains are not there
};

// A reserved workload's pod set in a topology. The assignment is in its admission.
struct TopologyHold {
  std::size_t pod_set = 0;  // of the admission
  TopologyUsage usage;      // as of the tree it was made for; flavor and requests always hold
};

}  // namespace muster::core
