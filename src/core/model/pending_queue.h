// PendingQueues: the workloads that wait, by ClusterQueue, as Kueue keeps them: an active set, of
// which the head is tried, and those that were tried and are inadmissible until something changes.
// Workloads of one LocalQueue that ask for the same form a lane; the answer to one is the answer to
// all, so a lane is parked and woken as a whole, however many stand in it.
//
//   pending.enter(queue, id, ticket);
//   pending.head(queue);                       // by usage, stickiness, priority, age, uid
//   pending.park_equivalent(id, cause);        // it and all that ask for the same
//   pending.wake(queue, may_return);           // a quota was freed
//
//          enter                 park, park_equivalent
//   none ─────────► active ◄──────────────────────────► inadmissible        leave: none
//                             wake, unpark
//
// Assumes: what a ticket points to lives until leave(). Order is a matter of keys that
// are computed once; names are compared only between equals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/instant.h"
#include "core/model/expect_memory.h"
#include "core/model/ids.h"
#include "core/model/short_list.h"

namespace muster::core {

// What a workload's place depends on.
struct QueueTicket {
  std::int64_t priority = 0;  // effective; the higher goes first
  Instant since = {};
  const std::string_view* uid = nullptr;
  const std::string* key = nullptr;
  std::uint64_t equivalence = 0;  // 0: equals nobody
  LocalQueueId local_queue = {};
  std::uint64_t uid_prefix = 0;  // the first bytes of the uid (uid_head)
};

// Whether `a` stands before `b` where nothing but the tickets counts.
bool stands_before(const QueueTicket& a, const QueueTicket& b);

enum class PendingPlace : std::uint8_t { none, active, inadmissible };

class PendingQueues {
 public:
  // Into the active set.
  void enter(ClusterQueueId queue, WorkloadId id, const QueueTicket& ticket);
  // Straight to the inadmissible: by itself, or because its kind was parked (is_parked_kind).
  void enter_parked(ClusterQueueId queue, WorkloadId id, const QueueTicket& ticket);
  void enter_with_kind(ClusterQueueId queue, WorkloadId id, const QueueTicket& ticket);
  // The preemptor's slot is free again if it was the workload's.
  void leave(WorkloadId id);

  void park(WorkloadId id);
  void unpark(WorkloadId id);
  // The same of one that rests: when it is parked again it does not return with its lane.
  void unpark_resting(WorkloadId id);

  // Parks all active workloads of the queue that ask for the same as this one, and this one; later
  // ones of that kind are to come in with it (enter_with_kind) until wake().
  void park_equivalent(WorkloadId id, std::string_view cause);
  bool is_parked_kind(ClusterQueueId queue, std::uint64_t equivalence) const;
  // Why they were parked, until it is forgotten; nothing where they never were. The text is that of
  // the caller, and lives for ever.
  std::optional<std::string_view> cause_of_kind(ClusterQueueId queue,
                                                std::uint64_t equivalence) const;
  void forget_causes(ClusterQueueId queue);

  // Inadmissible workloads become active: those of lanes whose LocalQueue may return, one by one
  // where they were parked one by one. Answers whether any did.
  template <class LaneMayReturn, class MayReturn>
  bool wake(ClusterQueueId queue, LaneMayReturn&& lane_may_return, MayReturn&& may_return);

  // The head of the queue will be tried soon: what is known of it is fetched meanwhile.
  void expect_head(ClusterQueueId queue) const;
  // Somebody will enter or leave soon.
  void expect(WorkloadId id) const {
    if (id.index() >= standings_.size()) return;
    expect_memory(&standings_[id.index()], sizeof(Standing));
    expect_line(&positions_[id.index()]);
  }
  // The same of its queue: first the queue is fetched, then its lane, then who waits in that.
  void expect_queue(ClusterQueueId queue) const;
  void expect_lane(ClusterQueueId queue, WorkloadId id) const;
  void expect_members(ClusterQueueId queue, WorkloadId id) const;
  // The head when the present one is gone, if nobody comes; none: nobody is. What expect_head()
  // reads of it then is fetched meanwhile.
  WorkloadId expect_successor(ClusterQueueId queue) const;

