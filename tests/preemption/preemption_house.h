// House: a SlowWorld in the product's state, with the product's search behind the same question.
//
//   House house(world, preemptor, rules);
//   EXPECT_EQ(house.find(), slow::find_targets(world, preemptor, rules));
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/model/cluster_state.h"
#include "core/model/tables.h"
#include "core/plan/policy.h"
#include "core/preemption/find_targets.h"
#include "tests/preemption/slow_targets.h"

namespace muster::core::slow {

struct House {
  House(const SlowWorld& given, const Preemptor& who, const Rules& rules);

  Tables& tables() { return state.tables(); }
  FlavorResourceId pair(const std::string& text);
  Usage usage();
  WorkloadId incoming() { return tables().workloads.find("a/incoming"); }
  WorkloadId workload(const std::string& name) { return tables().workloads.find("a/" + name); }
  ClusterQueueId queue() { return tables().cluster_queues.find(preemptor.queue); }

  // Pod sets that need a place, if any.
  Targets find(std::span<const TopologyPodSet> places = {});

  const SlowWorld& world;
  const Preemptor& preemptor;
  ClusterState state;
  Policy policy{.placement = Placement::none};
};

}  // namespace muster::core::slow
