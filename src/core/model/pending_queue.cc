// SPDX-License-Identifier: Apache-2.0
#include "core/model/pending_queue.h"

#include <algorithm>

#include "base/check.h"

namespace muster::core {

namespace {

// Children of one element of a heap: they lie side by side, and what is read of a heap that was not
// read lately costs more than what is compared.
constexpr std::size_t heap_branches = 4;

}  // namespace

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
  Kind& kind = queue.kinds[ticket.equivalence];
  for (const std::uint32_t lane : kind.lanes) {
    if (queue.lanes[lane].local_queue == ticket.local_queue) return lane;
  }
  std::uint32_t lane = static_cast<std::uint32_t>(queue.lanes.size());
  if (queue.free_lanes.empty()) {
    queue.lanes.emplace_back();
    queue.places.push_back(closed);
  } else {
    lane = queue.free_lanes.back();
    queue.free_lanes.pop_back();
  }
  Lane& made = queue.lanes[lane];
  made.equivalence = ticket.equivalence;
  made.kind = &kind;
  made.local_queue = ticket.local_queue;
  made.is_parked = false;
  made.has_resting = false;
  const auto usage = queue.usage.find(ticket.local_queue);
  made.usage = usage == queue.usage.end() ? 0 : usage->second;
  kind.lanes.push_back(lane);
  return lane;
}

void PendingQueues::drop_lane_if_empty(Queue& queue, std::uint32_t at) {
  Lane& lane = queue.lanes[at];
  if (!lane.active.empty() || !lane.parked.empty()) return;
  Kind& kind = *lane.kind;
  kind.lanes.erase(std::ranges::find(kind.lanes, at));
  lane.kind = nullptr;
  if (kind.is_idle()) queue.kinds.erase(lane.equivalence);
  queue.free_lanes.push_back(at);
}

namespace {

// Moves the element at `at` of a heap to where it belongs, up or down; `put` writes one to a place.
template <class Element, class Before, class Put>
void sift_heap(std::vector<Element>& heap, std::size_t at, const Before& before, const Put& put) {
  const Element moved = heap[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / heap_branches;
    if (!before(moved, heap[parent])) break;
    put(at, heap[parent]);
    at = parent;
  }
  for (std::size_t child = heap_branches * at + 1; child < heap.size();
       child = heap_branches * at + 1) {
    const std::size_t end = std::min(child + heap_branches, heap.size());
    for (std::size_t other = child + 1; other < end; ++other) {
      if (before(heap[other], heap[child])) child = other;
    }
    if (!before(heap[child], moved)) break;
    put(at, heap[child]);
    at = child;
  }
  put(at, moved);
}

}  // namespace

void PendingQueues::sift(std::vector<Waiting>& heap, std::size_t at) {
  sift_heap(
      heap, at, [&](const Waiting& a, const Waiting& b) { return waits_before(a, b); },
      [&](std::size_t place, const Waiting& who) {
        heap[place] = who;
        positions_[who.id.index()] = static_cast<std::uint32_t>(place);
      });
}

void PendingQueues::sift_open(Queue& queue, std::size_t at) {
  std::vector<OpenLane>& heap = queue.open;
  sift_heap(
      heap, at, [&](const OpenLane& a, const OpenLane& b) { return lane_before(a, b); },
      [&](std::size_t place, const OpenLane& which) {
        heap[place] = which;
        queue.places[which.lane] = static_cast<std::uint32_t>(place + 1);
      });
}

void PendingQueues::close_lane(Queue& queue, std::uint32_t lane) {
  if (queue.places[lane] == closed) return;
  const std::size_t at = queue.places[lane] - 1;
  queue.places[lane] = closed;
  const OpenLane last = queue.open.back();
  queue.open.pop_back();
  if (last.lane == lane) return;
  queue.open[at] = last;
  sift_open(queue, at);
}

// The lane stands among the open ones, at its place, exactly when it has somebody to try.
void PendingQueues::refresh_open(Queue& queue, std::uint32_t at) {
  Lane& lane = queue.lanes[at];
  if (lane.is_parked || lane.active.empty()) return close_lane(queue, at);
  if (queue.places[at] == closed) {
    queue.open.push_back({.lane = at});
    queue.places[at] = static_cast<std::uint32_t>(queue.open.size());
  }
  OpenLane& open = queue.open[queue.places[at] - 1];
  open.usage = lane.usage;
  open.first = lane.active.front();
  sift_open(queue, queue.places[at] - 1);
}

