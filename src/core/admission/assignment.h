// Assignment: which flavor each resource of each pod set gets in a ClusterQueue, what that takes of
// the quota, how far it borrows, and every alternative that was rejected on the way.
//
//   if (assignment.mode == AssignmentMode::fit) for (const FlavorUsage& each : assignment.usage) …
//   Because because{.reasons = reasons_of(tables, assignment)};     // otherwise
//
// Assumes: pod sets stand in the order in which their groups were assigned; `index` is the place in
// the spec. Pod sets of one group share flavors, obstacles and attempts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "core/admission/last_tried.h"
#include "core/admission/obstacle.h"
#include "core/model/boxed.h"
#include "core/model/flavor_resource.h"
#include "core/model/ids.h"
#include "core/model/read_workload.h"
#include "core/model/resource_names.h"
#include "core/model/short_list.h"
#include "core/model/topology_assignment.h"
#include "core/placement/placed_part.h"
#include "core/plan/because.h"
#include "core/preemption/target.h"

namespace muster::core {

struct Policy;
struct Tables;

// How one flavor would serve a request, worst first. no_candidates: it would serve if others were
// evicted, and there is nobody to evict.
enum class FlavorMode : std::uint8_t { no_fit, no_candidates, preempt, reclaim, fit };

// How the workload as a whole stands, worst first.
enum class AssignmentMode : std::uint8_t {
  no_fit,        // not in this queue as it is
  preempt,       // quota is there in principle; others have it
  deferred_fit,  // as soon as evictions of this cycle have ended
  fit,
};

AssignmentMode mode_of(FlavorMode mode);

struct FlavorAssignment {
  ResourceId resource;
  FlavorId flavor;
  FlavorResourceId flavor_resource;
  AssignmentMode mode = AssignmentMode::fit;
  std::int32_t borrow = 0;  // height of the subtree that has the quota; 0: nothing is borrowed
  std::int32_t tried = 0;   // LastTried
};

using FlavorAssignments = ShortList<FlavorAssignment, 2>;

// One flavor that was looked at, with the worst of what its resources met.
struct FlavorAttempt {
  FlavorId flavor;
  std::uint32_t group = 0;  // resource group of the queue
  FlavorMode mode = FlavorMode::no_fit;
  NoFitCause cause = NoFitCause::none;
  std::int32_t borrow = 0;
  std::uint32_t first_obstacle = 0;
  std::uint32_t obstacle_count = 0;
};

// A part of a list of the assignment.
struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct PodSetFlavors {
  std::string pod_set;
  std::uint32_t index = 0;  // in the spec
  std::uint32_t group = 0;  // pod sets of one group get the same flavors
  std::int64_t count = 0;
  Amounts requests;           // of all its pods
  FlavorAssignments flavors;  // empty: none fits, or nothing is asked for
  std::optional<TopologyAssignment> topology = {};
  DelayedTopology delayed_topology = DelayedTopology::none;
  PlacedPart places = {};  // its nodes, where the policy pins or checks places

  // Why it does not simply fit.
  Stretch obstacles = {};
  Stretch attempts = {};
  Boxed<Reason> topology_failure = {};
  std::string error = {};  // why it could not even be tried
};

struct Assignment {
  AssignmentMode mode = AssignmentMode::no_fit;
  NoFitCause cause = NoFitCause::none;  // where mode is no_fit
  std::int32_t borrow = 0;              // the highest of its flavors
  std::vector<PodSetFlavors> pod_sets;
  Usage usage;  // without what the replaced slice has already; may be negative there
  LastTried tried;
  WorkloadId replaced_slice;
  ShortList<Obstacle, 1> obstacles;
  ShortList<FlavorAttempt, 2> attempts;
};

// As it was made; what it grew to hold more it keeps.
void clear(Assignment& assignment);

// An assignment that lies in the pool of its cycle (assignment_pool.h); one that was never taken
// from it reads as an empty one.
class AssignmentRef {
 public:
  AssignmentRef() = default;
  explicit AssignmentRef(Assignment& assignment) : at_(&assignment) {}

  const Assignment& operator*() const { return at_ == nullptr ? unset() : *at_; }
  const Assignment* operator->() const { return &**this; }
  Assignment& edit() {
    CHECK(at_ != nullptr);
    return *at_;
  }

 private:
  static const Assignment& unset();

  Assignment* at_ = nullptr;
};

// Sets the mode of the whole and of every flavor.
void set_mode(Assignment& assignment, AssignmentMode mode);

// Of one pod set and of all of them, as their obstacles and flavors have it.
AssignmentMode mode_of(const Assignment& assignment, const PodSetFlavors& set);
AssignmentMode worst_mode(const Assignment& assignment);

// The word for an assignment that does not fit; none where no pod set says it.
NoFitCause no_fit_cause(const Assignment& assignment);

// What Kueue says of an assignment that does not fit, in its order; one reason per obstacle.
std::vector<Reason> reasons_of(const Tables& tables, const Assignment& assignment);

// What the admission says of the pod set's usage: of the resources that have a flavor, and no
// others.
Amounts granted_usage(const PodSetFlavors& set);

struct AssignmentRequest {
  WorkloadId workload;
  ClusterQueueId queue;
  const LastTried* last = nullptr;
  SearchMoment moment = {};
  // A second look in the same cycle: only the flavors of this assignment may be used.
  const Assignment* nominated = nullptr;
};

// With the workloads that have to go. The slice that the workload replaces is the first of them.
struct Nomination {
  AssignmentRef assignment;
  std::vector<Target> targets;
};

}  // namespace muster::core
