// The dense ids of core. An id is a row in one table of ClusterState; it says nothing about order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/id.h"

namespace muster::core {

using ResourceId = Id<struct ResourceTag>;
using FlavorId = Id<struct FlavorTag>;
using FlavorResourceId = Id<struct FlavorResourceTag>;  // a flavor and a resource
using ClusterQueueId = Id<struct ClusterQueueTag>;
using CohortId = Id<struct CohortTag>;
using QuotaNodeId = Id<struct QuotaNodeTag>;  // a ClusterQueue or a Cohort
using AdmissionCheckId = Id<struct AdmissionCheckTag>;
using TopologyId = Id<struct TopologyTag>;
using LocalQueueId = Id<struct LocalQueueTag>;
using NamespaceId = Id<struct NamespaceTag>;
using WorkloadId = Id<struct WorkloadTag>;
using NodeId = Id<struct NodeTag>;
using PodId = Id<struct PodTag>;
using OwnerId = Id<struct OwnerTag>;  // the job that a Workload and its pods belong to

}  // namespace muster::core
