// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/target.h"

namespace muster::core {

std::string_view reason_name(PreemptionReason reason) {
  switch (reason) {
    case PreemptionReason::none:
      return "";
    case PreemptionReason::in_cluster_queue:
      return "InClusterQueue";
    case PreemptionReason::in_cohort_reclamation:
      return "InCohortReclamation";
    case PreemptionReason::in_cohort_fair_sharing:
      return "InCohortFairSharing";
    case PreemptionReason::in_cohort_reclaim_while_borrowing:
      return "InCohortReclaimWhileBorrowing";
  }
  return "";
}

std::string_view reason_phrase(PreemptionReason reason) {
  switch (reason) {
    case PreemptionReason::none:
      return "UNKNOWN";
    case PreemptionReason::in_cluster_queue:
      return "prioritization in the ClusterQueue";
    case PreemptionReason::in_cohort_reclamation:
      return "reclamation within the cohort";
    case PreemptionReason::in_cohort_fair_sharing:
      return "Fair Sharing within the cohort";
    case PreemptionReason::in_cohort_reclaim_while_borrowing:
      return "reclamation within the cohort while borrowing";
  }
  return "UNKNOWN";
}

}  // namespace muster::core
