// Explanation: everything that one cycle tried on the way to its decisions, for `--explain` and
// `why`: flavors with their mode, candidates for preemption with the verdict on each, levels of a
// topology. Entries are typed and in the order in which they were tried. The words are static text.
//
//   if (policy.explanation != nullptr) {
//     policy.explanation->of(workload).flavors.push_back({.pod_set = "main", …});
//   }
//
// Assumes: filled by plan() alone, read after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.h"

namespace muster::core {

// One flavor for one resource of a pod set (or of a group of pod sets).
struct TriedFlavor {
  std::string pod_set;
  FlavorId flavor;
  ResourceId resource;
  std::string_view mode;  // NoFit, NoCandidates, Preempt, Reclaim, Fit
  std::int32_t borrow = 0;
  std::string reason = {};  // what stood in the way; empty where it fits
};

// One workload that could have been preempted.
struct TriedCandidate {
  WorkloadId workload;
  std::string_view verdict;      // Victim, PutBack, WithinNominal, NotAllowed, NotNeeded …
  std::string_view reason = {};  // of a victim: InClusterQueue, InCohortReclamation …
};

// One level of a topology at which a pod set was tried.
struct TriedLevel {
  std::string pod_set;
  FlavorId flavor;
  std::string level;
  std::int64_t fits = 0;  // pods (or slices) that fit in the best domain, or in all of them
  std::int64_t wanted = 0;
  bool chosen = false;
};

struct Tries {
  std::vector<TriedFlavor> flavors;
  std::vector<TriedCandidate> candidates;
  std::vector<TriedLevel> levels;
};

struct Explanation {
  std::map<WorkloadId, Tries> tries;

  Tries& of(WorkloadId workload) { return tries[workload]; }
};

}  // namespace muster::core
