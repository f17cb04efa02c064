// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/search.h"

#include <algorithm>

#include "core/model/quota_amount.h"
#include "core/model/workload_usage.h"

namespace muster::core {
namespace {

// Closer than this, two of equal priority came at the same time.
constexpr Span same_time = Span::of_seconds(300);

}  // namespace

Search::Search(Tables& tables, const Policy& policy, const Preemptor& preemptor)
    : tables_(tables),
      trial_(tables.undo),
      policy_(policy),
      preemptor_(preemptor),
      node_(tables.cluster_queues[preemptor.queue].node) {
  const Workload& workload = tables.workloads[preemptor.workload].spec;
  priority_ = workload.effective_priority();
  since_ = workload.queued_since();
  for (const FlavorResourceId pair : preemptor.contested) contested_ |= uses_bit(pair);
  asked_ = contested_;
  for (const FlavorUsage& each : *preemptor.usage) asked_ |= uses_bit(each.flavor_resource);
  bits_are_exact_ = tables.flavor_resources.size() <= 64;
  somebody_is_gone_ = tables.released != 0;
}

void Search::shift_usage(WorkloadId id, bool out) {
  const WorkloadRow& row = tables_.workloads[id];
  const QuotaNodeId node = tables_.cluster_queues[row.reserved_in].node;
  for (const FlavorUsage& each : row.reservation->holds) {
    if (!looks_at_shares_ && (uses_bit(each.flavor_resource) & asked_) == 0) continue;
    if (out) {
      tables_.quota.remove_usage(trial_, node, each.flavor_resource, each.amount);
    } else {
      tables_.quota.add_usage(trial_, node, each.flavor_resource, each.amount);
    }
  }
}

void Search::take_out(WorkloadId id) {
  shift_usage(id, true);
  if (needs_place()) give_topology(tables_, trial_, id);
}

void Search::put_back(WorkloadId id) {
  shift_usage(id, false);
  if (needs_place()) take_topology(tables_, trial_, id);
}

void Search::take_for_preemptor() {
  for (const FlavorUsage& each : *preemptor_.usage) {
    tables_.quota.add_usage(trial_, node_, each.flavor_resource, each.amount);
  }
}

void Search::give_for_preemptor() {
  for (const FlavorUsage& each : *preemptor_.usage) {
    tables_.quota.remove_usage(trial_, node_, each.flavor_resource, each.amount);
  }
}

FairShare Search::share_without(WorkloadId id, QuotaNodeId node) {
  const WorkloadRow& row = tables_.workloads[id];
  const QuotaNodeId queue = tables_.cluster_queues[row.reserved_in].node;
  Trial without(tables_.undo);
  for (const FlavorUsage& each : row.reservation->holds) {
    tables_.quota.remove_usage(without, queue, each.flavor_resource, each.amount);
  }
  return fair_share(tables_, node);
}

bool Search::may_preempt(PreemptionPolicy policy, const CandidateEntry& candidate) const {
  switch (policy) {
    case PreemptionPolicy::never:
      return false;
    case PreemptionPolicy::any:
      return true;
    case PreemptionPolicy::lower_priority:
      return candidate.priority < priority_;
    case PreemptionPolicy::lower_or_newer_equal_priority:
      break;
  }
  if (candidate.priority != priority_) return candidate.priority < priority_;
  if (!tables_.configuration.gates.enabled(Gate::scheduler_timestamp_preemption_buffer)) {
    return since_ < candidate.queued_since;
  }
  return same_time < candidate.queued_since - since_;
}

bool Search::is_useful(const CandidateEntry& candidate) const {
  if ((candidate.uses & contested_) == 0) return false;
  if (bits_are_exact_ && !somebody_is_gone_) return true;
  const WorkloadRow& row = tables_.workloads[candidate.workload];
  if (row.reservation->released != 0) return false;
  return bits_are_exact_ ||
         std::ranges::any_of(row.reservation->holds, [&](const FlavorUsage& each) {
           return std::ranges::find(preemptor_.contested, each.flavor_resource) !=
                  preemptor_.contested.end();
         });
}

bool Search::is_within_nominal(QuotaNodeId node) const {
  return std::ranges::none_of(preemptor_.contested, [&](FlavorResourceId pair) {
    return quota().is_borrowing(node, pair);
  });
}

bool Search::has_quota(bool may_borrow) const {
  return std::ranges::all_of(*preemptor_.usage, [&](const FlavorUsage& each) {
    if (!may_borrow && quota().borrowing_with(node_, each.flavor_resource, each.amount)) {
      return false;
    }
    return each.amount <= std::max<std::int64_t>(quota().available(node_, each.flavor_resource), 0);
  });
}

bool Search::place_is_monotone() const {
  if (preemptor_.topology.size() != 1 || preemptor_.topology.front().previous != nullptr) {
    return false;
  }
  return tables_.workloads[preemptor_.workload].spec.extras->unhealthy_nodes.empty() &&
         !tables_.configuration.gates.enabled(Gate::tas_balanced_placement);
}

bool Search::has_place() {
  if (!needs_place()) return true;
  witness_.clear();
  return !assign_topology(tables_, policy_, tables_.workloads[preemptor_.workload].spec,
                          preemptor_.topology, {.is_question = true})
              .failure;
}

bool Search::still_has_place() {
  if (!needs_place()) return true;
  if (!place_is_monotone()) return has_place();
  if (!witness_.empty() && topology_is_free(tables_, witness_)) return true;
  TopologyResult found =
      assign_topology(tables_, policy_, tables_.workloads[preemptor_.workload].spec,
                      preemptor_.topology, {.is_question = true});
  if (!found.failure) witness_ = std::move(found.usage);
  return !found.failure;
}

}  // namespace muster::core
