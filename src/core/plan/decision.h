// Decision: what one cycle decided about one workload, in ids and typed words: who is admitted with
// which flavors, who preempts whom, who waits and where. Texts and status values are made of it
// when somebody writes or prints them.
//
//   for (const Decision& decision : cycle.decisions) …
//   because_of(tables, decision).message()     // couldn't assign flavors to pod set main: …
//   place_after(tables, decision)              // active: tried again in the next cycle
//
//   nominated ──► fits ──────────────► admit
//       │     └─► needs others' quota ─► preempt, or wait (nobody to preempt)
//       ├───────► lost to another head of the cycle ─► wait
//       └───────► a failed node without replacement ─► evict
//
// Assumes: ids are those of the state that it was decided on, until assume(). Its assignment is
// that of the Plan, and is read while that is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/admission/assignment.h"
#include "core/model/boxed.h"
#include "core/model/ids.h"
#include "core/model/pending_queue.h"
#include "core/model/tables.h"
#include "core/plan/because.h"
#include "core/preemption/target.h"

namespace muster::core {

// Why a workload that was tried goes back to its queue; says where to.
enum class RequeueReason : std::uint8_t {
  generic,
  failed_after_nomination,
  namespace_mismatch,
  preemption_gated,
  pending_preemption,
  preemption_no_candidates,
  no_fit,
  resource_quota,
};

// What a workload that is not admitted is told.
enum class WaitWord : std::uint8_t {
  obstacles,     // those of its assignment
  objection,     // it was not even tried: `objection`
  preempting,    // the obstacles, and how many are being preempted
  lost_race,     // fitted until another head was dealt with
  overlapping,   // another head preempts the same workloads
  deferred_fit,  // will fit when those are gone
  gated,         // needs preemption, and its gate is closed
  pods_ready,    // admitted workloads are not ready yet
  deactivated,   // a second pass that found a place for one that may not run
  no_place,      // quota is there, room on nodes is not: `objection`
  no_room,       // quota is there, a ResourceQuota would reject its pods: `objection`
  reserved,      // what it asks for is kept for a head that starts then
};

struct Decision {
  enum class Type : std::uint8_t { wait, admit, preempt, evict };

  Type type = Type::wait;
  WorkloadId workload;
  ClusterQueueId queue;
  bool is_second_pass = false;  // it has its reservation already
  bool is_preemptor = false;    // it preempted in an earlier cycle and waits for that
  bool is_admitted = false;     // admit: no check and no topology is outstanding
  bool was_tried = false;       // it has an assignment
  bool forgets_tried = false;   // the next search through the flavors begins anew
  bool is_new = true;           // preempt: some victim was not asked to go before
  RequeueReason requeue_reason = RequeueReason::generic;
  WaitWord word = WaitWord::obstacles;

  AssignmentRef assignment;
  std::vector<Target> targets;  // preempt; the slice that is replaced is not among them
  WorkloadId replaced_slice;    // finishes when this one is admitted
  Boxed<Reason> objection = {};

  // wait: when it starts at the latest, where the policy reserves that.
  std::optional<Instant> reserved_start = {};

  bool is_pinned = false;  // to the places of its pod sets
};

// Where the workload stands after the cycle; none: in no queue.
PendingPlace place_after(const Tables& tables, const Decision& decision);

// Whether others that ask for the same are inadmissible with it.
bool parks_equivalents(const Tables& tables, const Decision& decision);

// The finer word for a wait alone: `WaitingForQuota`.
std::string_view cause_of(const Decision& decision);

// In words. For an eviction the words of the Evicted condition.
Because because_of(const Tables& tables, const Decision& decision);

}  // namespace muster::core
