// Evictions: deleting a pod when its disruption budgets allow it. What a budget allows is counted
// when it is asked, from the pods that are there: nobody has to have written its status before.
//
//   evict(context, {.target = pod, .body = eviction}, done);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "objects/value.h"
#include "server/context.h"
#include "server/write.h"

namespace muster::server {

// What a PodDisruptionBudget says about its pods.
struct Budget {
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  std::int64_t desired = 0;

  std::int64_t allowed() const { return expected > 0 && healthy > desired ? healthy - desired : 0; }
};
Budget budget_of(Context& context, objects::View pod_disruption_budget);

// The body is a policy/v1 Eviction. Answers as a deletion does; 429 where a budget forbids it.
void evict(Context& context, WriteRequest request, WriteAnswer done);

}  // namespace muster::server
