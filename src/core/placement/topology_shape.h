// TopologyShape: what one search in a topology looks for, in numbers of the tree: how many pods, in
// slices of how many, kept together at which level.
//
//   const auto shape = TRY(make_shape(tree, {.request = set.topology, .count = 8}, gates));
//
// Assumes: the errors of make_shape are Kueue's sentences; such a pod set has no place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/read_workload.h"
#include "core/model/topology_tree.h"

namespace muster::core {

// The feature gates that change what a search finds.
struct TopologyGates {
  bool mixed_profile = true;        // unconstrained pods go where least is left
  bool overlapping_flavors = true;  // usage counts in every flavor with the same hosts
  bool balanced = false;
  bool preferred_affinity = false;
  bool elastic = false;
  bool keeps_pod_owned = true;
};

struct TopologyShape {
  std::int32_t count = 0;
  std::int32_t leaders = 0;  // 0 or 1
  std::int32_t slice_size = 1;
  std::size_t level = 0;        // that was asked for
  std::size_t slice_level = 0;  // at or below it
  // By level: pods of an inner layer that stay together there; 0 where no layer says so.
  std::vector<std::int32_t> inner_sizes;
  bool has_inner = false;
  bool required = false;
  bool unconstrained = false;
  bool least_free = false;              // fill up the fullest first
  bool scored = false;                  // preferred affinity counts
  bool balanced = false;                // the gate is on, and the request may be balanced
  std::vector<SliceLayer> layers = {};  // as they were asked for

  std::int32_t slices() const { return count / slice_size; }
};

struct ShapeWish {
  const TopologyRequest* request = nullptr;
  std::int64_t count = 0;
  bool implied = false;
  bool has_leader = false;
};

// invalid: the sentence why this topology cannot serve the request.
Result<TopologyShape> make_shape(const TopologyTree& tree, const ShapeWish& wish,
                                 const TopologyGates& gates);

// The level at which the request wants its pods together; height() when it wants none.
Result<std::size_t> wanted_level(const TopologyTree& tree, const ShapeWish& wish);

}  // namespace muster::core