void PendingQueues::push_active(Queue& queue, std::uint32_t at, WorkloadId id) {
  Lane& lane = queue.lanes[at];
  Standing& standing = standings_[id.index()];
  standing.is_parked = false;
  positions_[id.index()] = static_cast<std::uint32_t>(lane.active.size());
  lane.active.push_back({.priority = standing.ticket.priority,
                         .since = standing.ticket.since,
                         .uid_prefix = standing.ticket.uid_prefix,
                         .id = id});
  sift(lane.active, lane.active.size() - 1);
  if (!lane.is_parked) ++queue.active_count;
  // Behind the head nothing changes for the others.
  if (lane.active.front().id == id || queue.places[at] == closed) refresh_open(queue, at);
}

void PendingQueues::push_parked(Lane& lane, WorkloadId id) {
  Standing& standing = standings_[id.index()];
  standing.is_parked = true;
  positions_[id.index()] = static_cast<std::uint32_t>(lane.parked.size());
  lane.parked.push_back(id);
}

// Out of its lane, which stays.
void PendingQueues::take_out(Queue& queue, WorkloadId id) {
  Standing& standing = standings_[id.index()];
  Lane& lane = queue.lanes[standing.lane];
  const std::size_t at = positions_[id.index()];
  if (standing.is_parked) {
    const WorkloadId last = lane.parked.back();
    lane.parked.pop_back();
    if (last != id) {
      lane.parked[at] = last;
      positions_[last.index()] = static_cast<std::uint32_t>(at);
    }
    return;
  }
  if (!lane.is_parked) --queue.active_count;
  const Waiting last = lane.active.back();
  lane.active.pop_back();
  if (last.id != id) {
    lane.active[at] = last;
    sift(lane.active, at);
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
  const std::vector<Waiting> members = std::move(lane.active);
  lane.active.clear();
  for (const Waiting& each : members) push_parked(lane, each.id);
  lane.is_parked = false;
}

PendingQueues::Standing& PendingQueues::take_place(ClusterQueueId id, WorkloadId workload,
                                                   const QueueTicket& ticket) {
  if (standings_.size() <= workload.index()) {
    standings_.resize(workload.index() + 1);
    positions_.resize(workload.index() + 1, 0);
  }
  Standing& standing = standings_[workload.index()];
  CHECK(standing.queue.is_none());
  standing.ticket = ticket;
  standing.queue = id;
  Queue& queue = queue_at(id);
  standing.lane = lane_for(queue, ticket) & lane_max;
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

void PendingQueues::unpark_resting(WorkloadId id) {
  unpark(id);
  if (place_of(id) == PendingPlace::none) return;
  const Standing& standing = standings_[id.index()];
  queue_at(standing.queue).lanes[standing.lane].has_resting = true;
}

void PendingQueues::park_equivalent(WorkloadId id, std::string_view cause) {
  const Standing& standing = standings_[id.index()];
  if (standing.queue.is_none()) return;
  Queue& queue = queue_at(standing.queue);
  Kind& kind = *queue.lanes[standing.lane].kind;
  if (!kind.is_parked && !kind.cause) queue.parked_kinds.push_back(standing.ticket.equivalence);
  kind.is_parked = true;
  kind.cause = cause;
  for (const std::uint32_t lane : kind.lanes) {
    if (!queue.lanes[lane].active.empty()) set_lane_parked(queue, lane, true);
    if (queue.lanes[lane].has_resting) part_lane(queue, lane);
  }
}

void PendingQueues::unpark_kinds(Queue& queue) {
  std::erase_if(queue.parked_kinds, [&](std::uint64_t equivalence) {
    const auto found = queue.kinds.find(equivalence);
    found->second.is_parked = false;
    const bool is_over = !found->second.cause;
    if (found->second.is_idle()) queue.kinds.erase(found);
    return is_over;
  });
}

void PendingQueues::forget_causes(ClusterQueueId id) {
  if (find_queue(id) == nullptr) return;
  Queue& queue = queue_at(id);
  std::erase_if(queue.parked_kinds, [&](std::uint64_t equivalence) {
    const auto found = queue.kinds.find(equivalence);
    found->second.cause.reset();
    const bool is_over = !found->second.is_parked;
    if (found->second.is_idle()) queue.kinds.erase(found);
    return is_over;
  });
}

bool PendingQueues::is_parked_kind(ClusterQueueId id, std::uint64_t equivalence) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || equivalence == 0 || queue->parked_kinds.empty()) return false;
  const auto kind = queue->kinds.find(equivalence);
  return kind != queue->kinds.end() && kind->second.is_parked;
}

