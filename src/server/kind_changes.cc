// SPDX-License-Identifier: Apache-2.0
#include "server/kind_changes.h"

#include <vector>

namespace muster::server {

KindChanges::Subscription KindChanges::subscribe(const objects::KindRegistry::Found& kind,
                                                 Task on_change) {
  if (kind->is_built_in) return {};
  const std::uint64_t id = next_id_++;
  subscribers_.emplace(id, Subscriber{kind.get(), std::move(on_change)});
  return {this, id};
}

void KindChanges::announce(const objects::Kind& old_kind) {
  std::vector<std::uint64_t> concerned;
  for (const auto& [id, subscriber] : subscribers_) {
    if (subscriber.kind == &old_kind) concerned.push_back(id);
  }
  for (const std::uint64_t id : concerned) {
    const auto found = subscribers_.find(id);
    if (found == subscribers_.end()) continue;
    // Taken out first: the subscriber may go while it is being told.
    Task on_change = std::move(found->second.on_change);
    subscribers_.erase(found);
    on_change();
  }
}

}  // namespace muster::server
