// preemption_possibility(): whether evictions could make room for one flavor resource alone. The
// search for flavors asks this of every flavor that is full; places are not looked at.
//
//   const Possibility found =
//       preemption_possibility(tables, trial, policy, big, team_a, h100_gpu, 8);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/ids.h"
#include "core/model/trial.h"

namespace muster::core {

struct Policy;
struct Tables;

struct Possibility {
  enum class Type : std::uint8_t {
    no_candidates,
    preempt,  // somebody of the queue itself would go
    reclaim,  // only workloads of other queues would go
  };

  Type type = Type::no_candidates;
  // Height of the lowest subtree whose quota would cover it, once they are gone; 0: the queue's
  // own.
  std::int32_t borrow = 0;
};

Possibility preemption_possibility(Tables& tables, Trial& trial, const Policy& policy,
                                   WorkloadId workload, ClusterQueueId queue, FlavorResourceId pair,
                                   std::int64_t amount);

// Height of the lowest subtree above the queue that has the quota without borrowing, and whether
// that is less than the whole tree. The whole tree's where none has it.
struct BorrowHeight {
  std::int32_t height = 0;
  bool is_below_root = false;
};
BorrowHeight borrow_height(const Tables& tables, ClusterQueueId queue, FlavorResourceId pair,
                           std::int64_t amount);

}  // namespace muster::core
