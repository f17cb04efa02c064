// The status of a Deployment: what its ReplicaSets add up to, whether it is available, and whether
// its rollout goes on.
//
//   const auto [next, look_again] = with_deployment_status(deployment, {sets, now});
//
// Assumes: what is not new in a condition keeps its times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/instant.h"
#include "core/lifecycle/deployment_sets.h"
#include "objects/value.h"

namespace muster::core {

struct DeploymentStatus {
  objects::Value deployment;
  std::optional<Instant> look_again = {};  // when a rollout has taken too long
};

struct DeploymentSeen {
  const DeploymentSets& sets;
  Instant now = {};
  std::string created = {};  // the ReplicaSet that this step makes
};

DeploymentStatus with_deployment_status(const objects::Value& deployment,
                                        const DeploymentSeen& seen);

// All that is wanted is there, new and available.
bool is_complete(objects::View deployment, objects::View status);

}  // namespace muster::core
