// The decisions of one cycle as the document lists them, in the order in which they were made.
//
//   const core::Plan cycle = core::plan(world.state(), policy);
//   world.state().assume(cycle);
//   document.list("decisions", decision_nodes(builder, world, cycle));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/plan/plan_world.h"
#include "core/plan/explanation.h"
#include "core/plan/plan.h"
#include "objects/builder.h"

namespace muster::cli {

// After assume() and carry_out(). With an explanation each has what was tried.
std::vector<objects::Node> decision_nodes(objects::Builder& builder, const PlanWorld& world,
                                          const core::Plan& plan,
                                          const core::Explanation* explanation);

// Victim → the workload that preempts it; the last where there are several.
std::map<std::string, std::string> preemptors_of(const PlanWorld& world, const core::Plan& plan);

// Waiting workloads that no cycle could look at because their LocalQueue or ClusterQueue is not
// there, or because they use what is not supported yet.
std::vector<objects::Node> orphan_nodes(objects::Builder& builder, const PlanWorld& world);

}  // namespace muster::cli
