// ClusterState, the part of waiting: who stands in which queue, who was tried, and what wakes whom.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/tables.h"

namespace muster::core {

WorkloadId Tables::head_of(ClusterQueueId id) const {
  const WorkloadId head = pending.head(id);
  if (head.is_none() || !workloads[head].telling.empty()) return WorkloadId::none();
  return head;
}

void Tables::refresh_ready(ClusterQueueId id) {
  ClusterQueueRow& row = cluster_queues[id];
  const bool was_ready = row.ready_position != ClusterQueueRow::not_ready;
  const bool is_ready = row.is_stirred && !head_of(id).is_none() && row.is_active;
  if (was_ready == is_ready) return;
  if (is_ready) {
    row.ready_position = static_cast<std::uint32_t>(ready_queues.size());
    ready_queues.push_back(id);
    return;
  }
  const ClusterQueueId last = ready_queues.back();
  ready_queues[row.ready_position] = last;
  cluster_queues[last].ready_position = row.ready_position;
  ready_queues.pop_back();
  row.ready_position = ClusterQueueRow::not_ready;
}

void Tables::stir(ClusterQueueId id) {
  cluster_queues[id].is_stirred = true;
  refresh_ready(id);
}

// In back-off, or told to wait for a change that somebody else makes.
bool Tables::rests(const WorkloadRow& row) const {
  return !row.spec.may_requeue || (row.spec.requeue_at && *row.spec.requeue_at > now);
}

QueueTicket Tables::ticket_of(WorkloadId id) const {
  const WorkloadRow& row = workloads[id];
  return {.priority = row.spec.priority,
          .since = row.spec.queued_since(),
          .uid = &row.uid,
          .key = &workloads.key(id),
          .equivalence = 0,
          .local_queue = row.local_queue};
}

// Puts a workload that asks to be admitted where it belongs at the moment.
void Tables::enqueue(WorkloadId id, bool parked) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (!row.spec.is_pending()) return;
  const Blocker blocker = blocker_of(row);
  if (blocker != Blocker::none) untold.emplace(key, id);
  if (blocker != Blocker::none && blocker != Blocker::cluster_queue_inactive) {
    row.standing = Standing::stranded;
    return;
  }
  row.standing = Standing::waiting;
  row.queued_in = cluster_queues.hold(local_queues[row.local_queue].cluster_queue);
  const bool is_strict =
      cluster_queues[row.queued_in].spec.strategy == QueueingStrategy::strict_fifo;
  const QueueTicket ticket = ticket_of(id);
  if (rests(row) || parked) {
    if (row.spec.requeue_at && *row.spec.requeue_at > now) {
      resting_until.emplace(*row.spec.requeue_at, key);
    }
    pending.enter_parked(row.queued_in, id, ticket);
  } else if (!is_strict && pending.is_parked_kind(row.queued_in, ticket.equivalence)) {
    pending.enter_with_kind(row.queued_in, id, ticket);
  } else {
    pending.enter(row.queued_in, id, ticket);
  }
  if (pending.head(row.queued_in) == id) stir(row.queued_in);
}

void Tables::dequeue(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  untold.erase(key);
  if (row.queued_in.is_none()) return;
  if (row.spec.requeue_at) resting_until.erase({*row.spec.requeue_at, key});
  const bool was_head = pending.head(row.queued_in) == id;
  pending.leave(id);
  if (was_head) stir(row.queued_in);
  cluster_queues.release(row.queued_in);
  row.queued_in = ClusterQueueId::none();
  waiting_for_place.erase(key);
}

void Tables::assume_waiting(WorkloadId id, bool for_place_only, std::string message) {
  WorkloadRow& row = workloads[id];
  row.telling = std::move(message);
  untold.erase(workloads.key(id));
  if (row.standing != Standing::waiting) return;
  ClusterQueueRow& queue = cluster_queues[row.queued_in];
  // In a StrictFIFO queue who was tried stays where it is, and the others behind it.
  if (pending.head(row.queued_in) == id) {
    queue.is_stirred = queue.spec.strategy != QueueingStrategy::strict_fifo;
  }
  if (queue.spec.strategy != QueueingStrategy::strict_fifo) pending.park(id);
  if (for_place_only) waiting_for_place.emplace(workloads.key(id), id);
  refresh_ready(row.queued_in);
}

void Tables::wake(ClusterQueueId id) {
  pending.wake(
      id, [](LocalQueueId) { return true; },
      [&](WorkloadId workload) { return !rests(workloads[workload]); });
  stir(id);
}

void Tables::wake_for_places() {
  for (const auto& [key, id] : waiting_for_place) {
    pending.unpark(id);
    stir(workloads[id].queued_in);
  }
  waiting_for_place.clear();
  wake_pods();
}

// Those whose condition is being written stay until that is done.
void Tables::wake_pods() {
  for (auto at = parked_pods.begin(); at != parked_pods.end();) {
    const auto next = std::next(at);
    const PodRow& row = pods[pods.find(at->second)];
    if (row.telling.empty()) loose_pods.insert(parked_pods.extract(at));
    at = next;
  }
}

// The reason stands on the object, or will not: from now on it may be tried again.
void Tables::end_telling(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  row.telling.clear();
  if (!row.queued_in.is_none()) refresh_ready(row.queued_in);
}

void Tables::wake_all() {
  cluster_queues.for_each([&](ClusterQueueId id, const ClusterQueueRow&) { wake(id); });
  wake_pods();
}

void Tables::tick(Instant to) {
  now = to;
  while (!resting_until.empty() && resting_until.begin()->first <= now) {
    const WorkloadId id = workloads.find(resting_until.begin()->second);
    resting_until.erase(resting_until.begin());
    if (id.is_none() || workloads[id].queued_in.is_none() || rests(workloads[id])) continue;
    pending.unpark(id);
    stir(workloads[id].queued_in);
  }
}

}  // namespace muster::core
