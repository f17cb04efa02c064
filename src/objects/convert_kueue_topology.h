// Topology assignments of a Workload's pod sets: v1beta1 lists every domain with its values and its
// pod count; v1beta2 packs runs of domains into slices, with common prefixes, suffixes and counts
// written once. The packing is the one of Kueue v0.19: by prefixes of host names where that is
// shorter than a single slice.
//
//   v1beta1: {levels: [kubernetes.io/hostname], domains: [{values: [n-1], count: 2},
//                                                         {values: [n-2], count: 2}]}
//   v1beta2: {levels: [kubernetes.io/hostname], slices: [{domainCount: 2,
//             valuesPerLevel: [{individual: {prefix: n-, roots: ["1", "2"]}}],
//             podCounts: {universal: 2}}]}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::objects {

// invalid: a domain without a value for every level, a slice that says less than it must.
// too_large: slices that stand for more than topology_domains_max domains.
// by_prefix is Kueue's gate TASAssignmentsEncodingByHostnamePrefix; without it everything is one
// slice.
Result<Node> pack_topology_assignment(Builder& builder, View assignment, bool by_prefix = true);
Result<Node> unpack_topology_assignment(Builder& builder, View assignment);

}  // namespace muster::objects
