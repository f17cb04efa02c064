// run_node: the life of a node as the control plane sees it (what kube-controller-manager's node
// lifecycle, taint eviction and pod collection do): a node whose agent is silent becomes
// unreachable, and pods that can no longer be heard of are removed, so that their gang can run
// elsewhere. Pure and level-triggered. Embedded only.
//
//   Ready ──40 s without renewal──► Unknown, tainted unreachable ──► pods deleted as their
//   tolerations end, and removed at once: nobody is left to confirm their end.
//   Unknown ──the agent posts Ready──► taints removed.
//
//   auto step = run_node({.node = node, .lease = lease, .pods = pods_on_node, .now = now});
//
// Assumes: the agent renews Lease kube-node-lease/<node> (spec.renewTime) about every ten seconds,
// and posts the condition Ready itself. A node without a Lease is judged by its creation time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::core {

// As kube-controller-manager's --node-monitor-grace-period was before 1.32, and the design says.
inline constexpr Span node_silence_max = Span::of_seconds(40);

struct NodeObserved {
  objects::Value node;                   // absent: it is gone, and its pods with it
  objects::Value lease = {};             // absent: none yet
  std::span<const objects::Value> pods;  // those bound to it
  Instant now;
};

struct NodeStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};
};

NodeStep run_node(const NodeObserved& observed);

}  // namespace muster::core
