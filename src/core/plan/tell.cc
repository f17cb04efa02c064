// Reasons for those who wait without being tried: every waiting workload has one of its own.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/timestamp.h"
#include "core/model/limits.h"
#include "core/plan/cycle.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

Reason stranded_reason(const Tables& tables, const WorkloadRow& row) {
  if (row.standing == Standing::invalid) {
    return {.type = Reason::Type::invalid, .detail = std::string(row.invalid.view())};
  }
  if (!row.spec.extras->unsupported.empty()) {
    return {.type = Reason::Type::unsupported, .detail = row.spec.extras->unsupported};
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

// What keeps the head, in words that name nobody.
std::string phrase_of(std::string_view cause) {
  if (cause == "WaitingForQuota") return "is waiting for quota";
  if (cause == "ExceedsMaxQuota") return "asks for more than there can be";
  if (cause == "NoMatchingFlavor") return "matches no flavor";
  if (cause == "TopologyPlacementFailed") return "finds no place";
  if (cause == "WaitingForPreemptedWorkloads") return "is waiting for preempted workloads to stop";
  if (cause == "WaitingForPodsReady") return "is waiting for admitted workloads to be ready";
  return "cannot be admitted";
}

// What somebody who asks for the same was told, and is inadmissible with it: the answer to one is
// the answer to all. Empty: nobody was.
std::string_view told_to_equals(const Tables& tables, ClusterQueueId queue,
                                std::uint64_t equivalence) {
  std::string_view told;
  tables.pending.find_inadmissible(queue, equivalence, [&](WorkloadId id) {
    const WorkloadRow& row = tables.workloads[id];
    if (row.is_unsaid) return false;
    told = row.telling.view();
    if (told.empty()) {
      told = objects::condition(row.object, "QuotaReserved")["message"].string_or("");
    }
    return !told.empty();
  });
  return told;
}

Reason resting_reason(const Workload& workload) {
  Reason reason{.type = Reason::Type::resting};
  if (workload.may_requeue) {
    reason.detail = format_time(Timestamp::of(*workload.extras->requeue_at));
  }
  return reason;
}

Reason equal_waits_reason(const Tables& tables, ClusterQueueId queue, const WorkloadRow& row) {
  const std::uint64_t kind = tables.kind_of(row);
  const std::string_view answer = told_to_equals(tables, queue, kind);
  if (!answer.empty()) {
    return {.type = Reason::Type::equal_waits, .detail = std::string(answer)};
  }
  return {.type = Reason::Type::equal_waits,
          .name = tables.cluster_queues.key(queue),
          .detail = phrase_of(tables.pending.cause_of_kind(queue, kind).value_or(row.waits_for))};
}

Reason behind_reason(const Tables& tables, ClusterQueueId queue, WorkloadId waiting) {
  const WorkloadId head = tables.pending.head(queue);
  return {.type = Reason::Type::behind,
          .name = tables.cluster_queues.key(queue),
          .amount = std::max<std::int64_t>(
              1, tables.pending.count_before(queue, tables.pending.ticket(waiting))),
          .detail = phrase_of(head.is_none() ? "" : tables.workloads[head].waits_for)};
}

Reason waiting_reason(const Tables& tables, ClusterQueueId queue, WorkloadId waiting) {
  const WorkloadRow& row = tables.workloads[waiting];
  if (tables.rests(row)) return resting_reason(row.spec);
  if (tables.pending.place_of(waiting) == PendingPlace::inadmissible) {
    return equal_waits_reason(tables, queue, row);
  }
  return behind_reason(tables, queue, waiting);
}

void tell_queue(Cycle& cycle, ClusterQueueId id, std::size_t& left) {
  const Tables& tables = cycle.tables;
  const ClusterQueueRow& queue = tables.cluster_queues[id];
  std::vector<WorkloadId> unsaid;
  for (std::size_t i = queue.unsaid.size(); i-- > 0 && left > 0;) {
    if (!tables.is_unsaid(queue.unsaid[i], id)) continue;
    unsaid.push_back(queue.unsaid[i]);
    --left;
  }
  std::ranges::sort(unsaid, {}, [&](WorkloadId waiting) -> const std::string& {
    return tables.workloads.key(waiting);
  });
  for (const WorkloadId waiting : unsaid) {
    Action action = action_on(cycle, Action::Type::tell, waiting);
    action.because.reasons = {waiting_reason(tables, id, waiting)};
    cycle.plan.actions.push_back(std::move(action));
  }
}

}  // namespace

void tell_waiting(Cycle& cycle) {
  if (!cycle.policy.tells_everyone) return;
  // Where heads are tried, the next may be admitted before it could read why it waited.
  std::vector<ClusterQueueId> queues;
  for (const ClusterQueueId id : cycle.tables.unsaid_queues) {
    if (cycle.tables.is_silent(id)) queues.push_back(id);
  }
  std::ranges::sort(queues, {}, [&](ClusterQueueId id) -> const std::string& {
    return cycle.tables.cluster_queues.key(id);
  });
  std::size_t left = told_in_a_cycle_max;
  for (const ClusterQueueId id : queues) {
    if (left > 0) tell_queue(cycle, id, left);
  }
}

void tell_stranded(Cycle& cycle) {
  for (const auto& [key, id] : cycle.tables.untold) {
    Action action = action_on(cycle, Action::Type::tell, id);
    action.because.reasons = {stranded_reason(cycle.tables, cycle.tables.workloads[id])};
    cycle.plan.actions.push_back(std::move(action));
  }
}

}  // namespace muster::core
