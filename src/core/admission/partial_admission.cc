// SPDX-License-Identifier: Apache-2.0
#include "core/admission/partial_admission.h"

namespace muster::core {

ReducedCounts::ReducedCounts(const Workload& workload) : counts_(workload.pod_sets.size()) {
  for (const GangPodSet& set : workload.pod_sets) {
    full_.push_back(set.count);
    spare_.push_back(set.count - set.min_count.value_or(set.count));
    steps_ += spare_.back();
  }
}

// Both factors are counts of pods (int32), so that the product fits.
std::span<const std::int64_t> ReducedCounts::at(std::int64_t step) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] = full_[i] - spare_[i] * step / steps_;
  }
  return counts_;
}

}  // namespace muster::core
