// Obstacle: why one flavor does not serve a request, in ids. A head meets dozens of them in every
// cycle and most are never read, so that texts are made only when somebody prints one.
//
//   obstacles.push_back({.type = Obstacle::Type::quota_in_use, .flavor = f, .resource = r,
//                        .amount = missing});
//   Reason reason = reason_of(tables, "main", obstacle);      // when it is told
//
// Assumes: the flavors and resources are held for as long as the obstacle is kept: one cycle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/ids.h"
#include "core/plan/because.h"

namespace muster::core {

struct Tables;

// The word for a workload that fits nowhere, least severe first. Several flavors of a group are
// alternatives, of which the mildest counts; several groups are all needed, and the worst counts.
enum class NoFitCause : std::uint8_t {
  none,
  topology_placement_failed,
  waiting_for_quota,
  exceeds_max_quota,
  no_matching_flavor,
};

std::string_view name_of(NoFitCause cause);  // "WaitingForQuota"; empty for none

struct Obstacle {
  enum class Type : std::uint8_t {
    resource_unavailable,   // no resource group covers it
    flavor_not_found,       // no such ResourceFlavor
    no_topology,            // a topology is asked for, and the flavor has none
    topology_unknown,       // the flavor names a Topology that is not there
    level_missing,          // the flavor's topology lacks the level
    topology_only,          // nobody asks for a topology, and the flavor serves no others
    untolerated_taint,      // `index` of the flavor's taints
    node_affinity,          // of the flavor's labels
    unreadable_affinity,    // of the pod set at `index`
    exceeds_maximum,        // assumed + amount > limit, whatever else runs
    quota_in_use,           // `amount` more needed
    other_flavor_in_slice,  // the slice that is replaced has `other`
    not_nominated,          // the cycle nominated another flavor before
  };

  Type type = Type::resource_unavailable;
  bool is_told = true;      // part of the pod set's message: what a later flavor made good is not
  std::uint16_t index = 0;  // of the taint or the pod set
  FlavorId flavor = {};
  FlavorId other = {};
  ResourceId resource = {};
  std::int64_t amount = 0;
  std::int64_t limit = 0;
  std::int64_t assumed = 0;
};

// The same in words.
Reason reason_of(const Tables& tables, std::string_view pod_set, const Obstacle& obstacle);

}  // namespace muster::core
