// One head of every ClusterQueue: does it have quota? Also those who can stand in no queue.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/admission/find_assignment.h"
#include "core/plan/cycle.h"

namespace muster::core {

namespace {

void wait(Cycle& cycle, WorkloadId workload, std::vector<Reason> reasons) {
  Action action = action_on(cycle, Action::Type::wait, workload);
  action.because.reasons = std::move(reasons);
  cycle.plan.actions.push_back(std::move(action));
}

Reason blocker_reason(const Tables& tables, const WorkloadRow& row) {
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

// What keeps a head out before quota is asked.
std::optional<Reason> objection(const Tables& tables, const WorkloadRow& row,
                                const ClusterQueueRow& queue) {
  if (row.spec.has_failed_checks) return Reason{.type = Reason::Type::checks_failed};
  const NamespaceRow& name_space = tables.namespaces[row.name_space];
  if (!name_space.present) {
    return Reason{.type = Reason::Type::namespace_not_found,
                  .name = tables.namespaces.key(row.name_space)};
  }
  const bool matches = queue.spec.namespace_selector.matches_by(
      [&](std::string_view key) { return find_label(name_space.labels, key); });
  if (!matches) return Reason{.type = Reason::Type::namespace_mismatch};
  return std::nullopt;
}

}  // namespace

void tell_stranded(Cycle& cycle) {
  for (const auto& [key, id] : cycle.tables.untold) {
    const WorkloadRow& row = cycle.tables.workloads[id];
    if (row.standing == Standing::invalid) {
      wait(cycle, id, {{.type = Reason::Type::invalid, .detail = row.invalid}});
    } else {
      wait(cycle, id, {blocker_reason(cycle.tables, row)});
    }
  }
}

std::vector<Nominee> nominate(Cycle& cycle) {
  std::vector<Nominee> nominees;
  std::vector<ClusterQueueId> queues = cycle.tables.ready_queues;
  std::ranges::sort(queues, {}, [&](ClusterQueueId id) -> const std::string& {
    return cycle.tables.cluster_queues.key(id);
  });
  for (const ClusterQueueId id : queues) {
    const ClusterQueueRow& queue = cycle.tables.cluster_queues[id];
    const WorkloadId head = cycle.tables.head_of(id);
    const WorkloadRow& row = cycle.tables.workloads[head];
    if (auto reason = objection(cycle.tables, row, queue)) {
      wait(cycle, head, {std::move(*reason)});
      continue;
    }
    Nomination nomination =
        find_assignment(cycle.tables, cycle.trial, cycle.policy, {.workload = head, .queue = id});
    if (nomination.assignment.mode != AssignmentMode::fit) {
      wait(cycle, head, reasons_of(cycle.tables, nomination.assignment));
      continue;
    }
    nominees.push_back(
        {head, id, cycle.tables.pending.ticket(head), std::move(nomination.assignment)});
  }
  return nominees;
}

// Heads of different queues compete as if they stood in one: priority, then who came first.
void order(std::vector<Nominee>& nominees) {
  std::ranges::sort(
      nominees, [](const Nominee& a, const Nominee& b) { return stands_before(a.place, b.place); });
}

}  // namespace muster::core
