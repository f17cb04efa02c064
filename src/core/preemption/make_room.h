// make_room(): takes candidates out in their order until the preemptor fits, then puts back whom it
// does not need. The order comes from the kind of preemption; whether it fits, from the search.
//
//   auto targets = take_until_fit(search, [&] { return candidates.next(); }, fits);
//   if (targets) put_back_unneeded(search, *targets, may_borrow);
//
// Assumes: who comes next depends on quota alone, never on places. So where more room can only help
// a placement, the first candidate with whom it fits is found by doubling steps and halving, and
// not by a placement after each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/preemption/search.h"
#include "core/preemption/target.h"

namespace muster::core {

// Whoever hands out candidates, and knows how its search asks for quota.
class TargetSource {
 public:
  virtual ~TargetSource() = default;
  virtual std::optional<Target> next() = 0;
  virtual bool has_quota() = 0;
};

// Nothing when it does not fit with all of them gone. What it took out stays out.
std::optional<std::vector<Target>> take_until_fit(Search& search, TargetSource& source);

// From the last but one to the first. The last of the list takes the place of one that goes back,
// as in Kueue: the order of the result is not the order of the search.
void put_back_unneeded(Search& search, std::vector<Target>& targets, bool may_borrow);

}  // namespace muster::core
