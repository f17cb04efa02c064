// The figures of a plan's document: who waits where, the quota of every node of the tree, and the
// dominant resource shares, as they stand after the last cycle.
//
//   document.list("quota", quota_figures(builder, tables));
//
// Assumes: everything in the order of names; quantities are canonical.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/tables.h"
#include "objects/builder.h"

namespace muster::cli {

struct WaitingWorkloads {
  std::vector<std::string> active;
  std::vector<std::string> inadmissible;
};

// By ClusterQueue; only those in which somebody waits.
std::map<std::string, WaitingWorkloads> waiting_workloads(const core::Tables& tables);

std::vector<objects::Node> queue_figures(objects::Builder& builder, const core::Tables& tables);
std::vector<objects::Node> quota_figures(objects::Builder& builder, const core::Tables& tables);
std::vector<objects::Node> share_figures(objects::Builder& builder, const core::Tables& tables);

// `namespace/name` of a workload's row.
std::string workload_key(const core::Tables& tables, core::WorkloadId id);

}  // namespace muster::cli
