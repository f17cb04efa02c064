// Evictions: deleting a pod when its disruption budget allows it. What a budget allows is counted
// when it is asked, from the pods that are there (server/disruption.h).
//
//   ask the budget ─► note the pod in its status ─► say so in the pod ─► delete the pod
//
// Every step is written under the version that was read: of two evictions that want the last
// disruption of a budget, one has to ask again and hears that there is none.
//
//   evict(context, {.target = pod, .body = eviction}, done);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/context.h"
#include "server/write.h"

namespace muster::server {

// The body is a policy/v1 Eviction. Answers as a deletion does; 429 where a budget forbids it.
void evict(Context& context, const WriteRequest& request, WriteAnswer done);

}  // namespace muster::server
