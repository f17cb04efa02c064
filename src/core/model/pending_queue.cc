// SPDX-License-Identifier: Apache-2.0
#include "core/model/pending_queue.h"

#include <algorithm>

#include "base/check.h"

namespace muster::core {

namespace {

// Compares as the strings do: the first eight bytes, the missing ones as zero.
std::uint64_t prefix_of(const std::string& uid) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof(prefix); ++i) {
    const auto byte = i < uid.size() ? static_cast<unsigned char>(uid[i]) : std::uint8_t{0};
    prefix = (prefix << 8U) | byte;
  }
  return prefix;
}

}  // namespace

QueueTicket make_ticket(QueueTicket ticket) {
  ticket.uid_prefix = prefix_of(*ticket.uid);
  return ticket;
}

bool stands_before(const QueueTicket& a, const QueueTicket& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.since != b.since) return a.since < b.since;
  if (a.uid_prefix != b.uid_prefix) return a.uid_prefix < b.uid_prefix;
  const int by_uid = a.uid->compare(*b.uid);
  return by_uid != 0 ? by_uid < 0 : *a.key < *b.key;
}

PendingQueues::Queue& PendingQueues::queue_at(ClusterQueueId id) {
  if (queues_.size() <= id.index()) queues_.resize(id.index() + 1);
  return queues_[id.index()];
}

const PendingQueues::Queue* PendingQueues::find_queue(ClusterQueueId id) const {
  return id.is_none() || id.index() >= queues_.size() ? nullptr : &queues_[id.index()];
}

std::uint32_t PendingQueues::lane_for(Queue& queue, const QueueTicket& ticket) {
  std::vector<std::uint32_t>& lanes = queue.lanes_of[ticket.equivalence];
  for (const std::uint32_t lane : lanes) {
    if (queue.lanes[lane].local_queue == ticket.local_queue) return lane;
  }
  std::uint32_t lane = static_cast<std::uint32_t>(queue.lanes.size());
  if (queue.free_lanes.empty()) {
    queue.lanes.emplace_back();
  } else {
    lane = queue.free_lanes.back();
    queue.free_lanes.pop_back();
  }
  Lane& made = queue.lanes[lane];
  made.equivalence = ticket.equivalence;
  made.local_queue = ticket.local_queue;
  made.is_parked = false;
  const auto usage = queue.usage.find(ticket.local_queue);
  made.usage = usage == queue.usage.end() ? 0 : usage->second;
  lanes.push_back(lane);
  return lane;
}

void PendingQueues::drop_lane_if_empty(Queue& queue, std::uint32_t at) {
  Lane& lane = queue.lanes[at];
  if (!lane.active.empty() || !lane.parked.empty()) return;
  const auto found = queue.lanes_of.find(lane.equivalence);
  std::erase(found->second, at);
  if (found->second.empty()) queue.lanes_of.erase(found);
  queue.free_lanes.push_back(at);
}

// Moves the workload at `at` to where it belongs, up or down.
void PendingQueues::sift(std::vector<WorkloadId>& heap, std::size_t at) {
  const WorkloadId id = heap[at];
  const QueueTicket& ticket = standings_[id.index()].ticket;
  const auto put = [&](std::size_t place, WorkloadId who) {
    heap[place] = who;
    standings_[who.index()].position = static_cast<std::uint32_t>(place);
  };
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!stands_before(ticket, standings_[heap[parent].index()].ticket)) break;
    put(at, heap[parent]);
    at = parent;
  }
  for (std::size_t child = 2 * at + 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && stands_before(standings_[heap[child + 1].index()].ticket,
                                                 standings_[heap[child].index()].ticket)) {
      ++child;
    }
    if (!stands_before(standings_[heap[child].index()].ticket, ticket)) break;
    put(at, heap[child]);
    at = child;
  }
  put(at, id);
}

bool PendingQueues::lane_before(const Queue& queue, std::uint32_t a, std::uint32_t b) const {
  const Lane& left = queue.lanes[a];
  const Lane& right = queue.lanes[b];
  if (left.usage != right.usage) return left.usage < right.usage;
  return stands_before(standings_[left.active.front().index()].ticket,
                       standings_[right.active.front().index()].ticket);
}

void PendingQueues::sift_open(Queue& queue, std::size_t at) {
  std::vector<std::uint32_t>& heap = queue.open;
  const std::uint32_t lane = heap[at];
  const auto put = [&](std::size_t place, std::uint32_t which) {
    heap[place] = which;
    queue.lanes[which].position = static_cast<std::uint32_t>(place);
  };
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!lane_before(queue, lane, heap[parent])) break;
    put(at, heap[parent]);
    at = parent;
  }
  for (std::size_t child = 2 * at + 1; child < heap.size(); child = 2 * at + 1) {
    if (child + 1 < heap.size() && lane_before(queue, heap[child + 1], heap[child])) ++child;
    if (!lane_before(queue, heap[child], lane)) break;
    put(at, heap[child]);
    at = child;
  }
  put(at, lane);
}

