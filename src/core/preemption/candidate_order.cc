// SPDX-License-Identifier: Apache-2.0
#include "core/preemption/candidate_order.h"

#include <limits>
#include <utility>

#include "core/model/tables.h"

namespace muster::core {

std::uint64_t uid_head(std::string_view uid) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < sizeof(head); ++i) {
    const std::uint64_t byte = i < uid.size() ? static_cast<unsigned char>(uid[i]) : 0;
    head = head << 8 | byte;
  }
  return head;
}

CandidateIndex::Iterator CandidateIndex::at(std::size_t place) const {
  Iterator found = begin();
  while (found.block_ < blocks_.size() && place >= blocks_[found.block_].size()) {
    place -= blocks_[found.block_].size();
    ++found.block_;
  }
  found.at_ = place;
  return found;
}

bool CandidateBefore::operator()(const CandidateEntry& a, const CandidateEntry& b) const {
  if (a.is_evicted != b.is_evicted) return a.is_evicted;
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.reserved_at != b.reserved_at) return a.reserved_at > b.reserved_at;
  if (a.uid_head != b.uid_head) return a.uid_head < b.uid_head;
  if (a.workload == b.workload) return false;
  const int uids = tables.workloads[a.workload].uid.compare(tables.workloads[b.workload].uid);
  if (uids != 0) return uids < 0;
  return tables.workloads.key(a.workload) < tables.workloads.key(b.workload);
}

CandidateEntry candidate_entry(const Tables& tables, WorkloadId id) {
  const WorkloadRow& row = tables.workloads[id];
  CandidateEntry entry;
  entry.priority = row.spec.effective_priority();
  entry.reserved_at = row.spec.reserved_at ? row.spec.reserved_at->nanoseconds
                                           : std::numeric_limits<std::int64_t>::max();
  entry.queued_since = row.spec.queued_since();
  entry.uid_head = row.uid_head;
  for (const FlavorUsage& each : row.reservation->holds)
    entry.uses |= uses_bit(each.flavor_resource);
  entry.workload = id;
  entry.is_evicted = row.spec.is_evicted || row.assumed_evicted;
  return entry;
}

void enter_candidates(Tables& tables, WorkloadId id) {
  WorkloadRow& row = tables.workloads[id];
  CandidateEntry& entry = row.reservation.edit().candidate;
  entry = candidate_entry(tables, id);
  tables.cluster_queues[row.reserved_in].candidates.insert(entry, CandidateBefore{tables});
}

void leave_candidates(Tables& tables, WorkloadId id) {
  const WorkloadRow& row = tables.workloads[id];
  tables.cluster_queues[row.reserved_in].candidates.erase(row.reservation->candidate,
                                                          CandidateBefore{tables});
}

void refresh_candidate(Tables& tables, WorkloadId id) {
  WorkloadRow& row = tables.workloads[id];
  if (row.reserved_in.is_none()) return;
  CandidateEntry& entry = row.reservation.edit().candidate;
  const CandidateEntry before = std::exchange(entry, candidate_entry(tables, id));
  if (entry == before) return;
  tables.cluster_queues[row.reserved_in].candidates.replace(before, entry, CandidateBefore{tables});
}

}  // namespace muster::core
