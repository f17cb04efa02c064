// run_daemon_set: what kube-controller-manager does for a DaemonSet: one pod on every node that its
// template fits, with the tolerations that keep it there; replaced node by node when the template
// changes (RollingUpdate with maxUnavailable or maxSurge, OnDelete); and a status that counts them.
// Pure and level-triggered. Embedded only.
//
//   auto step = run_daemon_set({.set = set, .nodes = nodes, .pods = owned, .revisions = …});
//
// Assumes: the views are never older than what earlier steps for this set saw or wrote. A pod says
// its node by nodeName, or before it is bound by the affinity that it was made with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/instant.h"
#include "core/lifecycle/run_replica_set.h"
#include "objects/value.h"

namespace muster::core {

struct DaemonSetObserved {
  objects::Value set;
  std::span<const objects::Value> nodes;
  std::span<const objects::Value> pods;       // that it controls
  std::span<const objects::Value> revisions;  // ControllerRevisions that it controls
  Instant now = {};
};

ReplicaStep run_daemon_set(const DaemonSetObserved& observed);

}  // namespace muster::core
