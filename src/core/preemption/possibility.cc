// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/possibility.h"

#include <algorithm>

#include "core/model/quota_amount.h"
#include "core/model/tables.h"
#include "core/preemption/find_targets.h"

namespace muster::core {

BorrowHeight borrow_height(const Tables& tables, ClusterQueueId queue, FlavorResourceId pair,
                           std::int64_t amount) {
  const QuotaForest& forest = tables.quota;
  const QuotaNodeId node = tables.cluster_queues[queue].node;
  const QuotaNodeId parent = forest.parent(node);
  if (parent.is_none() || !forest.borrowing_with(node, pair, amount)) {
    return {0, !parent.is_none()};
  }
  std::int64_t remaining = amount_minus(amount, forest.local_available(node, pair));
  for (QuotaNodeId cohort = parent; !cohort.is_none(); cohort = forest.parent(cohort)) {
    if (forest.subtree(cohort, pair) >= amount_plus(forest.usage(cohort, pair), remaining)) {
      return {forest.height(cohort), !forest.parent(cohort).is_none()};
    }
    remaining = amount_minus(remaining, forest.local_available(cohort, pair));
  }
  return {forest.height(forest.root(node)), false};
}

Possibility preemption_possibility(Tables& tables, Trial& trial, const Policy& policy,
                                   WorkloadId workload, ClusterQueueId queue, FlavorResourceId pair,
                                   std::int64_t amount) {
  const Usage usage = {{pair, amount}};
  const std::vector<Target> targets = find_targets(tables, trial, policy,
                                                   {.workload = workload,
                                                    .queue = queue,
                                                    .usage = &usage,
                                                    .contested = {pair},
                                                    .topology = {},
                                                    .is_question = true});
  if (targets.empty()) {
    return {Possibility::Type::no_candidates, borrow_height(tables, queue, pair, amount).height};
  }
  Trial without(tables.undo);
  bool is_own = false;
  for (const Target& target : targets) {
    const WorkloadRow& row = tables.workloads[target.workload];
    is_own = is_own || row.reserved_in == queue;
    tables.quota.remove_usage(without, tables.cluster_queues[row.reserved_in].node, pair,
                              usage_of(row.reservation->holds, pair));
  }
  return {is_own ? Possibility::Type::preempt : Possibility::Type::reclaim,
          borrow_height(tables, queue, pair, amount).height};
}

}  // namespace muster::core
