// ClassicalCandidates: whom Kueue would preempt without fair sharing, in its order. Three lists:
// those over whom the preemptor has a hierarchical advantage, because the quota they use belongs to
// a subtree that covers the preemptor's request; others in the tree who use more than is theirs;
// those of its own queue. Evicted ones of all lists go first.
//
//   ClassicalCandidates candidates(search);
//   candidates.restart(may_borrow);
//   while (auto target = candidates.next()) search.take_out(target->workload);
//
// Assumes: the caller takes each target out before it asks for the next: a queue or cohort that has
// come down to what is its own loses nobody more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/preemption/candidate_stream.h"
#include "core/preemption/search.h"

namespace muster::core {

// Whether workloads of lower priority may go though the preemptor's queue would borrow.
bool may_borrow_within_cohort(const Preemption& allowed);

class ClassicalCandidates {
 public:
  explicit ClassicalCandidates(const Search& search);

  bool none_in_other_queues() const;
  bool none_by_hierarchy() const { return lists_[by_hierarchy].empty(); }

  void restart(bool may_borrow);
  std::optional<Target> next();

 private:
  enum List : std::uint8_t { by_hierarchy, by_priority, own_queue, list_count };

  struct Source {
    ClusterQueueId queue;
    QuotaNodeId node;
    QuotaNodeId common;  // lowest ancestor that it shares with the preemptor
  };

  void collect();
  void collect_below(QuotaNodeId cohort, QuotaNodeId common, QuotaNodeId skipped, List list);
  void open(std::uint32_t step);
  PreemptionReason reason_for(List list, const CandidateEntry& candidate) const;
  bool is_within_its_own(const Source& source) const;

  const Search& search_;
  std::array<std::vector<Source>, list_count> lists_;
  bool may_borrow_ = false;
  std::uint32_t step_ = 0;  // evicted ones of each list, then the others of each
  std::optional<CandidateStream> stream_;
};

}  // namespace muster::core
