// What a cycle tried on the way to one decision, as the document shows it with --explain: flavors
// with their mode and reason, candidates for preemption with the verdict on each, levels of a
// topology.
//
//   node.add("explain", explanation_node(builder, tables, explanation.of(workload)));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/tables.h"
#include "core/plan/explanation.h"
#include "objects/builder.h"

namespace muster::cli {

objects::Node explanation_node(objects::Builder& builder, const core::Tables& tables,
                               const core::Tries& tries);

}  // namespace muster::cli
