// find_targets(): the workloads that have to go so that another can start, as Kueue chooses them:
// by priority and the ownership of quota, or by fair shares where those are configured. Nobody goes
// who is not needed: who can stay after all is put back.
//
//   const auto targets = find_targets(tables, trial, policy,
//                                     {.workload = big, .queue = team_a, .usage = &usage,
//                                      .contested = {h100_gpu}, .topology = pod_sets});
//   if (targets.empty()) …                  // there is nobody to evict, or not enough of them
//
// Assumes: the preemptor does not fit as things are. What the trial has taken out of the state is
// gone and no candidate. The trial is as before when the call returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/model/flavor_resource.h"
#include "core/model/ids.h"
#include "core/model/trial.h"
#include "core/placement/topology.h"
#include "core/preemption/target.h"

namespace muster::core {

struct Policy;
struct Tables;

struct Preemptor {
  WorkloadId workload;
  ClusterQueueId queue;
  const Usage* usage = nullptr;                   // all that it will take of quota
  std::vector<FlavorResourceId> contested;        // of that, what does not fit as things are
  std::span<const TopologyPodSet> topology = {};  // pod sets that need a place
  bool is_question = false;                       // nobody is told what was considered
};

// In the order in which Kueue lists them. Empty when no set of candidates makes room. What was
// considered on the way goes into policy.explanation.
std::vector<Target> find_targets(Tables& tables, Trial& trial, const Policy& policy,
                                 const Preemptor& preemptor);

}  // namespace muster::core
