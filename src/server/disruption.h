// What a PodDisruptionBudget says about its pods: counted from the pods that are there, whenever it
// is asked, so that an eviction never depends on a status that somebody has yet to write.
//
//   const Disruption now = disruption_of(context, budget);
//   if (now.allowed() == 0) …
//   Value next = with_status(budget, now, clock.wall());
//
// Assumes: the house thread, and a cache that has caught up. Pods whose eviction was granted and
// which are still there count as gone for two minutes (status.disruptedPods).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/value.h"
#include "server/context.h"

namespace muster::server {

struct Disruption {
  std::int64_t expected = 0;
  std::int64_t healthy = 0;
  std::int64_t desired = 0;
  // By name, the pods that were granted an eviction and are still there, and since when.
  std::map<std::string, std::string> granted = {};
  std::optional<Instant> look_again = {};  // when the first of them counts again
  std::string trouble = {};                // why it cannot be counted; empty: it can

  std::int64_t allowed() const {
    return trouble.empty() && expected > 0 && healthy > desired ? healthy - desired : 0;
  }
};

bool is_budget(const objects::Kind& kind);

bool is_ready_pod(objects::View pod);

// Whether the budget is about a pod with these labels.
bool selects(objects::View budget, objects::View pod);

Disruption disruption_of(Context& context, objects::View budget);

// The budget with the status that follows.
objects::Value with_status(const objects::Value& budget, const Disruption& disruption, Instant now);

}  // namespace muster::server
