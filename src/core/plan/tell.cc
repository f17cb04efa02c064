// Reasons for those who wait without being tried: every waiting workload has one of its own.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/model/limits.h"
#include "core/plan/cycle.h"
#include "objects/metadata.h"

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

// How many of the queue go before each of its workloads, and what those who ask for the same were
// told: the answer to one is the answer to all.
class Places {
 public:
  Places(const Tables& tables, ClusterQueueId queue) {
    tables.pending.for_each(queue, [&](WorkloadId id, bool is_active) {
      if (is_active) tickets_.push_back(tables.pending.ticket(id));
      const WorkloadRow& row = tables.workloads[id];
      const objects::View reserved = objects::condition(row.object, "QuotaReserved");
      const std::string_view told =
          row.telling.empty() ? reserved["message"].string_or("") : row.telling;
      if (is_active || row.is_unsaid || told.empty()) return;
      answers_.try_emplace(row.spec.equivalence, told);
    });
    std::ranges::sort(tickets_, stands_before);
  }

  // Empty: nobody was.
  std::string_view answer(std::uint64_t equivalence) const {
    const auto found = answers_.find(equivalence);
    return found == answers_.end() ? std::string_view() : found->second;
  }

  std::int64_t before(const QueueTicket& ticket) const {
    return std::ranges::lower_bound(tickets_, ticket, stands_before) - tickets_.begin();
  }

 private:
  std::vector<QueueTicket> tickets_;
  std::map<std::uint64_t, std::string_view> answers_;
};

void tell_queue(Cycle& cycle, ClusterQueueId id, std::size_t& left) {
  const Tables& tables = cycle.tables;
  const ClusterQueueRow& queue = tables.cluster_queues[id];
  const WorkloadId head = tables.pending.head(id);
  const Places places(tables, id);
  for (std::size_t i = queue.unsaid.size(); i-- > 0 && left > 0;) {
    const WorkloadId waiting = queue.unsaid[i];
    const WorkloadRow& row = tables.workloads[waiting];
    if (!tables.is_unsaid(waiting, id)) continue;
    Reason reason{.type = Reason::Type::behind, .name = tables.cluster_queues.key(id)};
    const auto kind = queue.kind_causes.find(row.spec.equivalence);
    if (tables.pending.place_of(waiting) == PendingPlace::inadmissible) {
      const std::string_view answer = places.answer(row.spec.equivalence);
      reason.type = Reason::Type::equal_waits;
      reason.detail = phrase_of(kind == queue.kind_causes.end() ? row.waits_for : kind->second);
      if (!answer.empty()) {
        reason.name.clear();
        reason.detail = answer;
      }
    } else {
      reason.amount = std::max<std::int64_t>(1, places.before(tables.pending.ticket(waiting)));
      reason.detail = phrase_of(head.is_none() ? "" : tables.workloads[head].waits_for);
    }
    Action action = action_on(cycle, Action::Type::tell, waiting);
    action.because.reasons = {std::move(reason)};
    cycle.plan.actions.push_back(std::move(action));
    --left;
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