std::optional<std::string_view> PendingQueues::cause_of_kind(ClusterQueueId id,
                                                             std::uint64_t equivalence) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr) return std::nullopt;
  const auto kind = queue->kinds.find(equivalence);
  return kind == queue->kinds.end() ? std::nullopt : kind->second.cause;
}

WorkloadId PendingQueues::head(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || queue->open.empty()) return WorkloadId::none();
  const OpenLane& first = queue->open.front();
  const WorkloadId sticky = queue->preempts.is_sticky ? queue->preemptor : WorkloadId::none();
  if (!sticky.is_none() && place_of(sticky) == PendingPlace::active &&
      queue->lanes[standings_[sticky.index()].lane].usage == first.usage) {
    return sticky;
  }
  return first.first.id;
}

// The second of a heap is one of the first one's children.
WorkloadId PendingQueues::expect_successor(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || queue->open.empty()) return WorkloadId::none();
  OpenLane best;
  const auto consider = [&](const OpenLane& each) {
    if (best.first.id.is_none() || lane_before(each, best)) best = each;
  };
  const OpenLane& first = queue->open.front();
  const std::vector<Waiting>& equals = queue->lanes[first.lane].active;
  for (std::size_t at = 1; at < std::min(equals.size(), heap_branches + 1); ++at) {
    consider({.usage = first.usage, .first = equals[at], .lane = first.lane});
  }
  for (std::size_t at = 1; at < std::min(queue->open.size(), heap_branches + 1); ++at) {
    consider(queue->open[at]);
  }
  if (!best.first.id.is_none()) {
    expect_memory(&queue->lanes[best.lane], sizeof(Lane));
    expect_memory(&standings_[best.first.id.index()], sizeof(Standing));
  }
  return best.first.id;
}

void PendingQueues::expect_head(ClusterQueueId id) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || queue->open.empty()) return;
  const OpenLane& first = queue->open.front();
  expect_line(queue->lanes[first.lane].kind);
  expect_line(&queue->places[first.lane]);
  expect_memory(&standings_[first.first.id.index()], sizeof(Standing));
}

void PendingQueues::expect_queue(ClusterQueueId id) const {
  expect_memory(find_queue(id), sizeof(Queue));
}

void PendingQueues::expect_lane(ClusterQueueId id, WorkloadId workload) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || !waits(workload)) return;
  const Standing& standing = standings_[workload.index()];
  if (standing.queue != id) return;
  const std::uint32_t lane = standing.lane;
  expect_memory(queue->lanes.data() + lane, sizeof(Lane));
  expect_line(queue->places.data() + lane);
  expect_line(queue->open.data());
}

void PendingQueues::expect_members(ClusterQueueId id, WorkloadId workload) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || !waits(workload)) return;
  const Standing& standing = standings_[workload.index()];
  if (standing.queue != id) return;
  const std::vector<Waiting>& members = queue->lanes[standing.lane].active;
  if (members.empty()) return;  // it is parked alone
  const std::size_t compared = std::min(members.size(), heap_branches + 1);
  expect_memory(members.data(), compared * sizeof(Waiting));
  expect_line(&members.back());
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

// Below one that does not stand before the ticket nobody does.
std::int64_t PendingQueues::count_before(ClusterQueueId id, const QueueTicket& ticket) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr) return 0;
  std::int64_t count = 0;
  std::vector<std::size_t> open;
  for (const OpenLane& each : queue->open) {
    const std::vector<Waiting>& heap = queue->lanes[each.lane].active;
    open.push_back(0);
    while (!open.empty()) {
      const std::size_t place = open.back();
      open.pop_back();
      if (place >= heap.size()) continue;
      if (!stands_before(standings_[heap[place].id.index()].ticket, ticket)) continue;
      ++count;
      for (std::size_t i = 1; i <= heap_branches; ++i) open.push_back(heap_branches * place + i);
    }
  }
  return count;
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

std::optional<PendingQueues::Preemptor> PendingQueues::preemptor(ClusterQueueId id,
                                                                 WorkloadId workload) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr || queue->preemptor != workload) return std::nullopt;
  return preemptor(workload);
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
    if (queue.places[at] != closed) refresh_open(queue, at);
  }
}

}  // namespace muster::core