  // The one to try; none where nobody is active.
  WorkloadId head(ClusterQueueId queue) const;
  PendingPlace place_of(WorkloadId id) const;
  bool waits(WorkloadId id) const {  // in some queue
    return id.index() < standings_.size() && !standings_[id.index()].queue.is_none();
  }
  const QueueTicket& ticket(WorkloadId id) const { return standings_[id.index()].ticket; }
  std::size_t active_count(ClusterQueueId queue) const;
  std::size_t inadmissible_count(ClusterQueueId queue) const;

  // Every workload of the queue with whether it is active, in no order.
  template <class Visit>
  void for_each(ClusterQueueId queue, Visit&& visit) const;

  // The first of the inadmissible that ask for the same of which `holds` is true; none: there is
  // no such.
  template <class Holds>
  WorkloadId find_inadmissible(ClusterQueueId queue, std::uint64_t equivalence,
                               Holds&& holds) const;

  // How many active workloads of the queue stand before the ticket.
  std::int64_t count_before(ClusterQueueId queue, const QueueTicket& ticket) const;

  // The workload that preempts others for its quota. Sticky: it stays the head, whoever comes.
  // It is forgotten when it leaves, or another takes its slot.
  struct Preemptor {
    std::int64_t generation = 0;  // of its spec, when it was tried
    bool is_sticky = false;
  };
  void set_preemptor(WorkloadId id, Preemptor preemptor);
  std::optional<Preemptor> preemptor(WorkloadId id) const;
  // The same of one that waits in that queue, or nowhere.
  std::optional<Preemptor> preemptor(ClusterQueueId queue, WorkloadId id) const;

  // LocalQueues with less usage go first; until set, all have 0.
  void set_usage(ClusterQueueId queue, LocalQueueId local_queue, double usage);

 private:
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  static constexpr std::uint32_t closed = 0;                   // no place
  static constexpr std::uint32_t lane_max = UINT32_MAX >> 1U;  // more than there are workloads

  struct Standing {
    QueueTicket ticket;
    ClusterQueueId queue = {};  // none: waits nowhere
    std::uint32_t lane : 31 = 0;
    bool is_parked : 1 = false;  // in the lane's `parked`
  };

  // Somebody who waits, with what it is compared by nearly always: a heap of these is read in one
  // piece of memory.
  struct Waiting {
    std::int64_t priority = 0;
    Instant since = {};
    std::uint64_t uid_prefix = 0;
    WorkloadId id;
  };

  // A lane, with the first who waits in it.
  struct OpenLane {
    double usage = 0;
    Waiting first = {};
    std::uint32_t lane = nowhere;
  };

  // Workloads that ask for the same, whichever LocalQueue they come from.
  struct Kind {
    ShortList<std::uint32_t, 2> lanes;
    bool is_parked = false;
    std::optional<std::string_view> cause = {};

    bool is_idle() const { return lanes.empty() && !is_parked && !cause; }
  };

  struct Lane {
    std::uint64_t equivalence = 0;
    Kind* kind = nullptr;  // of the queue
    LocalQueueId local_queue = {};
    double usage = 0;
    bool is_parked = false;          // `active` is inadmissible as a whole
    bool has_resting = false;        // some may not return with the others: they are parked singly
    std::vector<Waiting> active;     // a heap
    std::vector<WorkloadId> parked;  // one by one
  };

  struct Queue {
    Queue() = default;
    Queue(Queue&&) = default;  // not copied: lanes point to their kinds
    Queue& operator=(Queue&&) = default;

    std::vector<Lane> lanes;
    std::vector<std::uint32_t> free_lanes;
    std::unordered_map<std::uint64_t, Kind> kinds;  // by equivalence
    std::vector<std::uint64_t> parked_kinds;        // or were, and their cause is known
    std::vector<OpenLane> open;         // a heap of the lanes whose `active` may be tried
    std::vector<std::uint32_t> places;  // in `open`, from 1 on, by lane
    std::unordered_map<LocalQueueId, double> usage;
    std::size_t active_count = 0;
    std::size_t count = 0;
    WorkloadId preemptor = {};
    Preemptor preempts = {};
  };