void PendingQueues::remove_open(Queue& queue, std::uint32_t lane) {
  const std::uint32_t at = queue.lanes[lane].position;
  if (at == nowhere) return;
  queue.lanes[lane].position = nowhere;
  const std::uint32_t last = queue.open.back();
  queue.open.pop_back();
  if (last == lane) return;
  queue.open[at] = last;
  sift_open(queue, at);
}

// The lane stands among the open ones, at its place, exactly when it has somebody to try.
void PendingQueues::refresh_open(Queue& queue, std::uint32_t at) {
  Lane& lane = queue.lanes[at];
  if (lane.is_parked || lane.active.empty()) {
    remove_open(queue, at);
    return;
  }
  if (lane.position == nowhere) {
    lane.position = static_cast<std::uint32_t>(queue.open.size());
    queue.open.push_back(at);
  }
  sift_open(queue, lane.position);
}

void PendingQueues::push_active(Queue& queue, std::uint32_t at, WorkloadId id) {
  Lane& lane = queue.lanes[at];
  Standing& standing = standings_[id.index()];
  standing.is_parked = false;
  standing.position = static_cast<std::uint32_t>(lane.active.size());
  lane.active.push_back(id);
  sift(lane.active, lane.active.size() - 1);
  if (!lane.is_parked) ++queue.active_count;
  // Behind the head nothing changes for the others.
  if (lane.active.front() == id || lane.position == nowhere) refresh_open(queue, at);
}

void PendingQueues::push_parked(Lane& lane, WorkloadId id) {
  Standing& standing = standings_[id.index()];
  standing.is_parked = true;
  standing.position = static_cast<std::uint32_t>(lane.parked.size());
  lane.parked.push_back(id);
}

// Out of its lane, which stays.
void PendingQueues::take_out(Queue& queue, WorkloadId id) {
  Standing& standing = standings_[id.index()];
  Lane& lane = queue.lanes[standing.lane];
  const std::size_t at = standing.position;
  std::vector<WorkloadId>& list = standing.is_parked ? lane.parked : lane.active;
  const WorkloadId last = list.back();
  list.pop_back();
  if (standing.is_parked) {
    if (last != id) {
      list[at] = last;
      standings_[last.index()].position = static_cast<std::uint32_t>(at);
    }
    return;
  }
  if (!lane.is_parked) --queue.active_count;
  if (last != id) {
    list[at] = last;
    sift(list, at);
  }
  if (at == 0) refresh_open(queue, standing.lane);
}

void PendingQueues::set_lane_parked(Queue& queue, std::uint32_t at, bool is_parked) {
  Lane& lane = queue.lanes[at];
  if (lane.is_parked == is_parked) return;
  lane.is_parked = is_parked;
  if (is_parked) {
    queue.active_count -= lane.active.size();
  } else {
    queue.active_count += lane.active.size();
  }
  refresh_open(queue, at);
}

// A lane that is parked as a whole comes to be parked one by one, so that one of it can be active.
void PendingQueues::part_lane(Queue& queue, std::uint32_t at) {
  Lane& lane = queue.lanes[at];
  if (!lane.is_parked) return;
  std::vector<WorkloadId> members = std::move(lane.active);
  lane.active.clear();
  for (const WorkloadId id : members) push_parked(lane, id);
  lane.is_parked = false;
}

PendingQueues::Standing& PendingQueues::take_place(ClusterQueueId id, WorkloadId workload,
                                                   const QueueTicket& ticket) {
  if (standings_.size() <= workload.index()) standings_.resize(workload.index() + 1);
  Standing& standing = standings_[workload.index()];
  CHECK(standing.queue.is_none());
  standing.ticket = ticket;
  standing.queue = id;
  Queue& queue = queue_at(id);
  standing.lane = lane_for(queue, ticket);
  ++queue.count;
  return standing;
}

void PendingQueues::enter(ClusterQueueId id, WorkloadId workload, const QueueTicket& ticket) {
  const Standing& standing = take_place(id, workload, ticket);
  Queue& queue = queue_at(id);
  part_lane(queue, standing.lane);
  push_active(queue, standing.lane, workload);
}

void PendingQueues::enter_parked(ClusterQueueId id, WorkloadId workload,
                                 const QueueTicket& ticket) {
  const Standing& standing = take_place(id, workload, ticket);
  push_parked(queue_at(id).lanes[standing.lane], workload);
}

