// What the gang of a Workload asks for: its pod sets, as they were read once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/claims.h"
#include "core/model/pod_neighbours.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "core/model/shared_list.h"

namespace muster::core {

// Groups of `size` pods that stay within one domain of the level.
struct SliceLayer {
  std::string level;
  std::int64_t size = 0;

  friend bool operator==(const SliceLayer&, const SliceLayer&) = default;
};

// What a pod set asks of the topology (spec.podSets[].topologyRequest).
struct TopologyRequest {
  enum class Mode : std::uint8_t { none, required, preferred, unconstrained };

  bool present = false;  // the field is there, whatever it says
  Mode mode = Mode::none;
  std::string level = {};  // required, preferred
  // The widest layer first. One entry where podSetSliceRequiredTopology and podSetSliceSize say it
  // (an empty level, a zero size: that one is absent),
  // more where podsetSliceRequiredTopologyConstraints does (has_layers).
  std::vector<SliceLayer> slices = {};
  bool has_layers = false;
  bool has_unconstrained = false;  // the field is there, whatever it says
  std::string group = {};          // podSetGroupName
  std::string pod_index_label = {};
  std::string sub_group_index_label = {};
  std::optional<std::int64_t> sub_group_count = {};

  // It asks for a place in the topology; a group or an index alone does not.
  bool is_explicit() const { return mode != Mode::none || has_unconstrained || !slices.empty(); }

  friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

// A pod set of the spec.
struct GangPodSet {
  std::string name;
  std::int64_t count = 0;
  std::optional<std::int64_t> min_count = {};  // of a partial admission
  std::int64_t reclaimable = 0;                // pods that have ended and need no room any more
  Amounts requests;                            // of one pod, as nodes and topology see it
  Amounts effective_requests = {};             // of one pod, as quota sees it
  SchedulingTerms terms;
  TopologyRequest topology = {};
  Labels labels = {};             // of its pods
  PodNeighbours neighbours = {};  // nearly always empty
  ClaimNames claims = {};         // that all its pods use

  // How many pods ask for quota and room.
  std::int64_t effective_count() const { return count > reclaimable ? count - reclaimable : 0; }
};

// The pod sets of a gang, as they were read once. Workloads that ask for exactly the same share
// them (gang_library.h).
using GangPodSets = SharedList<GangPodSet>;

}  // namespace muster::core
