// ClusterState, the part of waiting: who stands in which queue, who was tried, and what wakes whom.
// SPDX-License-Identifier: Apache-2.0
#include "core/model/tables.h"

namespace muster::core {

// A head that was tried blocks a StrictFIFO queue; in a BestEffortFIFO one the next may pass.
std::optional<QueuePlace> Tables::head_of(const ClusterQueueRow& queue) const {
  const PendingQueue& pending = queue.queue;
  if (pending.active.empty()) return std::nullopt;
  const QueuePlace& head = *pending.active.begin();
  const bool is_strict = queue.spec.strategy == QueueingStrategy::strict_fifo;
  if (is_strict && !pending.parked.empty() && *pending.parked.begin() < head) return std::nullopt;
  return head;
}

void Tables::refresh_ready(ClusterQueueId id) {
  const std::string& name = cluster_queues.key(id);
  if (head_of(cluster_queues[id])) {
    ready_queues.emplace(name, id);
  } else {
    ready_queues.erase(name);
  }
}

// Puts a workload that asks to be admitted where it belongs at the moment.
void Tables::enqueue(WorkloadId id, bool parked) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (!row.spec.is_pending()) return;
  const bool backs_off = row.spec.requeue_at && *row.spec.requeue_at > now;
  if (!row.spec.may_requeue || backs_off) {
    row.standing = Standing::resting;
    if (backs_off) resting_until.emplace(*row.spec.requeue_at, key);
    return;
  }
  if (blocker_of(row) != Blocker::none) {
    row.standing = Standing::stranded;
    untold.emplace(key, id);
    return;
  }
  if (!row.telling.empty() && !parked) {
    row.woken = true;
    parked = true;
  }
  row.queued_in = cluster_queues.hold(local_queues[row.local_queue].cluster_queue);
  row.place = {row.spec.priority, row.spec.queued_since(), row.uid, key, id};
  row.standing = parked ? Standing::parked : Standing::queued;
  PendingQueue& queue = cluster_queues[row.queued_in].queue;
  (parked ? queue.parked : queue.active).insert(row.place);
  refresh_ready(row.queued_in);
}

void Tables::dequeue(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  const std::string& key = workloads.key(id);
  if (row.standing == Standing::resting && row.spec.requeue_at) {
    resting_until.erase({*row.spec.requeue_at, key});
  }
  untold.erase(key);
  if (row.queued_in.is_none()) return;
  PendingQueue& queue = cluster_queues[row.queued_in].queue;
  queue.active.erase(row.place);
  queue.parked.erase(row.place);
  refresh_ready(row.queued_in);
  cluster_queues.release(row.queued_in);
  row.queued_in = ClusterQueueId::none();
  waiting_for_place.erase(key);
}

void Tables::assume_waiting(WorkloadId id, bool for_place_only, std::string message) {
  WorkloadRow& row = workloads[id];
  row.telling = std::move(message);
  untold.erase(workloads.key(id));
  if (row.standing != Standing::queued) return;
  PendingQueue& queue = cluster_queues[row.queued_in].queue;
  queue.active.erase(row.place);
  queue.parked.insert(row.place);
  row.standing = Standing::parked;
  if (for_place_only) waiting_for_place.emplace(workloads.key(id), id);
  refresh_ready(row.queued_in);
}

void Tables::wake(ClusterQueueId id) {
  PendingQueue& queue = cluster_queues[id].queue;
  for (auto at = queue.parked.begin(); at != queue.parked.end();) {
    const auto next = std::next(at);
    WorkloadRow& row = workloads[at->id];
    waiting_for_place.erase(at->key);
    if (row.telling.empty()) {
      row.standing = Standing::queued;
      queue.active.insert(queue.parked.extract(at));
    } else {
      row.woken = true;
    }
    at = next;
  }
  refresh_ready(id);
}

void Tables::wake_for_places() {
  for (const auto& [key, id] : waiting_for_place) {
    WorkloadRow& row = workloads[id];
    if (!row.telling.empty()) {
      row.woken = true;
      continue;
    }
    PendingQueue& queue = cluster_queues[row.queued_in].queue;
    queue.active.insert(queue.parked.extract(row.place));
    row.standing = Standing::queued;
    refresh_ready(row.queued_in);
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

// The reason stands on the object, or will not: what happened meanwhile is looked at now.
void Tables::end_telling(WorkloadId id) {
  WorkloadRow& row = workloads[id];
  row.telling.clear();
  if (!row.woken) return;
  row.woken = false;
  if (row.standing != Standing::parked) return;
  dequeue(id);
  enqueue(id, false);
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
    if (!id.is_none()) enqueue(id, false);
  }
}

}  // namespace muster::core
