// What decisions need of a Pod: where it is, what it occupies, and which gang it belongs to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "core/model/claims.h"
#include "core/model/pod_neighbours.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "objects/value.h"

namespace muster::core {

struct Pod {
  std::string node_name;     // empty: not bound
  std::string address;       // chosen at binding, else as the status has it
  bool is_received = false;  // Muster has said that it has its place on the node
  bool is_terminated = false;
  bool is_succeeded = false;
  bool is_being_deleted = false;
  bool is_host_network = false;
  bool is_gated = false;  // a scheduling gate is still there

  std::string workload;                   // annotation: the name of its Workload; empty: its job's
  std::string pod_set;                    // label
  std::string owner_uid;                  // of its controller
  std::optional<std::int64_t> rank = {};  // completion index

  // It says where in a topology it wants to be: the assignment of its workload counts, not the pod.
  bool is_in_topology = false;

  // Nobody else's business: no queue, no gate, the default scheduler's name.
  bool is_unmanaged = false;

  Instant created;
  Amounts requests;  // with 1 of `pods`
  SchedulingTerms terms;
  Labels labels = {};
  PodNeighbours neighbours = {};  // nearly always empty
  ClaimNames claims = {};
};

Result<Pod> read_pod(objects::View object, ResourceNames& names);

}  // namespace muster::core
