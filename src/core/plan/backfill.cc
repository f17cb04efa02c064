// `backfill: reserve`: the first workload of a queue that waits for quota gets a start, computed
// from the run times of those who have the quota, and others may pass it only if that start stays.
//
// How long a workload runs is known from spec.maximumExecutionTimeSeconds, or estimated by an
// annotation. Who says nothing runs for ever: nobody counts on its end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/duration.h"
#include "core/admission/admission_usage.h"
#include "core/admission/find_assignment.h"
#include "core/model/limits.h"
#include "core/model/workload_usage.h"
#include "core/plan/cycle.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

namespace {

std::optional<Span> run_time(const WorkloadRow& row) {
  if (row.spec.extras->max_execution_seconds) {
    return Span::of_seconds(std::max<std::int64_t>(
        0, *row.spec.extras->max_execution_seconds - row.spec.extras->past_execution_seconds));
  }
  const std::string_view text = objects::annotations_of(row.object)[words::run_time].string_or("");
  const auto estimate = parse_duration(text);
  if (text.empty() || !estimate || *estimate < Span{}) return std::nullopt;
  return *estimate;
}

struct Ending {
  Instant at;
  WorkloadId workload;
};

// Those who hold quota in the tree and whose end is known, the next first.
std::vector<Ending> endings_in_tree(const Tables& tables, ClusterQueueId queue) {
  std::vector<Ending> endings;
  const QuotaNodeId root = tables.quota.root(tables.cluster_queues[queue].node);
  if (root.is_none()) return endings;
  for (const QuotaNodeId node : tables.quota.subtree_of(root)) {
    if (!tables.quota.is_cluster_queue(node)) continue;
    for (const WorkloadId id : tables.cluster_queues[tables.quota.cluster_queue(node)].reserving) {
      const WorkloadRow& row = tables.workloads[id];
      const auto length = run_time(row);
      if (!length || !row.spec.admitted_at) continue;
      endings.push_back({std::max(tables.now, *row.spec.admitted_at + *length), id});
    }
  }
  std::ranges::sort(endings, [&](const Ending& a, const Ending& b) {
    if (a.at != b.at) return a.at < b.at;
    return tables.workloads.key(a.workload) < tables.workloads.key(b.workload);
  });
  if (endings.size() > endings_considered_max) endings.resize(endings_considered_max);
  return endings;
}

bool would_fit(Cycle& cycle, Trial& trial, WorkloadId id, ClusterQueueId queue) {
  const Nomination found = find_assignment(
      cycle.tables, trial, cycle.policy,
      {.workload = id, .queue = queue, .moment = cycle.tables.moment_of(id, queue)});
  return found.assignment->mode == AssignmentMode::fit;
}

// One more of the queue that starts now; it ends at `until`, or never.
struct Guest {
  AdmissionUsage usage;
  std::optional<Instant> until;
};

// When the workload could start, with the guest or without.
std::optional<Instant> start_of(Cycle& cycle, WorkloadId id, ClusterQueueId queue,
                                const Guest* guest) {
  Tables& tables = cycle.tables;
  const std::vector<Ending> endings = endings_in_tree(tables, queue);
  Trial trial(tables.undo);
  if (guest != nullptr) take(tables, trial, queue, guest->usage);
  bool guest_ends = guest != nullptr && guest->until;
  Instant at = tables.now;
  for (std::size_t next = 0;;) {
    if (would_fit(cycle, trial, id, queue)) return at;
    if (guest_ends && (next == endings.size() || *guest->until <= endings[next].at)) {
      give(tables, trial, queue, guest->usage);
      guest_ends = false;
      at = *guest->until;
    } else if (next < endings.size()) {
      release_usage(tables, trial, endings[next].workload);
      at = endings[next++].at;
    } else {
      return std::nullopt;
    }
  }
}

// The first of the queue that could be admitted one day, whether it is active or not.
WorkloadId first_of(Cycle& cycle, ClusterQueueId queue) {
  const Tables& tables = cycle.tables;
  WorkloadId first;
  tables.pending.for_each(queue, [&](WorkloadId id, bool) {
    const WorkloadRow& row = tables.workloads[id];
    const bool waits_for_quota = row.waits_for == "WaitingForQuota";
    if (!waits_for_quota || tables.rests(row)) return;
    const bool is_earlier =
        first.is_none() || stands_before(tables.pending.ticket(id), tables.pending.ticket(first));
    if (is_earlier && has_hope(cycle, id, queue)) first = id;
  });
  return first;
}

bool delays(Cycle& cycle, WorkloadId first, const Decision& entry) {
  const auto before = start_of(cycle, first, entry.queue, nullptr);
  Guest guest{.usage = net_usage(cycle.tables, entry), .until = {}};
  const auto length = run_time(cycle.tables.workloads[entry.workload]);
  if (length) guest.until = cycle.tables.now + *length;
  const auto after = start_of(cycle, first, entry.queue, &guest);
  if (!before) return true;  // nobody knows when it starts, so nothing is known not to delay it
  return !after || *after > *before;
}

// Active workloads of the queue behind its head, in order.
std::vector<WorkloadId> behind_head(const Tables& tables, ClusterQueueId queue, WorkloadId head) {
  std::vector<WorkloadId> found;
  tables.pending.for_each(queue, [&](WorkloadId id, bool is_active) {
    if (is_active && id != head && tables.workloads[id].telling.empty()) found.push_back(id);
  });
  std::ranges::sort(found, [&](WorkloadId a, WorkloadId b) {
    return stands_before(tables.pending.ticket(a), tables.pending.ticket(b));
  });
  if (found.size() > backfill_candidates_max) found.resize(backfill_candidates_max);
  return found;
}

// Admits the first behind the blocked head that fits and does not delay it.
void pass_head(Cycle& cycle, WorkloadId head, ClusterQueueId queue) {
  Tables& tables = cycle.tables;
  for (const WorkloadId id : behind_head(tables, queue, head)) {
    Nomination found =
        find_assignment(tables, cycle.trial, cycle.policy,
                        {.workload = id, .queue = queue, .moment = tables.moment_of(id, queue)});
    if (found.assignment->mode != AssignmentMode::fit || !found.targets.empty()) continue;
    Decision entry;
    entry.workload = id;
    entry.queue = queue;
    entry.was_tried = true;
    entry.assignment = found.assignment;
    if (delays(cycle, head, entry)) continue;
    if (placement_in(cycle, queue) != Placement::none) keep_room(cycle);
    Trial trial(tables.undo);
    take(tables, trial, queue, net_usage(tables, entry));
    if (place_entry(cycle, trial, entry)) continue;
    trial.commit();
    entry.type = Decision::Type::admit;
    entry.is_admitted = is_admitted_at_once(tables, entry);
    cycle.entries.push_back(std::move(entry));
    return;
  }
}

}  // namespace

