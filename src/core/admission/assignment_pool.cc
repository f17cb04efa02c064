// SPDX-License-Identifier: Apache-2.0
#include "core/admission/assignment_pool.h"

namespace muster::core {

// Emptied here, where it is filled at once, and not for all together: it is fetched only once.
AssignmentRef AssignmentPool::take() {
  if (taken_ == assignments_.size()) {
    assignments_.push_back(std::make_unique<Assignment>());
  } else {
    clear(*assignments_[taken_]);
  }
  return AssignmentRef(*assignments_[taken_++]);
}

void AssignmentPool::take_all_back() {
  if (assignments_.size() > kept_max) assignments_.resize(kept_max);
  taken_ = 0;
}

void renew(std::shared_ptr<AssignmentPool>& pool) {
  if (pool == nullptr || pool.use_count() > 1) {
    pool = std::make_shared<AssignmentPool>();
  } else {
    pool->take_all_back();
  }
}

}  // namespace muster::core
