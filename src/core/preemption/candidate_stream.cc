// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/candidate_stream.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "core/preemption/candidate_order.h"
#include "core/preemption/cost.h"

namespace muster::core {
namespace {

// The order of the index, with the cost where it counts.
struct PlaceBefore {
  const Search& search;

  bool operator()(const CandidateCursor::Place& a, const CandidateCursor::Place& b) const {
    const PreemptionCost counts = search.policy().preemption_cost;
    const bool are_equal =
        counts == PreemptionCost::ties && a.entry.is_evicted == b.entry.is_evicted &&
        a.entry.priority == b.entry.priority && a.entry.reserved_at == b.entry.reserved_at;
    if ((are_equal || counts == PreemptionCost::first) && a.cost != b.cost) return a.cost < b.cost;
    return CandidateBefore{search.tables()}(a.entry, b.entry);
  }
};

}  // namespace

CandidateCursor::CandidateCursor(const Search& search, ClusterQueueId queue,
                                 PreemptionPolicy policy, CandidatePart part)
    : search_(&search),
      queue_(queue),
      policy_(policy),
      at_(search.tables().cluster_queues[queue].candidates.begin()),
      end_(search.tables().cluster_queues[queue].candidates.end()) {
  const CandidateIndex& index = search.tables().cluster_queues[queue].candidates;
  const CandidateIndex::Iterator others = index.at(index.evicted());
  (part == CandidatePart::evicted ? end_ : at_) = others;
  if (policy == PreemptionPolicy::never) at_ = end_;
  rank_all();
  if (is_ranked_) {
    show_ranked();
  } else {
    find_next();
  }
}

bool CandidateCursor::is_candidate(const CandidateEntry& entry) const {
  return search_->is_useful(entry) && search_->may_preempt(policy_, entry);
}

// Priorities only grow on the way: behind the first that is too high there is nobody.
void CandidateCursor::find_next() {
  for (; at_ != end_; ++at_) {
    if (policy_ != PreemptionPolicy::any && at_->priority > search_->priority()) break;
    if (!is_candidate(*at_)) continue;
    entry_ = *at_;
    place_ = {entry_};
    return;
  }
  at_end_ = true;
}

// Kueue compares LocalQueues of different names only. Those of one name, in several namespaces,
// count as the one of them that used most.
void CandidateCursor::read_local_usage() {
  const Tables& tables = search_->tables();
  std::map<std::string_view, double> usage;
  for (const Ranked& each : ranked_) {
    const WorkloadRow& row = tables.workloads[each.place.entry.workload];
    double& most = usage[row.spec.queue_name];
    most = std::max(most, tables.usage_of(row.local_queue));
  }
  for (Ranked& each : ranked_) {
    each.local_usage = usage[tables.workloads[each.place.entry.workload].spec.queue_name];
  }
}

void CandidateCursor::rank_all() {
  const PreemptionCost counts = search_->policy().preemption_cost;
  const Tables& tables = search_->tables();
  const bool by_usage = tables.admits_by_usage(queue_);
  is_ranked_ = by_usage || counts != PreemptionCost::ignored;
  if (!is_ranked_) return;
  for (; at_ != end_; ++at_) {
    if (!is_candidate(*at_)) continue;
    Ranked& next = ranked_.emplace_back(Ranked{{*at_}});
    if (counts != PreemptionCost::ignored) {
      next.place.cost = preemption_cost(tables, at_->workload);
    }
  }
  if (by_usage) read_local_usage();
  std::ranges::sort(ranked_, PlaceBefore{*search_}, &Ranked::place);
  for (const Ranked& each : ranked_) places_.push_back(each.place);
  if (by_usage && counts != PreemptionCost::first) {
    std::ranges::stable_sort(ranked_, std::ranges::greater{}, &Ranked::local_usage);
  }
}

void CandidateCursor::show_ranked() {
  at_end_ = next_ == ranked_.size();
  if (at_end_) return;
  entry_ = ranked_[next_].place.entry;
  place_ = places_[next_];
}

void CandidateCursor::advance() {
  if (is_ranked_) {
    ++next_;
    show_ranked();
  } else {
    ++at_;
    find_next();
  }
}

void CandidateStream::add(ClusterQueueId queue, PreemptionPolicy policy, std::uint32_t source) {
  CandidateCursor cursor(*search_, queue, policy, part_);
  if (!cursor.at_end()) heap_.push_back({std::move(cursor), source});
}

bool CandidateStream::is_later(const Source& a, const Source& b) const {
  return PlaceBefore{*search_}(b.cursor.place(), a.cursor.place());
}

void CandidateStream::settle() {
  if (is_settled_) return;
  is_settled_ = true;
  std::ranges::make_heap(heap_,
                         [this](const Source& a, const Source& b) { return is_later(a, b); });
}

std::optional<CandidateStream::Candidate> CandidateStream::next() {
  settle();
  if (heap_.empty()) return std::nullopt;
  const auto later = [this](const Source& a, const Source& b) { return is_later(a, b); };
  if (heap_.size() > 1) std::ranges::pop_heap(heap_, later);
  Source& first = heap_.back();
  const Candidate found{first.cursor.entry(), first.source};
  first.cursor.advance();
  if (first.cursor.at_end()) {
    heap_.pop_back();
  } else if (heap_.size() > 1) {
    std::ranges::push_heap(heap_, later);
  }
  return found;
}

bool has_candidate(const Search& search, ClusterQueueId queue, PreemptionPolicy policy) {
  for (const CandidateEntry& entry : search.tables().cluster_queues[queue].candidates) {
    if (policy != PreemptionPolicy::any && entry.priority > search.priority()) {
      if (entry.is_evicted) continue;
      return false;
    }
    if (search.is_useful(entry) && search.may_preempt(policy, entry)) return true;
  }
  return false;
}

}  // namespace muster::core
