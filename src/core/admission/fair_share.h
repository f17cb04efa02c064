// FairShare: how much a ClusterQueue or Cohort has borrowed, by its dominant resource: of each
// resource what it uses beyond its own quota, over all flavors, in thousandths of what its parent
// could lend; the largest of these counts, divided by the node's weight. Kueue's "DRS".
//
//   const FairShare share = fair_share(tables, node);
//   if (compare(share, other) < 0) …            // the lower goes first, the higher is preempted
//
// Assumes: usage as it stands in the current trial. A root borrows from nobody.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/tables.h"

namespace muster::core {

struct FairShare {
  double weight = 1;
  double unweighted = 0;     // in thousandths
  ResourceId dominant = {};  // none where nothing is borrowed that anybody could lend
  bool is_borrowing = false;

  bool is_zero() const { return unweighted == 0; }
  // Without weight, whoever borrows has an infinite share.
  bool is_infinite() const { return weight == 0 && !is_zero(); }
  double weighted() const;                // may be infinite
  std::int64_t rounded_weighted() const;  // up; the largest int64 where infinite
};

// The next whole number; the largest int64 for what is beyond.
std::int64_t rounded_up(double share);

// Below every share there is, as a start for comparisons.
constexpr FairShare negative_share() {
  return {.weight = 1, .unweighted = -1};
}

// −1, 0, 1. Infinite shares are compared without their weights.
int compare(const FairShare& a, const FairShare& b);

FairShare fair_share(const Tables& tables, QuotaNodeId node);

// Whether the node borrows any of the flavor resources that are asked for here.
bool is_borrowing_on(const Tables& tables, QuotaNodeId node, const Usage& requested);

}  // namespace muster::core
