// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/classical.h"

#include <algorithm>

#include "core/model/quota_amount.h"

namespace muster::core {
namespace {

// Whether the node's own quota covers what is still asked for; what it keeps from its parent and
// has free is taken off for the next node up.
bool covers(const QuotaForest& forest, QuotaNodeId node, Usage& remaining) {
  bool covers_all = true;
  for (FlavorUsage& each : remaining) {
    const FlavorResourceId pair = each.flavor_resource;
    const std::int64_t with = amount_plus(forest.usage(node, pair), each.amount);
    if (forest.subtree(node, pair) < with) covers_all = false;
    each.amount =
        std::max<std::int64_t>(amount_minus(each.amount, forest.local_available(node, pair)), 0);
  }
  return covers_all;
}

}  // namespace

bool may_borrow_within_cohort(const Preemption& allowed) {
  return allowed.borrow_within_cohort &&
         allowed.borrow_within_cohort->policy != PreemptionPolicy::never;
}

ClassicalCandidates::ClassicalCandidates(const Search& search) : search_(search) {
  const Preemption& allowed = search.queue().spec.preemption;
  if (allowed.within_cluster_queue != PreemptionPolicy::never) {
    lists_[own_queue].push_back({search.preemptor().queue, search.node(), {}});
  }
  if (search.has_parent() && allowed.reclaim_within_cohort != PreemptionPolicy::never) collect();
}

void ClassicalCandidates::collect() {
  const QuotaForest& forest = search_.quota();
  Usage remaining = *search_.preemptor().usage;
  bool has_advantage = covers(forest, search_.node(), remaining);
  QuotaNodeId before;
  for (QuotaNodeId cohort = forest.parent(search_.node()); !cohort.is_none();
       cohort = forest.parent(cohort)) {
    collect_below(cohort, cohort, before, has_advantage ? by_hierarchy : by_priority);
    if (covers(forest, cohort, remaining)) has_advantage = true;
    before = cohort;
  }
}

void ClassicalCandidates::collect_below(QuotaNodeId cohort, QuotaNodeId common, QuotaNodeId skipped,
                                        List list) {
  const QuotaForest& forest = search_.quota();
  const PreemptionPolicy policy = search_.queue().spec.preemption.reclaim_within_cohort;
  for (const QuotaNodeId child : forest.children(cohort)) {
    if (child == skipped || child == search_.node() || search_.is_within_nominal(child)) continue;
    if (!forest.is_cluster_queue(child)) {
      collect_below(child, common, skipped, list);
    } else if (has_candidate(search_, forest.cluster_queue(child), policy)) {
      lists_[list].push_back({forest.cluster_queue(child), child, common});
    }
  }
}

bool ClassicalCandidates::none_in_other_queues() const {
  return lists_[by_hierarchy].empty() && lists_[by_priority].empty();
}

void ClassicalCandidates::restart(bool may_borrow) {
  may_borrow_ = may_borrow;
  step_ = 0;
  stream_.reset();
}

void ClassicalCandidates::open(std::uint32_t step) {
  const auto part = step < list_count ? CandidatePart::evicted : CandidatePart::others;
  const std::vector<Source>& sources = lists_[step % list_count];
  const Preemption& allowed = search_.queue().spec.preemption;
  const PreemptionPolicy policy =
      step % list_count == own_queue ? allowed.within_cluster_queue : allowed.reclaim_within_cohort;
  stream_.emplace(search_, part);
  for (std::uint32_t i = 0; i < sources.size(); ++i) stream_->add(sources[i].queue, policy, i);
}

PreemptionReason ClassicalCandidates::reason_for(List list, const CandidateEntry& candidate) const {
  if (list == own_queue) return PreemptionReason::in_cluster_queue;
  if (list == by_hierarchy) return PreemptionReason::in_cohort_reclamation;
  const Preemption& allowed = search_.queue().spec.preemption;
  if (!may_borrow_within_cohort(allowed) || candidate.priority >= search_.priority()) {
    return PreemptionReason::in_cohort_reclamation;
  }
  const auto threshold = allowed.borrow_within_cohort->max_priority_threshold;
  return !threshold || candidate.priority <= *threshold
             ? PreemptionReason::in_cohort_reclaim_while_borrowing
             : PreemptionReason::in_cohort_reclamation;
}

bool ClassicalCandidates::is_within_its_own(const Source& source) const {
  for (QuotaNodeId node = source.node; node != source.common; node = search_.quota().parent(node)) {
    if (search_.is_within_nominal(node)) return true;
  }
  return false;
}

std::optional<Target> ClassicalCandidates::next() {
  for (; step_ < 2 * list_count; ++step_, stream_.reset()) {
    if (!stream_) open(step_);
    const auto list = static_cast<List>(step_ % list_count);
    while (const auto found = stream_->next()) {
      const PreemptionReason reason = reason_for(list, found->entry);
      if (list == by_priority && may_borrow_ &&
          reason != PreemptionReason::in_cohort_reclaim_while_borrowing) {
        search_.note(found->entry.workload, "NotWhileBorrowing");
        continue;
      }
      if (list != own_queue && is_within_its_own(lists_[list][found->source])) {
        search_.note(found->entry.workload, "WithinNominal");
        continue;
      }
      return Target{found->entry.workload, reason};
    }
  }
  return std::nullopt;
}

}  // namespace muster::core
