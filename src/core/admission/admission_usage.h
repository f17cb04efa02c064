// What an admission would take: quota, and domains of topologies. A workload that has its
// reservation already takes no quota again, and of its domains only those that are new.
//
//   const AdmissionUsage usage = net_usage(tables, decision);
//   if (check_fit(tables, policy, queue, usage) == FitCheck::fits) take(tables, trial, queue,
//   usage);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/tables.h"
#include "core/model/topology_usage.h"
#include "core/model/trial.h"
#include "core/plan/decision.h"

namespace muster::core {

struct Policy;

struct AdmissionUsage {
  Usage quota;
  std::vector<TopologyUsage> topology;
};

enum class FitCheck : std::uint8_t { fits, no_quota, no_topology };

AdmissionUsage net_usage(const Tables& tables, const Decision& decision);

// What is kept for a workload that waits for quota it may have and nobody can be preempted for: as
// much as it may use of its queue's nominal quota, or up to the borrowing limit where it borrows.
AdmissionUsage usage_to_reserve(const Tables& tables, const Decision& decision);

FitCheck check_fit(const Tables& tables, const Policy& policy, ClusterQueueId queue,
                   const AdmissionUsage& usage);

void take(Tables& tables, Trial& trial, ClusterQueueId queue, const AdmissionUsage& usage);
void give(Tables& tables, Trial& trial, ClusterQueueId queue, const AdmissionUsage& usage);

}  // namespace muster::core
