// Topology-aware placement: the domains (racks, blocks, hosts) in which the pods of a workload go,
// as Kueue v0.19.2 chooses them. A flavor with a topologyName has a tree of domains over its nodes;
// what is free in the lowest of them is kept with every event (core/model/topology_tree.h).
//
//   const TopologyResult found = assign_topology(tables, policy, workload, pod_sets, {});
//   if (!found.failure) take_topology(tables, trial, found.usage);
//
// Assumes: assign_topology takes nothing itself. What take_topology takes and give_topology gives
// back concerns the usage's own flavor, as in one cycle of Kueue; flavors that share nodes see each
// other's usage once it has come back as an event.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.h"
#include "core/model/resource_names.h"
#include "core/model/topology_assignment.h"
#include "core/model/topology_usage.h"
#include "core/model/trial.h"
#include "core/plan/because.h"

namespace muster::core {

struct GangPodSet;
struct Policy;
struct Tables;
struct TopologyRequest;
struct Workload;

// A pod set that needs a place, with the flavor that was assigned to it.
struct TopologyPodSet {
  std::size_t pod_set = 0;  // in the spec
  FlavorId flavor;
  std::int64_t count = 0;
  const GangPodSet* set = nullptr;
  const TopologyAssignment* previous = nullptr;  // of the slice that the workload replaces
  bool implied = false;  // it did not ask; every flavor of its queue has a topology
};

struct TopologyOptions {
  bool simulate_empty = false;  // as if no workload had a place
  bool is_question = false;     // only whether it fits: no names, no reason's text
  WorkloadId workload = {};     // for the explanation, where there is one
};

struct TopologyResult {
  // Beside the pod sets that were asked for; nothing where there is no place or it was a question.
  std::vector<std::optional<TopologyAssignment>> pod_sets;
  std::vector<TopologyUsage> usage;  // what the assignments take
  std::optional<Reason> failure;     // type no_topology
  std::size_t failed_pod_set = 0;    // in the list that was asked for
};

// Where the workload has unhealthy nodes, only the pods of the first of them are moved.
TopologyResult assign_topology(Tables& tables, const Policy& policy, const Workload& workload,
                               std::span<const TopologyPodSet> pod_sets, TopologyOptions options);

// What an assignment takes of a flavor. `accounted`: what the state has already of the same pod
// set (a second pass); only more than that counts.
TopologyUsage topology_usage(const Tables& tables, FlavorId flavor, const Amounts& pod_requests,
                             const TopologyAssignment& assignment,
                             const TopologyAssignment* accounted = nullptr);

// Changes what is free, within the trial.
void take_topology(Tables& tables, Trial& trial, std::span<const TopologyUsage> usage);
void give_topology(Tables& tables, Trial& trial, std::span<const TopologyUsage> usage);

// The same for what a reserved workload has, in flavors that its queue still has.
void take_topology(Tables& tables, Trial& trial, WorkloadId workload);
void give_topology(Tables& tables, Trial& trial, WorkloadId workload);

// Whether every domain still has the room, each looked at by itself, as Kueue asks it: without
// `pods`.
bool topology_fits(const Tables& tables, const Policy& policy,
                   std::span<const TopologyUsage> usage);

// The same with `pods`: whether a place that was found is one still.
bool topology_is_free(const Tables& tables, std::span<const TopologyUsage> usage);

// The flavor has a topology, and the topology is there.
bool has_topology(const Tables& tables, FlavorId flavor);

// The flavor's topology has every level that the request names. A request that asks for nothing has
// none.
bool has_levels(const Tables& tables, FlavorId flavor, const TopologyRequest& request);

}  // namespace muster::core
