// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/fair_sharing.h"

#include <algorithm>
#include <utility>

#include "core/preemption/candidate_order.h"

namespace muster::core {

FairCandidates::FairCandidates(Search& search) : search_(search) {
  add_tree();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) add_candidates(node);
}

void FairCandidates::add_tree() {
  const QuotaForest& forest = search_.quota();
  nodes_.push_back({.id = search_.has_parent() ? forest.root(search_.node()) : search_.node()});
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    if (nodes_[at].id == search_.node()) own_ = at;
    if (forest.is_cluster_queue(nodes_[at].id)) continue;
    nodes_[at].first_child = static_cast<std::uint32_t>(nodes_.size());
    for (const QuotaNodeId child : forest.children(nodes_[at].id)) {
      nodes_.push_back({.id = child, .parent = at});
      ++nodes_[at].child_count;
    }
  }
  for (std::uint32_t at = own_; at != 0; at = nodes_[at].parent) {
    nodes_[nodes_[at].parent].is_above_preemptor = true;
  }
}

void FairCandidates::add_candidates(std::uint32_t node) {
  const QuotaForest& forest = search_.quota();
  if (!forest.is_cluster_queue(nodes_[node].id)) return;
  const Preemption& allowed = search_.queue().spec.preemption;
  PreemptionPolicy policy = allowed.within_cluster_queue;
  if (node != own_) {
    policy = allowed.reclaim_within_cohort;
    const bool borrows = std::ranges::any_of(
        search_.preemptor().contested,
        [&](FlavorResourceId pair) { return forest.is_borrowing(nodes_[node].id, pair); });
    if (!borrows) return;
  }
  if (policy == PreemptionPolicy::never) return;
  const ClusterQueueId id = forest.cluster_queue(nodes_[node].id);
  Queue queue{CandidateCursor(search_, id, policy, CandidatePart::evicted),
              CandidateCursor(search_, id, policy, CandidatePart::others)};
  if (queue.evicted.at_end() && queue.others.at_end()) return;
  nodes_[node].queue = static_cast<std::uint32_t>(queues_.size());
  queues_.push_back(std::move(queue));
}

void FairCandidates::begin() {
  is_within_nominal_ =
      search_.tables().configuration.gates.enabled(Gate::fair_sharing_preempt_within_nominal) &&
      std::ranges::none_of(search_.preemptor().contested, [&](FlavorResourceId pair) {
        return search_.quota().is_borrowing(search_.node(), pair);
      });
}

const FairShare& FairCandidates::share(std::uint32_t node) {
  Node& asked = nodes_[node];
  if (!asked.is_share_known) {
    asked.share = fair_share(search_.tables(), asked.id);
    asked.is_share_known = true;
  }
  return asked.share;
}

void FairCandidates::forget_shares_above(std::uint32_t node) {
  for (;; node = nodes_[node].parent) {
    nodes_[node].is_share_known = false;
    if (node == 0) return;
  }
}

bool FairCandidates::has_candidate(std::uint32_t node) const {
  if (nodes_[node].queue == no_queue) return false;
  const Queue& queue = queues_[nodes_[node].queue];
  if (round_ == Round::second) return queue.next_retry < queue.retries.size();
  return !queue.evicted.at_end() || !queue.others.at_end();
}

const CandidateEntry& FairCandidates::head(std::uint32_t node) const {
  const Queue& queue = queues_[nodes_[node].queue];
  if (round_ == Round::second) return queue.retries[queue.next_retry];
  return queue.evicted.at_end() ? queue.others.entry() : queue.evicted.entry();
}

CandidateEntry FairCandidates::pop(std::uint32_t node) {
  const CandidateEntry popped = head(node);
  Queue& queue = queues_[nodes_[node].queue];
  if (round_ == Round::second) {
    ++queue.next_retry;
  } else {
    (queue.evicted.at_end() ? queue.others : queue.evicted).advance();
  }
  return popped;
}

// Between queues of the same share: whose next candidate would go first.
bool FairCandidates::goes_before(std::uint32_t a, std::uint32_t b) const {
  const CandidateEntry& first = head(a);
  const CandidateEntry& second = head(b);
  if (first.is_evicted == second.is_evicted && (a == own_) != (b == own_)) return b == own_;
  return CandidateBefore{search_.tables()}(first, second);
}

std::optional<std::uint32_t> FairCandidates::greatest_queue(std::uint32_t cohort) {
  std::optional<std::uint32_t> greatest;
  const std::uint32_t end = nodes_[cohort].first_child + nodes_[cohort].child_count;
  for (std::uint32_t at = nodes_[cohort].first_child; at < end; ++at) {
    if (nodes_[at].is_pruned || !search_.quota().is_cluster_queue(nodes_[at].id)) continue;
    if (!has_candidate(at) || (at != own_ && !share(at).is_borrowing)) {
      nodes_[at].is_pruned = true;
      continue;
    }
    const int order = greatest ? compare(share(at), share(*greatest)) : 1;
    if (order > 0 || (order == 0 && goes_before(at, *greatest))) greatest = at;
  }
  return greatest;
}

