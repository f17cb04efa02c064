// run_node: the life of a node as the control plane sees it (what kube-controller-manager's node
// lifecycle, taint eviction and pod collection do): a node whose agent is silent becomes
// unreachable, and pods that can no longer be heard of are removed, so that their gang can run
// elsewhere. Pure and level-triggered. Embedded only.
//
//   Ready ──40 s of silence──► Unknown ──► tainted unreachable ──► pods removed as their
//   tolerations end, and those that are being deleted at once: nobody is left to confirm their end.
//   Unknown ──the agent posts Ready──► taints removed.
//   A cordoned node has the taint that says so. Any taint that expels (NoExecute) does: pods that
//   do not tolerate it are deleted with their grace, those that do for a while when it is over.
//   Pods on a node that nobody has heard of wait as long for it to come; one that was removed takes
//   its pods along at once (the caller says that it was missed for long).
//
//   auto step = run_node({.node = node, .silence = heard_ago, .pods = pods_on_node, .now = now});
//
// Assumes: the agent renews Lease kube-node-lease/<node> about every ten seconds and posts the
// condition Ready itself. The silence is the time since the caller last saw the Lease change, or
// began to watch, on a clock that never jumps: neither a restart nor a set clock silences a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/instant.h"
#include "core/edit.h"
#include "objects/value.h"

namespace muster::core {

inline constexpr Span node_silence_max = Span::of_seconds(40);

// How long a pod that says nothing about it stays on an unreachable node, as kube-apiserver
// writes into every pod.
inline constexpr Span default_toleration = Span::of_seconds(300);

struct NodeObserved {
  objects::Value node;                        // absent: it is gone, and its pods with it
  Span silence = {};                          // of its agent; of no node: since it was missed
  std::span<const objects::Value> pods = {};  // those bound to it
  Instant now = {};
};

struct NodeStep {
  std::vector<Edit> edits;
  std::optional<Instant> look_again = {};
};

NodeStep run_node(const NodeObserved& observed);

}  // namespace muster::core
