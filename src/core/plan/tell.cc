// Reasons for those who wait without being tried: every waiting workload has one of its own.
// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

Reason stranded_reason(const Tables& tables, const WorkloadRow& row) {
  if (row.standing == Standing::invalid) {
    return {.type = Reason::Type::invalid, .detail = row.invalid};
  }
  if (!row.spec.unsupported.empty()) {
    return {.type = Reason::Type::unsupported, .detail = row.spec.unsupported};
  }
  const LocalQueueRow& local_queue = tables.local_queues[row.local_queue];
  const auto cluster_queue = [&] { return tables.cluster_queues.key(local_queue.cluster_queue); };
  switch (tables.blocker_of(row)) {
    case Blocker::local_queue_missing:
      return {.type = Reason::Type::queue_not_found, .name = row.spec.queue_name};
    case Blocker::local_queue_stopped:
      return {.type = Reason::Type::queue_stopped, .name = row.spec.queue_name};
    case Blocker::cluster_queue_missing:
      return {.type = Reason::Type::cluster_queue_not_found, .name = cluster_queue()};
    case Blocker::cluster_queue_inactive:
    case Blocker::none:
      return {.type = Reason::Type::cluster_queue_inactive, .name = cluster_queue()};
  }
  return {};
}

}  // namespace

void tell_stranded(Cycle& cycle) {
  for (const auto& [key, id] : cycle.tables.untold) {
    Action action = action_on(cycle, Action::Type::tell, id);
    action.because.reasons = {stranded_reason(cycle.tables, cycle.tables.workloads[id])};
    cycle.plan.actions.push_back(std::move(action));
  }
}

}  // namespace muster::core
