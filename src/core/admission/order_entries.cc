// SPDX-License-Identifier: Apache-2.0
#include "core/admission/order_entries.h"

#include <algorithm>

namespace muster::core {

namespace {

struct Rank {
  std::size_t entry = 0;
  bool has_reservation = false;
  bool preempts = false;
  std::int32_t borrow = 0;
  QueueTicket ticket;
};

bool goes_before(const Rank& a, const Rank& b) {
  if (a.has_reservation != b.has_reservation) return a.has_reservation;
  if (a.preempts != b.preempts) return a.preempts;
  if (a.borrow != b.borrow) return a.borrow < b.borrow;
  return stands_before(a.ticket, b.ticket);
}

}  // namespace

std::vector<std::size_t> order_entries(const Tables& tables, const Policy& policy,
                                       std::span<const Decision> entries) {
  if (entries.size() == 1) return {0};
  const FeatureGates& gates = policy.kueue.gates;
  const bool prefers_preemptors = gates.enabled(Gate::prioritize_preemptor_workloads);
  const bool by_priority = gates.enabled(Gate::priority_sorting_within_cohort);
  std::vector<Rank> ranks;
  ranks.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Decision& entry = entries[i];
    Rank& rank = ranks.emplace_back();
    rank.entry = i;
    rank.has_reservation = entry.is_second_pass;
    rank.preempts = prefers_preemptors && entry.is_preemptor;
    rank.borrow = entry.assignment.borrow;
    const bool waits = tables.pending.place_of(entry.workload) != PendingPlace::none;
    rank.ticket = waits ? tables.pending.ticket(entry.workload) : tables.ticket_of(entry.workload);
    if (!by_priority) rank.ticket.priority = 0;
  }
  std::ranges::sort(ranks, goes_before);
  std::vector<std::size_t> order;
  order.reserve(ranks.size());
  for (const Rank& rank : ranks) order.push_back(rank.entry);
  return order;
}

}  // namespace muster::core
