// ClusterState, the part of usage: in ClusterQueues that admit by usage, LocalQueues that used less
// lately go first.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/quantity.h"
#include "core/model/tables.h"

namespace muster::core {

bool Tables::admits_by_usage(ClusterQueueId queue) const {
  return configuration.shares_admission_fairly() && !queue.is_none() &&
         cluster_queues[queue].spec.admission_mode == AdmissionMode::usage_based;
}

void Tables::add_used(UsedAmounts& sum, ResourceId resource, std::int64_t amount) const {
  auto at = std::ranges::find(sum, resource, &std::pair<ResourceId, UsedAmount>::first);
  if (at == sum.end()) at = sum.insert(sum.end(), {resource, UsedAmount()});
  at->second +=
      names.name(resource) == "cpu" ? UsedAmount::of_milli(amount) : UsedAmount::of_units(amount);
}

// What the admitted workloads of a LocalQueue hold, over all flavors.
UsedAmounts Tables::used_by(LocalQueueId id) const {
  UsedAmounts used;
  for (const WorkloadId workload : local_queues[id].workloads) {
    const WorkloadRow& row = workloads[workload];
    if (row.standing != Standing::reserved || !row.spec.is_admitted) continue;
    for (const FlavorUsage& hold : row.reservation->holds) {
      add_used(used, flavor_resources.resource(hold.flavor_resource), hold.amount);
    }
  }
  return used;
}

void Tables::begin_usage(LocalQueueId id) {
  LocalQueueRow& row = local_queues[id];
  const auto known = row.ledger.sampled_at();
  if (row.spec.consumed_at && (!known || *row.spec.consumed_at > *known)) {
    UsedAmounts consumed;
    for (const auto& [name, quantity] : row.spec.consumed) {
      const auto resource = names.intern(name);
      if (resource) consumed.emplace_back(*resource, UsedAmount::of(quantity));
    }
    row.ledger.begin(std::move(consumed), *row.spec.consumed_at);
  }
  refresh_usage(id);
}

double Tables::usage_of(LocalQueueId id) const {
  const LocalQueueRow& row = local_queues[id];
  const double weight = row.present ? row.spec.fair_weight : 1;
  if (weight <= 0) return std::numeric_limits<double>::infinity();
  UsedAmounts total = row.ledger.total();
  std::ranges::sort(total, {},
                    [&](const auto& each) -> const std::string& { return names.name(each.first); });
  double usage = 0;
  const auto& weights = configuration.admission_fair_sharing->resource_weights;
  for (const auto& [resource, amount] : total) {
    const auto found =
        std::ranges::find(weights, names.name(resource), &std::pair<std::string, double>::first);
    usage += (found == weights.end() ? 1 : found->second) * amount.to_double();
  }
  return usage / weight;
}

void Tables::refresh_usage(LocalQueueId id) {
  const ClusterQueueId queue = local_queues[id].cluster_queue;
  if (admits_by_usage(queue)) pending.set_usage(queue, id, usage_of(id));
}

// An admission that a cycle has just made counts at once.
void Tables::charge_admission(WorkloadId id) {
  const WorkloadRow& row = workloads[id];
  if (!admits_by_usage(row.reserved_in)) return;
  const AdmissionFairSharing& rules = *configuration.admission_fair_sharing;
  const double share = UsageLedger::alpha(rules.usage_sampling_interval, rules.usage_half_life);
  const bool ignores_undeclared =
      configuration.resources.quota_check == QuotaCheckStrategy::ignore_undeclared;
  UsedAmounts penalty;
  for (const GangPodSet& set : row.spec.pod_sets) {
    for (const Amount& request : set.effective_requests) {
      if (ignores_undeclared && !covers(cluster_queues[row.reserved_in], request.resource))
        continue;
      add_used(penalty, request.resource, request.amount * set.effective_count());
    }
  }
  for (auto& [resource, amount] : penalty) amount = amount.scaled(share);
  local_queues[row.local_queue].ledger.push_penalty(id, std::move(penalty), now);
  refresh_usage(row.local_queue);
}

bool Tables::covers(const ClusterQueueRow& queue, ResourceId resource) const {
  return std::ranges::any_of(queue.spec.groups, [&](const ResourceGroup& group) {
    return std::ranges::find(group.covered, resource) != group.covered.end();
  });
}

// The object shows the admission: from now on it is part of the average.
void Tables::settle_admission(WorkloadId id) {
  const WorkloadRow& row = workloads[id];
  if (!admits_by_usage(row.reserved_in)) return;
  local_queues[row.local_queue].ledger.settle(
      id, used_by(row.local_queue), now, configuration.admission_fair_sharing->usage_half_life);
  refresh_usage(row.local_queue);
}

void Tables::forgive_admission(LocalQueueId queue, WorkloadId id) {
  if (!configuration.shares_admission_fairly() || queue.is_none()) return;
  local_queues[queue].ledger.drop_penalty(id);
  refresh_usage(queue);
}

// In a running cluster usage is sampled at intervals.
void Tables::sample_usage() {
  if (!configuration.shares_admission_fairly() || holds_retries) return;
  const AdmissionFairSharing& rules = *configuration.admission_fair_sharing;
  local_queues.for_each([&](LocalQueueId id, LocalQueueRow& row) {
    const auto since = row.ledger.sampled_at();
    if (!since || now - *since < rules.usage_sampling_interval) return;
    row.ledger.sample(used_by(id), now, rules.usage_half_life);
    refresh_usage(id);
  });
}

}  // namespace muster::core
