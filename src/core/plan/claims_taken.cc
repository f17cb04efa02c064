// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/plan/cycle.h"

namespace muster::core {

bool are_claims_taken(const Cycle& cycle, std::string_view name_space, const ClaimNames& names) {
  if (cycle.claims_taken.empty()) return false;
  return std::ranges::any_of(names, [&](const std::string& name) {
    return cycle.claims_taken.contains(fmt::format("{}/{}", name_space, name));
  });
}

void take_claims(Cycle& cycle, std::string_view name_space, const ClaimNames& names) {
  for (const std::string& name : names) {
    std::string key = fmt::format("{}/{}", name_space, name);
    const Claim* claim = cycle.tables.claims.find(key);
    if (claim == nullptr || claim->access == ClaimAccess::many_nodes) continue;
    cycle.claims_taken.insert(std::move(key));
  }
}

}  // namespace muster::core
