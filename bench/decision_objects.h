// The objects that benchmarks of deciding are made of: queues, workloads and nodes as Kueue's users
// write them, each one small. Uids are as random as those that an API server gives.
//
//   cluster_queue_object("q1", {.cohort = "all", .borrowing = "100"})
//   gang_object("w1", {.queue = "q1", .pods = 4})
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/value.h"

namespace muster::bench {

struct Queue {
  std::string cohort = {};
  std::string resource = "cpu";
  std::string nominal = "20";
  std::string borrowing = {};
  std::string within = "LowerPriority";
  std::string reclaim = "Any";
};

struct Gang {
  std::string queue;
  std::int64_t priority = 0;
  std::int64_t pods = 1;
  std::string requests = R"("cpu":"1")";
  std::string topology = {};  // the fields of a topologyRequest
  Span created = {};
  std::string node_selector = {};
  std::string name_space = "a";
};

objects::Value namespace_object(std::string_view name);
// With a topology it is of the nodes of pool=tas.
objects::Value flavor_object(std::string_view topology = {});
objects::Value cluster_queue_object(std::string_view name, const Queue& queue);
// Of the same name as its ClusterQueue.
objects::Value local_queue_object(std::string_view name, std::string_view name_space = "a");
objects::Value gang_object(std::string_view name, const Gang& gang);
// Topology `t`: block, rack, node.
objects::Value topology_object();
objects::Value node_object(std::string_view name, int block, int rack, std::string_view allocatable,
                           std::string_view labels = {});

}  // namespace muster::bench
