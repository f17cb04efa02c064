// run_deployment: what kube-controller-manager does for a Deployment: a ReplicaSet for its present
// template, rolled out within its bounds, revisions that `kubectl rollout` can show and undo, and
// the conditions that `kubectl rollout status` and `wait` read. Pure and level-triggered. Embedded
// only.
//
//   auto step = run_deployment({.deployment = d, .sets = replica_sets_of_it, .old_pods = …});
//
// Assumes: as run_replica_set. A Deployment whose work Muster does itself is not shown to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/instant.h"
#include "core/lifecycle/run_replica_set.h"
#include "objects/value.h"

namespace muster::core {

struct DeploymentObserved {
  objects::Value deployment;
  std::span<const objects::Value> sets;  // that it controls
  std::span<const objects::Value> pods;  // of those sets
  Instant now = {};
};

ReplicaStep run_deployment(const DeploymentObserved& observed);

}  // namespace muster::core
