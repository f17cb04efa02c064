// Balanced placement (Kueue's gate TASBalancedPlacement, off by default): of a preferred request
// the pods are spread so that the domain with the fewest has as many as possible, on the fewest
// domains. Where that is not possible the usual search is made.
//
//   if (auto balanced = find_balanced(tree, shape, state)) …   // go on from balanced->domains
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/placement/topology_search.h"

namespace muster::core {

struct Balanced {
  TopologyState state;  // with the shares as what the chosen domains take
  std::size_t level = 0;
  std::vector<std::uint32_t> domains;
};

std::optional<Balanced> find_balanced(const TopologyTree& tree, const TopologyShape& shape,
                                      const TopologyState& state);

}  // namespace muster::core
