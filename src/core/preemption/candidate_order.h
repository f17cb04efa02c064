// The order in which workloads that hold quota would be preempted, and the entries by which a
// ClusterQueue keeps them in that order (candidate_index.h).
//
//   enter_candidates(tables, id);              // has quota now
//   leave_candidates(tables, id);              // before anything about it changes
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/ids.h"
#include "core/preemption/candidate_index.h"

namespace muster::core {

struct Tables;

// Already evicted, then lower priority, then who got quota last, then UID and, where several have
// none, the name. Queues are not compared: those of the preemptor's own stand in a list of their
// own.
struct CandidateBefore {
  const Tables& tables;

  bool operator()(const CandidateEntry& a, const CandidateEntry& b) const;
};

CandidateEntry candidate_entry(const Tables& tables, WorkloadId id);

// Of the queue in which it holds quota.
void enter_candidates(Tables& tables, WorkloadId id);
void leave_candidates(Tables& tables, WorkloadId id);
void refresh_candidate(Tables& tables, WorkloadId id);  // where it holds quota

}  // namespace muster::core
