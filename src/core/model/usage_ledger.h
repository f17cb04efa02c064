// UsageLedger: what a LocalQueue has used lately, for queues that admit by usage: a decaying
// average of what its admitted workloads hold, and for each workload that was just admitted a
// penalty, so that a burst does not ride on an old sample.
//
//   ledger.push_penalty(workload, requests);       // when it is admitted
//   ledger.settle(workload, used, now, half_life); // when its admission is seen
//   ledger.usage(weights, names) / weight
//
// Assumes: kept in memory only; what a LocalQueue's status says is where it begins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "core/model/ids.h"
#include "core/model/used_amount.h"

namespace muster::core {

// By resource, each once, in no order.
using UsedAmounts = std::vector<std::pair<ResourceId, UsedAmount>>;

class UsageLedger {
 public:
  // What was recorded elsewhere; penalties that are pending are forgotten.
  void begin(UsedAmounts consumed, Instant sampled_at);

  // How much of the present is mixed into the average after this time.
  static double alpha(Span elapsed, Span half_life);

  void push_penalty(WorkloadId workload, UsedAmounts penalty, Instant now);
  void drop_penalty(WorkloadId workload) { penalties_.erase(workload); }
  // The average goes on to now, and the workload's penalty becomes part of it.
  void settle(WorkloadId workload, const UsedAmounts& used, Instant now, Span half_life);
  void sample(const UsedAmounts& used, Instant now, Span half_life);

  bool is_empty() const { return !sampled_at_; }
  std::optional<Instant> sampled_at() const { return sampled_at_; }

  // The average, without what is pending.
  const UsedAmounts& consumed() const { return consumed_; }

  // Consumed and penalties together.
  UsedAmounts total() const;

 private:
  UsedAmounts consumed_;
  std::map<WorkloadId, UsedAmounts> penalties_;  // only their sum is asked for
  std::optional<Instant> sampled_at_;
};

}  // namespace muster::core
