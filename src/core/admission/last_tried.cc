// SPDX-License-Identifier: Apache-2.0
#include "core/admission/last_tried.h"

#include <algorithm>

namespace muster::core {

bool LastTried::has_pending_flavors() const {
  return std::ranges::any_of(entries, [](const Entry& entry) { return entry.index != all_tried; });
}

std::size_t LastTried::next_flavor(std::size_t pod_set, ResourceId resource) const {
  for (const Entry& entry : entries) {
    if (entry.pod_set != pod_set || entry.resource != resource) continue;
    return entry.index == all_tried ? 0 : static_cast<std::size_t>(entry.index) + 1;
  }
  return 0;
}

bool is_outdated(const LastTried& last, const SearchMoment& now, bool preserves_progress) {
  if (preserves_progress) {
    const bool is_known = last.moment.shape != 0 && now.shape != 0;
    if (is_known && last.moment.shape != now.shape) return true;
    if (now.cycle - last.moment.cycle <= 1) return false;
  }
  return now.generation > last.moment.generation;
}

}  // namespace muster::core