void PendingQueues::enter_with_kind(ClusterQueueId id, WorkloadId workload,
                                    const QueueTicket& ticket) {
  const Standing& standing = take_place(id, workload, ticket);
  Queue& queue = queue_at(id);
  Lane& lane = queue.lanes[standing.lane];
  if (lane.active.empty()) lane.is_parked = true;
  if (lane.is_parked) {
    push_active(queue, standing.lane, workload);
  } else {
    push_parked(lane, workload);
  }
}

void PendingQueues::leave(WorkloadId id) {
  if (id.index() >= standings_.size()) return;
  Standing& standing = standings_[id.index()];
  if (standing.queue.is_none()) return;
  Queue& queue = queue_at(standing.queue);
  take_out(queue, id);
  drop_lane_if_empty(queue, standing.lane);
  --queue.count;
  if (queue.preemptor == id) queue.preemptor = WorkloadId::none();
  standing = {};
}

void PendingQueues::park(WorkloadId id) {
  if (place_of(id) != PendingPlace::active) return;
  const Standing& standing = standings_[id.index()];
  Queue& queue = queue_at(standing.queue);
  take_out(queue, id);
  push_parked(queue.lanes[standing.lane], id);
}

void PendingQueues::unpark(WorkloadId id) {
  if (place_of(id) != PendingPlace::inadmissible) return;
  const Standing& standing = standings_[id.index()];
  Queue& queue = queue_at(standing.queue);
  part_lane(queue, standing.lane);
  take_out(queue, id);
  push_active(queue, standing.lane, id);
}

void PendingQueues::park_equivalent(WorkloadId id) {
  const Standing& standing = standings_[id.index()];
  if (standing.queue.is_none()) return;
  Queue& queue = queue_at(standing.queue);
  const std::uint64_t kind = standing.ticket.equivalence;
  queue.parked_kinds.insert(kind);
  for (const std::uint32_t lane : queue.lanes_of.at(kind)) {
    if (!queue.lanes[lane].active.empty()) set_lane_parked(queue, lane, true);
  }
}

bool PendingQueues::is_parked_kind(ClusterQueueId id, std::uint64_t equivalence) const {
  const Queue* queue = find_queue(id);
  return queue != nullptr && equivalence != 0 && queue->parked_kinds.contains(equivalence);
}

WorkloadId PendingQueues::head(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || queue->open.empty()) return WorkloadId::none();
  const Lane& first = queue->lanes[queue->open.front()];
  const WorkloadId sticky = queue->preempts.is_sticky ? queue->preemptor : WorkloadId::none();
  if (!sticky.is_none() && place_of(sticky) == PendingPlace::active &&
      queue->lanes[standings_[sticky.index()].lane].usage == first.usage) {
    return sticky;
  }
  return first.active.front();
}

PendingPlace PendingQueues::place_of(WorkloadId id) const {
  if (id.index() >= standings_.size()) return PendingPlace::none;
  const Standing& standing = standings_[id.index()];
  if (standing.queue.is_none()) return PendingPlace::none;
  const bool is_parked =
      standing.is_parked || queues_[standing.queue.index()].lanes[standing.lane].is_parked;
  return is_parked ? PendingPlace::inadmissible : PendingPlace::active;
}

std::size_t PendingQueues::active_count(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  return queue == nullptr ? 0 : queue->active_count;
}

std::size_t PendingQueues::inadmissible_count(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  return queue == nullptr ? 0 : queue->count - queue->active_count;
}

void PendingQueues::set_preemptor(WorkloadId id, Preemptor preemptor) {
  if (place_of(id) == PendingPlace::none) return;
  Queue& queue = queue_at(standings_[id.index()].queue);
  queue.preemptor = id;
  queue.preempts = preemptor;
}

std::optional<PendingQueues::Preemptor> PendingQueues::preemptor(WorkloadId id) const {
  if (place_of(id) == PendingPlace::none) return std::nullopt;
  const Queue& queue = queues_[standings_[id.index()].queue.index()];
  if (queue.preemptor != id) return std::nullopt;
  return queue.preempts;
}

void PendingQueues::set_usage(ClusterQueueId id, LocalQueueId local_queue, double usage) {
  Queue& queue = queue_at(id);
  double& known = queue.usage[local_queue];
  if (known == usage) return;
  known = usage;
  if (usage == 0) queue.usage.erase(local_queue);
  for (std::uint32_t at = 0; at < queue.lanes.size(); ++at) {
    Lane& lane = queue.lanes[at];
    if (lane.local_queue != local_queue) continue;
    lane.usage = usage;
    if (lane.position != nowhere) sift_open(queue, lane.position);
  }
}

}  // namespace muster::core
