// FlavorSearch: one flavor for all resources of a resource group that a group of pod sets asks for.
// The flavors are looked at in the order of the queue, from where the last attempt ended, until one
// is good enough to stop at; else the best of them is taken.
//
//   FlavorSearch search(question, assignment);
//   const FlavorChoice choice = search.run(group, gpu);
//   if (choice.flavors.empty()) …                       // none serves; assignment.obstacles says
//   why
//
//   no_fit < no_candidates < preempt < reclaim < fit    // the modes of a flavor
//
// Assumes: `assignment.usage` holds what earlier pod sets take. Only its obstacles and attempts are
// written. A mode and a borrow level are compared together; which of the two counts first is the
// queue's flavorFungibility.preference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/admission/assignment.h"
#include "core/admission/workload_slice.h"
#include "core/model/tables.h"
#include "core/plan/policy.h"

namespace muster::core {

// For this much of a pair nobody can be preempted: that was asked while the flavors were searched.
struct NobodyToPreempt {
  FlavorResourceId pair = {};
  std::int64_t amount = 0;
};

// What does not change while one workload is assigned.
struct AssignmentQuestion {
  Tables& tables;
  Trial& trial;
  const Policy& policy;
  const AssignmentRequest& request;
  const Workload& workload;
  const ClusterQueueRow& queue;
  const LastTried* last = nullptr;
  const ReplacedSlice* slice = nullptr;
  bool is_topology_queue = false;
  NobodyToPreempt* nobody = nullptr;  // the last that was found
  bool is_explained = true;           // what is tried goes into the policy's explanation

  bool enabled(Gate gate) const { return policy.kueue.gates.enabled(gate); }
};

// Pod sets that get the same flavors, and what they ask for together, in Kueue's order.
struct PodSetGroup {
  ShortList<std::uint32_t, 2> pod_sets;  // places in the spec
  Amounts requests;
};

struct FlavorChoice {
  FlavorMode mode = FlavorMode::no_fit;
  FlavorAssignments flavors;  // empty: none serves
  std::string error = {};     // why the search broke off
};

class FlavorSearch {
 public:
  FlavorSearch(const AssignmentQuestion& question, Assignment& assignment)
      : question_(question), assignment_(assignment) {}

  // For the resource group of this resource.
  FlavorChoice run(const PodSetGroup& group, ResourceId resource);

 private:
  // How good a flavor is, as flavors are compared.
  struct Grade {
    FlavorMode mode = FlavorMode::no_fit;
    std::int32_t borrow = 0;
  };
  struct Trying {
    Grade grade = {};
    std::int32_t borrow_max = 0;
    NoFitCause cause = NoFitCause::none;
    FlavorAssignments flavors = {};
  };
  struct QuotaAnswer {
    Grade grade = {};
    NoFitCause cause = NoFitCause::none;
  };

  Trying try_flavor(const PodSetGroup& group, std::uint32_t resources, const GroupFlavor& flavor);
  bool leave_slice(const PodSetGroup& group, FlavorId flavor, Amount& request);
  QuotaAnswer ask_quota(FlavorId flavor, FlavorResourceId pair, const Amount& request);
  QuotaAnswer ask_preemption(FlavorResourceId pair, std::int64_t wanted);
  bool is_left_out(const PodSetGroup& group, std::uint32_t resources, FlavorId flavor,
                   ResourceId resource);
  bool is_nominated(const PodSetGroup& group, FlavorId flavor, ResourceId resource) const;
  bool may_preempt_while_borrowing() const;

  bool is_better(const Grade& a, const Grade& b) const;
  bool goes_on(const Grade& grade) const;

  void object(Obstacle obstacle) { assignment_.obstacles.push_back(obstacle); }
  void explain(const PodSetGroup& group, FlavorId flavor, ResourceId resource, FlavorMode mode,
               std::int32_t borrow, std::size_t first_obstacle);

  const AssignmentQuestion& question_;
  Assignment& assignment_;
  std::string error_;
};

}  // namespace muster::core