bool delays_first(Cycle& cycle, const Decision& entry) {
  if (entry.is_second_pass) return false;
  const WorkloadId first = first_of(cycle, entry.queue);
  if (first.is_none() || first == entry.workload ||
      !stands_before(cycle.tables.pending.ticket(first),
                     cycle.tables.pending.ticket(entry.workload))) {
    return false;
  }
  return delays(cycle, first, entry);
}

void backfill(Cycle& cycle) {
  const std::size_t count = cycle.entries.size();
  for (std::size_t i = 0; i < count; ++i) {
    Decision& entry = cycle.entries[i];
    const bool waits_for_quota = entry.type == Decision::Type::wait &&
                                 entry.word == WaitWord::obstacles && !entry.is_second_pass &&
                                 cause_of(entry) == "WaitingForQuota";
    if (!waits_for_quota || !has_hope(cycle, entry.workload, entry.queue)) continue;
    const WorkloadId head = entry.workload;
    const ClusterQueueId queue = entry.queue;
    // What was kept for the head itself is not in its way.
    const auto kept = cycle.kept.find(head);
    if (kept != cycle.kept.end()) give(cycle.tables, cycle.trial, queue, kept->second);
    entry.reserved_start = start_of(cycle, head, queue, nullptr);
    const bool blocks =
        cycle.tables.cluster_queues[queue].spec.strategy == QueueingStrategy::strict_fifo;
    if (blocks) pass_head(cycle, head, queue);
    if (kept != cycle.kept.end()) take(cycle.tables, cycle.trial, queue, kept->second);
  }
}

}  // namespace muster::core
