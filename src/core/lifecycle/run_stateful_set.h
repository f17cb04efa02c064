// run_stateful_set: what kube-controller-manager does for a StatefulSet: pods with ordinals, made
// in order (or all at once), replaced under the same name, rolled out from the highest down to the
// partition, their claims made and kept. Pure and level-triggered. Embedded only.
//
//   auto step = run_stateful_set({.set = set, .pods = owned, .claims = …, .revisions = …});
//
// Assumes: as run_replica_set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/instant.h"
#include "core/lifecycle/run_replica_set.h"
#include "objects/value.h"

namespace muster::core {

struct StatefulSetObserved {
  objects::Value set;
  std::span<const objects::Value> pods;       // that it controls
  std::span<const objects::Value> claims;     // of its namespace
  std::span<const objects::Value> revisions;  // that it controls
  Instant now = {};
};

ReplicaStep run_stateful_set(const StatefulSetObserved& observed);

}  // namespace muster::core
