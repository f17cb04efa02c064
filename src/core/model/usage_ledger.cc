// SPDX-License-Identifier: Apache-2.0
#include "core/model/usage_ledger.h"

#include <algorithm>
#include <cmath>

namespace muster::core {

namespace {

void add(UsedAmounts& sum, const UsedAmounts& more) {
  for (const auto& [resource, amount] : more) {
    const auto at = std::ranges::find(sum, resource, &std::pair<ResourceId, UsedAmount>::first);
    if (at == sum.end()) {
      sum.emplace_back(resource, amount);
    } else {
      at->second += amount;
    }
  }
}

UsedAmounts scaled(UsedAmounts amounts, double factor) {
  for (auto& [resource, amount] : amounts) amount = amount.scaled(factor);
  return amounts;
}

double seconds(Span span) {
  return static_cast<double>(span.nanoseconds) / 1e9;
}

}  // namespace

double UsageLedger::alpha(Span elapsed, Span half_life) {
  if (half_life.nanoseconds == 0) return 0;
  return 1 - std::pow(0.5, seconds(elapsed) / seconds(half_life));
}

void UsageLedger::begin(UsedAmounts consumed, Instant sampled_at) {
  consumed_ = std::move(consumed);
  penalties_.clear();
  sampled_at_ = sampled_at;
}

void UsageLedger::push_penalty(WorkloadId workload, UsedAmounts penalty, Instant now) {
  if (!sampled_at_) sampled_at_ = now;
  penalties_.insert_or_assign(workload, std::move(penalty));
}

void UsageLedger::sample(const UsedAmounts& used, Instant now, Span half_life) {
  const Instant since = sampled_at_.value_or(now);
  const Span elapsed = std::max(Span{}, now - since);
  const double share = alpha(elapsed, half_life);
  consumed_ = scaled(std::move(consumed_), 1 - share);
  add(consumed_, scaled(used, share));
  sampled_at_ = std::max(now, since);
}

void UsageLedger::settle(WorkloadId workload, const UsedAmounts& used, Instant now,
                         Span half_life) {
  sample(used, now, half_life);
  const auto penalty = penalties_.find(workload);
  if (penalty == penalties_.end()) return;
  add(consumed_, penalty->second);
  penalties_.erase(penalty);
}

UsedAmounts UsageLedger::total() const {
  UsedAmounts sum = consumed_;
  for (const auto& [workload, penalty] : penalties_) add(sum, penalty);
  return sum;
}

}  // namespace muster::core
