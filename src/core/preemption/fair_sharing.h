// FairCandidates: whom Kueue would preempt under fair sharing, in its order. The tree is walked
// from its root to the queue with the greatest share; its next candidate goes if the shares, once
// it is gone and the preemptor has come, are fair by the strategy. Then the walk begins again: the
// shares have changed.
//
//   FairCandidates candidates(search);
//   search.take_for_preemptor();
//   candidates.begin();
//   while (auto target = candidates.next()) search.take_out(target->workload);
//
// Assumes: the preemptor's usage is in the state for as long as next() is called, and the caller
// takes each target out before it asks for the next one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/admission/fair_share.h"
#include "core/preemption/candidate_stream.h"
#include "core/preemption/search.h"

namespace muster::core {

class FairCandidates {
 public:
  explicit FairCandidates(Search& search);

  bool empty() const { return queues_.empty(); }
  void begin();
  std::optional<Target> next();

 private:
  // A node of the preemptor's tree. Children stand behind each other.
  struct Node {
    QuotaNodeId id;
    std::uint32_t parent = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    std::uint32_t queue = no_queue;  // in queues_
    bool is_pruned = false;
    bool is_above_preemptor = false;
    bool is_share_known = false;
    FairShare share = {};
  };

  // A ClusterQueue with candidates.
  struct Queue {
    CandidateCursor evicted;
    CandidateCursor others;
    std::vector<CandidateEntry> retries = {};  // that failed in the first round
    std::size_t next_retry = 0;
  };

  static constexpr std::uint32_t no_queue = 0xffffffff;
  enum class Round : std::uint8_t { first, second, over };

  void add_tree();
  void add_candidates(std::uint32_t node);
  const FairShare& share(std::uint32_t node);
  void forget_shares_above(std::uint32_t node);
  std::optional<std::uint32_t> next_queue();
  std::optional<std::uint32_t> descend(std::uint32_t cohort);
  std::optional<std::uint32_t> greatest_queue(std::uint32_t cohort);
  std::optional<std::uint32_t> greatest_cohort(std::uint32_t cohort);

  bool has_candidate(std::uint32_t node) const;
  const CandidateEntry& head(std::uint32_t node) const;
  CandidateEntry pop(std::uint32_t node);
  bool goes_before(std::uint32_t a, std::uint32_t b) const;

  std::optional<Target> next_of_first_round();
  std::optional<Target> next_of_second_round();
  std::optional<Target> try_strategy(std::uint32_t node);
  // The ancestors of the two queues right below the lowest one that they share.
  std::pair<std::uint32_t, std::uint32_t> rivals(std::uint32_t node) const;
  Target take(std::uint32_t node, const CandidateEntry& candidate, PreemptionReason reason);
  void begin_second_round();

  Search& search_;
  std::vector<Node> nodes_;  // the root, or the preemptor's queue where it has no cohort, first
  std::vector<Queue> queues_;
  std::uint32_t own_ = 0;
  bool is_within_nominal_ = false;
  Round round_ = Round::first;
  std::optional<std::uint32_t> changed_;  // the queue whose candidate was handed out last
};

}  // namespace muster::core
