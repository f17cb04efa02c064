// What a node may do: a node is a user `system:node:<name>` of the group `system:nodes`. It reads
// the pods bound to it and what they refer to (secrets, config maps, claims, service accounts),
// itself and its lease, and writes about those alone. What it may not change about them is
// restrict_node's matter, once the objects are known (server/node_restriction.cc).
//
//   if (const std::string_view node = node_of(identity); !node.empty()) judge_node(access, node,
//   scope);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "server/authorizer.h"

namespace muster::server {

// Whether some pod that is bound to the node refers to an object, or is it.
class NodeScope {
 public:
  virtual ~NodeScope() = default;
  virtual bool concerns(std::string_view node, std::string_view resource,
                        std::string_view name_space, std::string_view name) const = 0;
};

// The node whose identity this is; empty for everybody else.
std::string_view node_of(const Identity& identity);

// Without a scope every object is taken to concern the node.
Verdict judge_node(const Access& access, std::string_view node, const NodeScope* scope);

}  // namespace muster::server