std::optional<std::uint32_t> FairCandidates::greatest_cohort(std::uint32_t cohort) {
  std::optional<std::uint32_t> greatest;
  const std::uint32_t end = nodes_[cohort].first_child + nodes_[cohort].child_count;
  for (std::uint32_t at = nodes_[cohort].first_child; at < end; ++at) {
    if (nodes_[at].is_pruned || search_.quota().is_cluster_queue(nodes_[at].id)) continue;
    if (!share(at).is_borrowing && !nodes_[at].is_above_preemptor) {
      nodes_[at].is_pruned = true;
      continue;
    }
    if (!greatest || compare(share(at), share(*greatest)) >= 0) greatest = at;
  }
  return greatest;
}

// One way down; nothing where it ended in a cohort without candidates, which is pruned then.
std::optional<std::uint32_t> FairCandidates::descend(std::uint32_t cohort) {
  for (;;) {
    const auto queue = greatest_queue(cohort);
    const auto below = greatest_cohort(cohort);
    if (!queue && !below) {
      nodes_[cohort].is_pruned = true;
      return std::nullopt;
    }
    if (!below || (queue && compare(share(*below), share(*queue)) < 0)) return queue;
    cohort = *below;
  }
}

std::optional<std::uint32_t> FairCandidates::next_queue() {
  if (!search_.has_parent()) {
    return has_candidate(own_) ? std::optional(own_) : std::nullopt;
  }
  while (!nodes_.front().is_pruned) {
    if (const auto found = descend(0)) return found;
  }
  return std::nullopt;
}

std::pair<std::uint32_t, std::uint32_t> FairCandidates::rivals(std::uint32_t node) const {
  while (!nodes_[nodes_[node].parent].is_above_preemptor) node = nodes_[node].parent;
  std::uint32_t own = own_;
  while (nodes_[own].parent != nodes_[node].parent) own = nodes_[own].parent;
  return {own, node};
}

Target FairCandidates::take(std::uint32_t node, const CandidateEntry& candidate,
                            PreemptionReason reason) {
  changed_ = node;
  return {candidate.workload, reason};
}

// Every candidate of the queue until one passes; those that do not may be tried once more.
std::optional<Target> FairCandidates::try_strategy(std::uint32_t node) {
  const auto [own, other] = rivals(node);
  const FairShare preemptor = share(own);
  const FairShare before = share(other);
  const bool by_final_share =
      search_.tables().configuration.fair_sharing.preemption_strategies.front() ==
      FairSharingStrategy::less_than_or_equal_to_final_share;
  const bool passes_by_initial = compare(preemptor, before) < 0;
  // Shares only shrink with what is taken out: a greater one before is needed in any case.
  const bool may_pass = by_final_share ? compare(preemptor, before) <= 0 : passes_by_initial;
  while (has_candidate(node)) {
    const CandidateEntry candidate = pop(node);
    bool passes = may_pass;
    if (passes && by_final_share) {
      passes = compare(preemptor, search_.share_without(candidate.workload, nodes_[other].id)) <= 0;
    }
    if (passes) return take(node, candidate, PreemptionReason::in_cohort_fair_sharing);
    search_.note(candidate.workload, "ShareTooSmall");
    queues_[nodes_[node].queue].retries.push_back(candidate);
  }
  return std::nullopt;
}

std::optional<Target> FairCandidates::next_of_first_round() {
  while (const auto node = next_queue()) {
    if (*node == own_) return take(own_, pop(own_), PreemptionReason::in_cluster_queue);
    if (is_within_nominal_) {
      return take(*node, pop(*node), PreemptionReason::in_cohort_reclamation);
    }
    if (const auto target = try_strategy(*node)) return target;
  }
  return std::nullopt;
}

void FairCandidates::begin_second_round() {
  const bool has_second =
      search_.tables().configuration.fair_sharing.preemption_strategies.size() > 1;
  round_ = has_second ? Round::second : Round::over;
  for (Node& node : nodes_) node.is_pruned = false;
}

// At most one of each queue.
std::optional<Target> FairCandidates::next_of_second_round() {
  while (const auto node = next_queue()) {
    const CandidateEntry candidate = pop(*node);
    nodes_[*node].is_pruned = true;
    const auto [own, other] = rivals(*node);
    if (compare(share(own), share(other)) < 0) {
      return take(*node, candidate, PreemptionReason::in_cohort_fair_sharing);
    }
  }
  return std::nullopt;
}

std::optional<Target> FairCandidates::next() {
  if (changed_) forget_shares_above(*changed_);
  changed_.reset();
  if (round_ == Round::first) {
    if (auto target = next_of_first_round()) return target;
    begin_second_round();
  }
  if (round_ == Round::second) return next_of_second_round();
  return std::nullopt;
}

}  // namespace muster::core
