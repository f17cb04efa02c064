// SPDX-License-Identifier: Apache-2.0
#include "core/admission/fair_tournament.h"

#include <algorithm>

#include "base/check.h"
#include "core/admission/admission_usage.h"

namespace muster::core {

FairTournament::FairTournament(Tables& tables, const Policy& policy,
                               std::span<const Decision> entries)
    : tables_(tables), policy_(policy), entries_(entries) {
  const bool by_priority = policy.kueue.gates.enabled(Gate::priority_sorting_within_cohort);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [at, is_new] = of_queue_.emplace(entries[i].queue, contenders_.size());
    Contender& contender = is_new ? contenders_.emplace_back() : contenders_[at->second];
    contender.entry = i;
    contender.ticket = tables.ticket_of(entries[i].workload);
    if (!by_priority) contender.ticket.priority = 0;
  }
  std::ranges::sort(contenders_, {}, [&](const Contender& contender) -> const std::string& {
    return tables.cluster_queues.key(entries[contender.entry].queue);
  });
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    of_queue_[entries[contenders_[i].entry].queue] = i;
  }
}

void FairTournament::refresh(Contender& contender) {
  if (!contender.is_stale) return;
  contender.is_stale = false;
  contender.levels.clear();
  const Decision& entry = entries_[contender.entry];
  const AdmissionUsage usage = net_usage(tables_, entry);
  Trial trial(tables_.undo);
  take(tables_, trial, entry.queue, usage);
  QuotaNodeId node = tables_.cluster_queues[entry.queue].node;
  for (QuotaNodeId parent = tables_.quota.parent(node); !parent.is_none();
       node = parent, parent = tables_.quota.parent(node)) {
    contender.levels.push_back(
        {.parent = parent,
         .share = fair_share(tables_, node),
         .borrows_what_it_asks = is_borrowing_on(tables_, node, usage.quota)});
  }
}

const FairTournament::Level& FairTournament::level_at(const Contender& contender,
                                                      QuotaNodeId cohort) {
  const auto found = std::ranges::find(contender.levels, cohort, &Level::parent);
  CHECK(found != contender.levels.end());
  return *found;
}

bool FairTournament::beats(const Contender& a, const Contender& b, QuotaNodeId cohort) const {
  if (policy_.lets_preemptors_go_first()) {
    const bool a_preempts = entries_[a.entry].is_preemptor;
    const bool b_preempts = entries_[b.entry].is_preemptor;
    if (a_preempts != b_preempts) return a_preempts;
  }
  const Level& left = level_at(a, cohort);
  const Level& right = level_at(b, cohort);
  if (policy_.kueue.gates.enabled(Gate::fair_sharing_prioritize_non_borrowing) &&
      left.borrows_what_it_asks != right.borrows_what_it_asks) {
    return !left.borrows_what_it_asks;
  }
  const int by_share = compare(left.share, right.share);
  return by_share != 0 ? by_share < 0 : stands_before(a.ticket, b.ticket);
}

FairTournament::Contender* FairTournament::best_of(QuotaNodeId cohort) {
  Contender* best = nullptr;
  for (const QuotaNodeId child : tables_.quota.children(cohort)) {
    Contender* candidate = nullptr;
    if (!tables_.quota.is_cluster_queue(child)) {
      candidate = best_of(child);
    } else if (const auto found = of_queue_.find(tables_.quota.cluster_queue(child));
               found != of_queue_.end() && !contenders_[found->second].is_out) {
      candidate = &contenders_[found->second];
      refresh(*candidate);
    }
    if (candidate == nullptr) continue;
    if (best == nullptr || beats(*candidate, *best, cohort)) best = candidate;
  }
  return best;
}

std::optional<std::size_t> FairTournament::next() {
  while (first_ < contenders_.size() && contenders_[first_].is_out) ++first_;
  if (first_ == contenders_.size()) return std::nullopt;
  Contender* winner = &contenders_[first_];
  const QuotaNodeId node = tables_.cluster_queues[entries_[winner->entry].queue].node;
  if (tables_.quota.has_parent(node)) {
    Contender* best = best_of(tables_.quota.root(node));
    if (best != nullptr) winner = best;
  }
  winner->is_out = true;
  return winner->entry;
}

// A queue's own share depends on its own usage alone; that of a cohort on everybody's below it. So
// only those are computed again that meet the entry's queue below the root.
void FairTournament::usage_changed(std::size_t entry) {
  const QuotaNodeId node = tables_.cluster_queues[entries_[entry].queue].node;
  const QuotaNodeId parent = tables_.quota.parent(node);
  if (parent.is_none()) return;
  const QuotaNodeId root = tables_.quota.root(node);
  for (Contender& contender : contenders_) {
    if (contender.is_out || contender.is_stale || contender.levels.size() < 2) continue;
    if (contender.levels.back().parent == root) contender.is_stale = true;
  }
}

}  // namespace muster::core