  Queue& queue_at(ClusterQueueId id);
  const Queue* find_queue(ClusterQueueId id) const;
  Standing& take_place(ClusterQueueId queue, WorkloadId id, const QueueTicket& ticket);
  std::uint32_t lane_for(Queue& queue, const QueueTicket& ticket);
  void drop_lane_if_empty(Queue& queue, std::uint32_t lane);
  void push_active(Queue& queue, std::uint32_t lane, WorkloadId id);
  void push_parked(Lane& lane, WorkloadId id);
  void take_out(Queue& queue, WorkloadId id);
  void set_lane_parked(Queue& queue, std::uint32_t lane, bool is_parked);
  void part_lane(Queue& queue, std::uint32_t lane);
  void unpark_kinds(Queue& queue);
  void refresh_open(Queue& queue, std::uint32_t lane);
  void sift(std::vector<Waiting>& heap, std::size_t at);
  void sift_open(Queue& queue, std::size_t at);
  void close_lane(Queue& queue, std::uint32_t lane);
  bool waits_before(const Waiting& a, const Waiting& b) const {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.since != b.since) return a.since < b.since;
    if (a.uid_prefix != b.uid_prefix) return a.uid_prefix < b.uid_prefix;
    return stands_before(standings_[a.id.index()].ticket, standings_[b.id.index()].ticket);
  }
  bool lane_before(const OpenLane& a, const OpenLane& b) const {
    return a.usage != b.usage ? a.usage < b.usage : waits_before(a.first, b.first);
  }

  std::vector<Queue> queues_;        // by ClusterQueueId
  std::vector<Standing> standings_;  // by WorkloadId
  // In the lane's `active` or `parked`, by WorkloadId. Beside the standings: who comes or goes
  // moves others, of whom nothing else need be fetched.
  std::vector<std::uint32_t> positions_;
};

template <class LaneMayReturn, class MayReturn>
bool PendingQueues::wake(ClusterQueueId id, LaneMayReturn&& lane_may_return,
                         MayReturn&& may_return) {
  if (find_queue(id) == nullptr) return false;
  Queue& queue = queue_at(id);
  unpark_kinds(queue);
  if (queue.active_count == queue.count) return false;
  bool moved = false;
  for (std::uint32_t at = 0; at < queue.lanes.size(); ++at) {
    Lane& lane = queue.lanes[at];
    const bool has_waiting = (lane.is_parked && !lane.active.empty()) || !lane.parked.empty();
    if (!has_waiting || !lane_may_return(lane.local_queue)) continue;
    if (lane.is_parked) {
      set_lane_parked(queue, at, false);
      moved = true;
    }
    for (std::size_t i = lane.parked.size(); i-- > 0;) {
      const WorkloadId workload = lane.parked[i];
      if (!may_return(workload)) continue;
      unpark(workload);
      moved = true;
    }
  }
  return moved;
}

template <class Holds>
WorkloadId PendingQueues::find_inadmissible(ClusterQueueId id, std::uint64_t equivalence,
                                            Holds&& holds) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr) return WorkloadId::none();
  const auto kind = queue->kinds.find(equivalence);
  if (kind == queue->kinds.end()) return WorkloadId::none();
  for (const std::uint32_t at : kind->second.lanes) {
    const Lane& lane = queue->lanes[at];
    for (const Waiting& each : lane.active) {
      if (lane.is_parked && holds(each.id)) return each.id;
    }
    for (const WorkloadId each : lane.parked) {
      if (holds(each)) return each;
    }
  }
  return WorkloadId::none();
}

template <class Visit>
void PendingQueues::for_each(ClusterQueueId id, Visit&& visit) const {
  const Queue* queue = find_queue(id);
  if (queue == nullptr) return;
  for (const Lane& lane : queue->lanes) {
    for (const Waiting& each : lane.active) visit(each.id, !lane.is_parked);
    for (const WorkloadId workload : lane.parked) visit(workload, false);
  }
}

}  // namespace muster::core
