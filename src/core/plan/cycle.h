// Cycle: the work of one plan(), handed from phase to phase. Each phase is a function in a file of
// its own; what it decides goes into the plan, what it takes goes into the trial.
//
//   Cycle cycle(tables, policy);
//   evict_failed_nodes(cycle);  tell_stranded(cycle);
//   auto nominees = nominate(cycle);  order(nominees);
//   keep_room(cycle, nominees);  admit(cycle, nominees);
//   bind(cycle);  place_unmanaged(cycle);
//
// Assumes: the trial of the cycle is never committed; the state is as it was when the cycle ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/admission/assignment.h"
#include "core/model/tables.h"
#include "core/model/trial.h"
#include "core/plan/plan.h"

namespace muster::core {

struct Cycle {
  Cycle(Tables& state, const Policy& rules) : tables(state), policy(rules), trial(state.undo) {}

  Tables& tables;
  const Policy& policy;
  Trial trial;
  Plan plan = {};
  std::set<std::string> evicted = {};                           // keys, in this cycle
  std::map<NodeId, std::vector<std::uint32_t>> addresses = {};  // given in this cycle
  bool took_places = false;                                     // some gang was placed
};

// A head that has quota; it is admitted unless another head of the cycle takes its place.
struct Nominee {
  WorkloadId workload;
  ClusterQueueId queue;
  QueueTicket place;
  Assignment assignment;
};

void evict_failed_nodes(Cycle& cycle);
void tell_stranded(Cycle& cycle);
std::vector<Nominee> nominate(Cycle& cycle);
void order(std::vector<Nominee>& nominees);
void keep_room(Cycle& cycle, const std::vector<Nominee>& nominees);
void admit(Cycle& cycle, const std::vector<Nominee>& nominees);
void bind(Cycle& cycle);
void place_unmanaged(Cycle& cycle);

// An address for one more pod on the node; empty where the node gives none.
std::string take_address(Cycle& cycle, NodeId node);

Action action_on(const Cycle& cycle, Action::Type type, WorkloadId workload);
Action action_on(const Cycle& cycle, Action::Type type, PodId pod);

}  // namespace muster::core
