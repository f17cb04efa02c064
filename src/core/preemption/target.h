// Target: a workload that has to go so that another can start, and why it may be asked to.
//
//   for (const Target& target : targets) evict(target.workload, reason_name(target.reason));
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/ids.h"

namespace muster::core {

enum class PreemptionReason : std::uint8_t {
  none,                               // the slice that the preemptor replaces
  in_cluster_queue,                   // priority inside the preemptor's queue
  in_cohort_reclamation,              // quota that belongs to the preemptor
  in_cohort_fair_sharing,             // a greater share than the preemptor's
  in_cohort_reclaim_while_borrowing,  // a lower priority, though the preemptor borrows
};

struct Target {
  WorkloadId workload;
  PreemptionReason reason = PreemptionReason::none;

  friend bool operator==(const Target&, const Target&) = default;
};

// "InCohortReclamation", as the condition Preempted has it; empty for none.
std::string_view reason_name(PreemptionReason reason);

// "reclamation within the cohort", as the message has it.
std::string_view reason_phrase(PreemptionReason reason);

}  // namespace muster::core
