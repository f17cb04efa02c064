// Which addresses the pods of each node get: a /24 out of the network, the one that the node had
// before where it had one. So nodes that are declared in another order, or with others between
// them, keep their addresses, and no two have the same.
//
//   TRY(give_node_ranges(nodes, known, host_ranges(network.cidr))); // 10.88.1.0/24, 10.88.2.0/24
//
// Assumes: `known` are the ranges of all nodes there are, declared or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/node_options.h"
#include "base/result.h"

namespace muster::agent {

// So many /24 one after the other.
struct RangeSupply {
  std::uint32_t first = 0;  // the first address of the first one
  std::uint32_t count = 0;
};

// Of a network's /16: all but the first, which has the gateway, and the last quarter, which is the
// Services' (agent/pod_network.h).
RangeSupply host_ranges(std::string_view network);

// The addresses of pretended pods lead nowhere: they come out of 100.64.0.0/10, which nobody
// routes.
RangeSupply pretended_ranges();

// By the node's name.
using KnownRanges = std::map<std::string, std::string, std::less<>>;

// Gives one to every node that has none. bad_request where there are more nodes than ranges.
Result<> give_node_ranges(std::vector<NodeOptions>& nodes, const KnownRanges& known,
                          const RangeSupply& supply);

}  // namespace muster::agent
