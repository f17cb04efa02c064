// Search: what one search for targets works with: the preemptor as ids and numbers, and the state
// within a trial, from which candidates are taken out and into which they are put back.
//
//   Search search(tables, policy, preemptor);
//   search.take_out(candidate);
//   if (search.has_quota(may_borrow) && search.has_place()) …
//
// Assumes: what it took out is back when it ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/admission/fair_share.h"
#include "core/model/tables.h"
#include "core/placement/topology.h"
#include "core/plan/policy.h"
#include "core/preemption/find_targets.h"

namespace muster::core {

// What happened to candidates on the way; static text.
using CandidateNotes = std::map<WorkloadId, std::string_view>;

class Search {
 public:
  Search(Tables& tables, const Policy& policy, const Preemptor& preemptor);

  const Tables& tables() const { return tables_; }
  const QuotaForest& quota() const { return tables_.quota; }
  const Policy& policy() const { return policy_; }
  const Preemptor& preemptor() const { return preemptor_; }
  const ClusterQueueRow& queue() const { return tables_.cluster_queues[preemptor_.queue]; }
  QuotaNodeId node() const { return node_; }
  std::int64_t priority() const { return priority_; }
  bool has_parent() const { return !quota().parent(node_).is_none(); }

  // Every usage that the search may look at is taken out, or only that of the flavor resources the
  // preemptor asks for: nothing else is looked at where no shares are compared.
  void look_at_shares() { looks_at_shares_ = true; }

  void take_out(WorkloadId id);
  void put_back(WorkloadId id);

  // Why a candidate was passed over, for whoever asked; the last word on it counts.
  void note(WorkloadId id, std::string_view verdict) const {
    if (notes_ != nullptr) (*notes_)[id] = verdict;
  }
  void write_notes_to(CandidateNotes* notes) { notes_ = notes; }

  // The preemptor's own usage, while shares are compared with it.
  void take_for_preemptor();
  void give_for_preemptor();

  // The share of a node if the workload were gone.
  FairShare share_without(WorkloadId id, QuotaNodeId node);

  // Whether the policy lets the preemptor evict the candidate.
  bool may_preempt(PreemptionPolicy policy, const CandidateEntry& candidate) const;
  // Whether it still holds something that the preemptor lacks.
  bool is_useful(const CandidateEntry& candidate) const;

  // On every contested flavor resource the node and what is below uses no more than its own.
  bool is_within_nominal(QuotaNodeId node) const;

  bool has_quota(bool may_borrow) const;
  bool needs_place() const { return !preemptor_.topology.empty(); }
  bool has_place();
  // The same for a caller that put something back since the last answer, which was yes.
  bool still_has_place();
  // Whether more room can only help: an answer for many is an answer for fewer and the other way
  // round. So it is for one pod set; of several, the first may take the place of the next.
  bool place_is_monotone() const;

 private:
  void shift_usage(WorkloadId id, bool out);

  Tables& tables_;
  Trial trial_;
  const Policy& policy_;
  const Preemptor& preemptor_;
  QuotaNodeId node_;
  std::int64_t priority_ = 0;
  Instant since_;
  std::uint64_t contested_ = 0;  // bits, as in CandidateEntry::uses
  std::uint64_t asked_ = 0;
  bool bits_are_exact_ = false;
  bool somebody_is_gone_ = false;  // taken out of the state before the search began
  bool looks_at_shares_ = false;
  CandidateNotes* notes_ = nullptr;
  std::vector<TopologyUsage> witness_;  // a place that was free when it was last asked
};

}  // namespace muster::core
