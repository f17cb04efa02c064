// The kinds of visibility.kueue.x-k8s.io, which nothing stores: who waits in a ClusterQueue or
// LocalQueue and at which place, computed when somebody asks.
//
//   GET /apis/visibility.kueue.x-k8s.io/v1beta2/clusterqueues/team-a/pendingworkloads?limit=10
//
// Assumes: the target is one of the two, with the part pendingworkloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "objects/value.h"
#include "server/outcome.h"
#include "server/route.h"
#include "server/target.h"

namespace muster::core {
class ClusterState;
}

namespace muster::server {

inline constexpr std::string_view visibility_group = "visibility.kueue.x-k8s.io";

// `queues` may be null: nobody decides here, and no queue is known.
Outcome<objects::Value> pending_workloads_of(const core::ClusterState* queues, const Target& target,
                                             const Query& query);

}  // namespace muster::server
