// An admission as the state keeps it: what status.admission of a Workload says.
//
//   if (shows_admission(view, *before, names)) …      // the one that is known already
//   Admission admission = TRY(read_admission(view, pod_sets, names));
//
// Assumes: v1beta2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/model/gang.h"
#include "core/model/resource_names.h"
#include "core/model/shared_list.h"
#include "core/model/topology_assignment.h"
#include "objects/value.h"

namespace muster::core {

// Pods of a pod set that an admission puts on one node.
struct AssignedDomain {
  std::string node;
  std::int64_t count = 0;

  friend bool operator==(const AssignedDomain&, const AssignedDomain&) = default;
};

enum class DelayedTopology : std::uint8_t { none, pending, ready };

// What an admission says of one pod set.
struct PodSetAssignment {
  std::string name;
  std::int64_t count = 0;
  std::vector<std::pair<ResourceId, std::string>> flavors;
  Amounts usage;  // of all its pods together
  bool pinned = false;
  std::vector<AssignedDomain> domains;  // in the order of ranks, where pinned
  std::optional<TopologyAssignment> topology = {};
  DelayedTopology delayed = DelayedTopology::none;

  friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;
};

struct Admission {
  std::string cluster_queue;
  SharedList<PodSetAssignment> pod_sets;

  friend bool operator==(const Admission&, const Admission&) = default;
};

// A count that is absent is that of the pod set.
Result<Admission> read_admission(objects::View view, const GangPodSets& sets, ResourceNames& names);

// Whether read_admission() would give this one, found without taking memory. False where that would
// take longer than to read it: domains of a topology are not compared.
bool shows_admission(objects::View view, const Admission& admission, const ResourceNames& names);

}  // namespace muster::core
