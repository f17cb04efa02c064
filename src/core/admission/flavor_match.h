// FlavorMatch: whether pod sets may run on the nodes that a flavor promises, whatever the quota:
// its topology, its taints, and node selector and affinity on the labels that it has itself.
//
//   if (auto obstacle = match.mismatch(flavor, pod_sets)) …
//
// Assumes: labels that the flavor does not have say nothing about it, so that a selector for them
// keeps no pod set away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/admission/obstacle.h"
#include "core/model/ids.h"
#include "core/model/read_workload.h"

namespace muster::core {

struct ClusterQueueRow;
struct Policy;
struct Tables;

// Whether the pod set has to be placed in a topology: because it says so, or because every flavor
// of the queue has one.
bool asks_for_topology(const GangPodSet& set, bool is_topology_queue);

// The resource group that covers it.
std::optional<std::uint32_t> resource_group_of(const ClusterQueueRow& queue, ResourceId resource);

// Every flavor of the queue has a topology.
bool is_topology_queue(const Tables& tables, const ClusterQueueRow& queue);

struct FlavorMatch {
  const Tables& tables;
  const Policy& policy;
  const Workload& workload;
  std::span<const ResourceId> covered;  // by the resource group of the flavor
  bool is_topology_queue = false;

  // The first obstacle of the first pod set that has one. `pod_sets`: places in the spec. A node
  // affinity that cannot be read is unreadable_affinity, with the pod set's place as `index`.
  std::optional<Obstacle> mismatch(FlavorId flavor, std::span<const std::uint32_t> pod_sets) const;

 private:
  std::optional<Obstacle::Type> topology_mismatch(FlavorId flavor, const GangPodSet& set) const;
};

}  // namespace muster::core
