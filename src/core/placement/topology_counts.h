// How many pods of some requests each leaf of a topology takes: the least of room ÷ request over
// all resources. Counted once for equal requests and kept; afterwards only leaves that changed are
// counted again.
//
//   const std::int32_t* pods = count_pods(tree, count_key(tree, RoomBasis::room, requests,
//   pods_id)); pods[leaf]
//
// Assumes: the pointer is good until the next call for the same tree; leaves beyond the last, up to
// a whole block, have zero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/resource_names.h"
#include "core/model/topology_tree.h"

namespace muster::core {

// `requests` of one pod, without `pods`; one of `pods` is added. `before`: what is taken first.
CountKey count_key(const TopologyTree& tree, RoomBasis basis, const Amounts& requests,
                   ResourceId pods, const Amounts* before = nullptr);

// As Kueue asks whether a place is still there: without `pods`; what asks for nothing never fits.
CountKey fit_key(const TopologyTree& tree, RoomBasis basis, const Amounts& requests);

const std::int32_t* count_pods(TopologyTree& tree, const CountKey& key);

// For one leaf, by plain division; and the resource that is the least, by name among equals.
std::int32_t count_pods_at(const TopologyTree& tree, const CountKey& key, std::uint32_t leaf);
ResourceId limiting_resource(const TopologyTree& tree, RoomBasis basis, const Amounts& requests,
                             const ResourceNames& names, std::uint32_t leaf);

}  // namespace muster::core
