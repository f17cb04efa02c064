// SPDX-License-Identifier: Apache-2.0
#include "core/model/queue_report.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "core/admission/fair_share.h"

namespace muster::core {

namespace {

// Somebody who waits, with what his place depends on.
struct Place {
  double usage = 0;
  bool is_sticky = false;
  QueueTicket ticket;
  WorkloadId id;
};

bool stands_before(const Place& a, const Place& b) {
  if (a.usage != b.usage) return a.usage < b.usage;
  if (a.is_sticky != b.is_sticky) return a.is_sticky;
  return stands_before(a.ticket, b.ticket);
}

bool takes_workloads(const LocalQueueRow& queue) {
  return queue.present && queue.spec.stop_policy == StopPolicy::none;
}

template <class Visit>
void for_each_waiting(const Tables& tables, const LocalQueueRow& queue, Visit&& visit) {
  if (!takes_workloads(queue)) return;
  for (const WorkloadId id : queue.workloads) {
    const WorkloadRow& row = tables.workloads[id];
    if (row.present && row.invalid.empty() && is_waiting(row.spec)) visit(id, row);
  }
}

void count(const Tables& tables, const LocalQueueRow& queue, PendingCounts& counts) {
  for_each_waiting(tables, queue, [&](WorkloadId id, const WorkloadRow&) {
    const bool is_active = tables.pending.place_of(id) == PendingPlace::active;
    ++(is_active ? counts.active : counts.inadmissible);
  });
}

}  // namespace

ClusterQueueId find_cluster_queue(const Tables& tables, std::string_view name) {
  const ClusterQueueId id = tables.cluster_queues.find(name);
  return id.is_none() || !tables.cluster_queues[id].present ? ClusterQueueId::none() : id;
}

LocalQueueId find_local_queue(const Tables& tables, std::string_view key) {
  const LocalQueueId id = tables.local_queues.find(key);
  return id.is_none() || !tables.local_queues[id].present ? LocalQueueId::none() : id;
}

bool is_waiting(const Workload& workload) {
  return !workload.is_gated && !workload.is_finished && workload.is_active &&
         !workload.is_quota_reserved && !workload.is_on_hold && !workload.waits_for_replacement;
}

std::optional<std::vector<WaitingWorkload>> waiting_in(const Tables& tables,
                                                       std::string_view cluster_queue) {
  const ClusterQueueId id = find_cluster_queue(tables, cluster_queue);
  if (id.is_none()) return std::nullopt;
  const bool by_usage = tables.admits_by_usage(id);
  std::vector<Place> places;
  for (const LocalQueueId local : tables.cluster_queues[id].local_queues) {
    const double usage = by_usage ? tables.usage_of(local) : 0;
    for_each_waiting(tables, tables.local_queues[local], [&](WorkloadId workload, const auto&) {
      const auto preemptor = tables.pending.place_of(workload) == PendingPlace::none
                                 ? std::nullopt
                                 : tables.pending.preemptor(workload);
      places.push_back({.usage = usage,
                        .is_sticky = preemptor && preemptor->is_sticky,
                        .ticket = tables.ticket_of(workload),
                        .id = workload});
    });
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return stands_before(a, b); });
  std::vector<WaitingWorkload> waiting;
  waiting.reserve(places.size());
  for (const Place& place : places) {
    const WorkloadRow& row = tables.workloads[place.id];
    waiting.push_back({.object = row.object,
                       .local_queue = tables.local_queues.key(row.local_queue),
                       .priority = row.spec.priority});
  }
  return waiting;
}

PendingCounts pending_counts(const Tables& tables, ClusterQueueId queue) {
  PendingCounts counts;
  for (const LocalQueueId local : tables.cluster_queues[queue].local_queues) {
    count(tables, tables.local_queues[local], counts);
  }
  return counts;
}

PendingCounts pending_counts(const Tables& tables, LocalQueueId queue) {
  PendingCounts counts;
  count(tables, tables.local_queues[queue], counts);
  return counts;
}

Amounts pending_requests(const Tables& tables, ClusterQueueId queue) {
  Amounts sum;
  for (const LocalQueueId local : tables.cluster_queues[queue].local_queues) {
    for_each_waiting(tables, tables.local_queues[local], [&](WorkloadId, const WorkloadRow& row) {
      for (const GangPodSet& set : row.spec.pod_sets) {
        for (const Amount& each : set.effective_requests) {
          add_amount(sum, each.resource, saturating_multiply(each.amount, set.effective_count()),
                     tables.names);
        }
      }
    });
  }
  return sum;
}

std::optional<ConsumedResources> consumed_by(const Tables& tables, LocalQueueId queue) {
  const LocalQueueRow& row = tables.local_queues[queue];
  if (!tables.configuration.shares_admission_fairly() || row.ledger.is_empty()) {
    return std::nullopt;
  }
  ConsumedResources consumed{.amounts = {}, .sampled_at = *row.ledger.sampled_at()};
  for (const auto& [resource, used] : row.ledger.consumed()) {
    const std::string& name = tables.names.name(resource);
    consumed.amounts.emplace_back(
        name, resource_quantity(name, name == "cpu" ? used.milli() : used.units()));
  }
  std::sort(consumed.amounts.begin(), consumed.amounts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return consumed;
}

double weighted_share(const Tables& tables, QuotaNodeId node) {
  return fair_share(tables, node).weighted();
}

}  // namespace muster::core
