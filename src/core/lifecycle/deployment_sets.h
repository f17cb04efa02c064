// The ReplicaSets of a Deployment: which of them has its present template, which are older, and the
// arithmetic of a rollout: how far the new one may grow and the old ones shrink now.
//
//   const DeploymentSets sets = find_sets(deployment, owned);
//   const auto next = next_scale(deployment, sets);      // at most one change at a time
//
// Assumes: objects that their schemas admitted; sums saturate, because others wrote them, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "objects/value.h"

namespace muster::core {

inline constexpr std::string_view template_hash_label = "pod-template-hash";
inline constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";

struct DeploymentSets {
  objects::Value newest = {};              // with the present template; absent: to be made
  std::vector<objects::Value> older = {};  // oldest first

  // spec.replicas, or a number of the status, of all of them.
  std::int64_t sum_of_spec() const;
  std::int64_t sum_of_status(std::string_view field) const;
};

DeploymentSets find_sets(const objects::Value& deployment, std::span<const objects::Value> owned);

std::int64_t revision_of(objects::View set);

// What the template is known by; the same template has the same one.
std::string template_hash(const objects::Value& deployment);

struct RolloutBounds {
  std::int64_t surge = 0;        // above the wanted number
  std::int64_t unavailable = 0;  // below it
};

// Percentages rounded as Kubernetes does: the first up, the second down, and not both to nothing.
RolloutBounds rollout_bounds(const objects::Value& deployment);

struct ScaleChange {
  objects::Value set;
  std::int64_t replicas = 0;
};

// What may be scaled now: of a rollout the new one first, then the old ones; of Recreate the old
// ones first.
std::vector<ScaleChange> next_scale(const objects::Value& deployment, const DeploymentSets& sets);

}  // namespace muster::core
