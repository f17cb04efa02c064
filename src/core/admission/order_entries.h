// The order in which a cycle deals with its heads, where shares do not decide it: who has a
// reservation already, who borrows from nearest, the higher priority, who came first.
//
//   for (const std::size_t at : order_entries(tables, policy, entries)) process(entries[at]);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/tables.h"
#include "core/plan/decision.h"
#include "core/plan/policy.h"

namespace muster::core {

std::vector<std::size_t> order_entries(const Tables& tables, const Policy& policy,
                                       std::span<const Decision> entries);

}  // namespace muster::core
