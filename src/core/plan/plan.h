// plan(): one cycle of decisions. State in, decisions out: who is admitted with which flavors and
// nodes, who has to make room, which pods go where, and for everyone else why not. It does no I/O,
// reads no clock, takes no lock, throws no dice, and leaves the state as it found it.
//
//   Plan cycle = plan(state, policy);
//   state.assume(cycle);                      // until the writes come back as events
//   for (const auto& list : edits_of(state, cycle)) …
//
// Assumes: one head per ClusterQueue and cycle, as Kueue does it; control/ runs cycles until one
// decides nothing. `now` is the last tick the state has seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/edit.h"
#include "core/model/cluster_state.h"
#include "core/plan/because.h"
#include "core/plan/decision.h"
#include "core/plan/policy.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

class AssignmentPool;

// What happens beside the heads of queues. Plain values that print and serialise.
struct Action {
  enum class Type : std::uint8_t {
    tell,        // workload: it waits without having been tried; `because` says why
    evict,       // workload: it must stop; `because` says why
    bind,        // pod: to `node` with `address`
    unbindable,  // pod that no queue manages and no node takes; `because`
    receive,     // pod that somebody else put on `node`: it has room, with `address`
    refuse,      // the same, which the node cannot take: it has failed; `because`
  };

  Type type = Type::tell;
  objects::ObjectKey key;  // of the workload or the pod
  std::string uid;
  std::string node = {};     // bind, receive
  std::string address = {};  // bind, receive; words::no_address where it has none of its own
  Because because = {};      // tell, evict, unbindable, refuse
};

struct Plan {
  std::vector<Decision> decisions;  // about heads, in the order in which they were made
  std::vector<Action> actions;
  // The last decision waits until admitted workloads are ready, and so do the heads behind it.
  bool is_blocked = false;
  std::vector<WorkloadId> unreached = {};            // those heads
  std::shared_ptr<AssignmentPool> assignments = {};  // that the decisions refer to

  bool decides_something() const;  // anything but waits
};

Plan plan(ClusterState& state, const Policy& policy);

// A second pass may find a place for one that a later head of the same cycle preempts: it goes.
bool is_victim(const Plan& plan, const Decision& admission);

// The writes that carry the plan out, each with its notes: evictions first, then admissions, then
// bindings, then conditions of those who wait, and those only where the reason changed. One inner
// list per object: lists are independent of each other. After assume(): from here on a reason
// counts as being written.
std::vector<std::vector<Edit>> edits_of(ClusterState& state, const Plan& plan);

// Before assume(): what a decision refers to may be gone after it.
objects::Value to_value(const ClusterState& state, const Plan& plan);

}  // namespace muster::core
