// SPDX-License-Identifier: Apache-2.0
#include "objects/patch/element_order.h"

#include <algorithm>

namespace muster::objects {

std::map<Identity, std::size_t> first_positions(const Identities& identities) {
  std::map<Identity, std::size_t> positions;
  for (std::size_t i = 0; i < identities.size(); ++i) positions.emplace(identities[i], i);
  return positions;
}

std::vector<std::size_t> element_order(const Identities& merged, const Identities& wanted,
                                       const Identities& server) {
  const auto wanted_at = first_positions(wanted);
  const auto server_at = first_positions(server);
  std::vector<std::size_t> from_patch;
  std::vector<std::size_t> server_only;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    (wanted_at.contains(merged[i]) ? from_patch : server_only).push_back(i);
  }
  const auto by = [&merged](const std::map<Identity, std::size_t>& positions) {
    return [&merged, &positions](std::size_t a, std::size_t b) {
      const auto at_a = positions.find(merged[a]);
      const auto at_b = positions.find(merged[b]);
      if (at_a == positions.end() || at_b == positions.end()) return false;
      return at_a->second < at_b->second;
    };
  };
  std::stable_sort(from_patch.begin(), from_patch.end(), by(wanted_at));
  // Two with one identity come together, where the first stood.
  std::stable_sort(server_only.begin(), server_only.end(), by(server_at));

  std::vector<std::size_t> order;
  order.reserve(merged.size());
  auto patched = from_patch.begin();
  auto untouched = server_only.begin();
  while (patched != from_patch.end() && untouched != server_only.end()) {
    const bool untouched_first = by(server_at)(*untouched, *patched);
    order.push_back(untouched_first ? *untouched++ : *patched++);
  }
  order.insert(order.end(), patched, from_patch.end());
  order.insert(order.end(), untouched, server_only.end());
  return order;
}

}  // namespace muster::objects
