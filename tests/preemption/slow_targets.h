// The search for targets of a preemption once more: slow, on maps, and as it is told in the
// reference, step by step. The product's search must agree with it on everything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/preemption/slow_world.h"

namespace muster::core::slow {

struct Preemptor {
  std::string queue;
  std::int64_t priority = 0;
  std::int64_t created = 0;
  Amounts usage = {};
  std::vector<Pair> contested = {};
};

enum class Strategy : std::uint8_t { final_share, initial_share };

struct Rules {
  bool fair_sharing = false;
  std::vector<Strategy> strategies = {Strategy::final_share, Strategy::initial_share};
  bool within_nominal = true;  // FairSharingPreemptWithinNominal
};

// The name of the workload and the reason, as Kueue lists them.
using Targets = std::vector<std::pair<std::string, std::string>>;

Targets find_targets(SlowWorld world, const Preemptor& preemptor, const Rules& rules);

// Whether the preemptor fits as the world is.
bool fits(const SlowWorld& world, const Preemptor& preemptor, bool may_borrow);

// The height of the lowest subtree that has the amount without borrowing; else of the whole tree.
int borrow_height(const SlowWorld& world, const std::string& queue, const Pair& pair,
                  std::int64_t amount);

}  // namespace muster::core::slow
