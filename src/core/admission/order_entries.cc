// SPDX-License-Identifier: Apache-2.0
#include "core/admission/order_entries.h"

#include <algorithm>
#include <deque>

namespace muster::core {

namespace {

// What most entries are told apart by; the ticket says the rest.
struct Rank {
  std::int64_t priority = 0;
  Instant since = {};
  std::uint64_t uid_prefix = 0;
  const QueueTicket* ticket = nullptr;
  std::uint32_t entry = 0;
  std::int32_t borrow = 0;
  bool has_reservation = false;
  bool preempts = false;
};

bool goes_before(const Rank& a, const Rank& b) {
  if (a.has_reservation != b.has_reservation) return a.has_reservation;
  if (a.preempts != b.preempts) return a.preempts;
  if (a.borrow != b.borrow) return a.borrow < b.borrow;
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.since != b.since) return a.since < b.since;
  if (a.uid_prefix != b.uid_prefix) return a.uid_prefix < b.uid_prefix;
  const int by_uid = a.ticket->uid->compare(*b.ticket->uid);
  return by_uid != 0 ? by_uid < 0 : *a.ticket->key < *b.ticket->key;
}

}  // namespace

std::vector<std::size_t> order_entries(const Tables& tables, const Policy& policy,
                                       std::span<const Decision> entries) {
  if (entries.size() == 1) return {0};
  const bool preemptors_first = policy.lets_preemptors_go_first();
  const bool by_priority = policy.kueue.gates.enabled(Gate::priority_sorting_within_cohort);
  std::vector<Rank> ranks;
  ranks.reserve(entries.size());
  std::deque<QueueTicket> made;  // of those who wait in no queue
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const Decision& entry = entries[i];
    const bool waits = tables.pending.waits(entry.workload);
    const QueueTicket& ticket = waits ? tables.pending.ticket(entry.workload)
                                      : made.emplace_back(tables.ticket_of(entry.workload));
    ranks.push_back({.priority = by_priority ? ticket.priority : 0,
                     .since = ticket.since,
                     .uid_prefix = ticket.uid_prefix,
                     .ticket = &ticket,
                     .entry = i,
                     .borrow = entry.assignment->borrow,
                     .has_reservation = entry.is_second_pass,
                     .preempts = preemptors_first && entry.is_preemptor});
  }
  std::ranges::sort(ranks, [](const Rank& a, const Rank& b) { return goes_before(a, b); });
  std::vector<std::size_t> order;
  order.reserve(ranks.size());
  for (const Rank& rank : ranks) order.push_back(rank.entry);
  return order;
}

}  // namespace muster::core
