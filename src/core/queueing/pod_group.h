// Pod groups: which pods of a group count, which are too many and which have been replaced; the
// Workload of the group, which is named after it and owned by all its pods.
//
//   const GroupPods sorted = sort_group(pods, workload, now);
//   for (const Value& pod : sorted.excess) …   // the newest beyond the count of their role
//
// Assumes: the pods of one namespace that name one group. Kueue's rules; see Roles below.
//
//   of each role of the Workload:  can run or succeeded ─► kept, the newest beyond its count excess
//                                  failed, or deleted without a node ─► kept until replaced
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

const Shape& pod_shape();
const Shape& pod_group_shape();

struct GroupPods {
  std::vector<objects::Value> kept;
  std::vector<objects::Value> excess;    // to be deleted
  std::vector<objects::Value> replaced;  // ended, and no longer needed
  std::int64_t absent = 0;               // pods that must come before the group is whole
};

// By the roles of the group's Workload.
GroupPods sort_group(std::span<const objects::Value> pods, const objects::Value& workload,
                     Instant now);

// Before there is a Workload: those that can run or succeeded, the ones to keep first.
void sort_to_keep(std::vector<objects::Value>& pods);

// What keeps the group from having a Workload, in Kueue's words.
Result<void> check_group(std::string_view group, std::span<const objects::Value> pods);

// The roles and counts of the job's pods are among those of the Workload.
bool group_matches(const objects::Value& job, const objects::Value& workload);

// The Workload of a job, made into that of a group: its name, its mark and its owners.
objects::Value group_workload(const objects::Value& job, const objects::Value& workload);

// The Workload with every pod among its owners; how many were added.
struct OwnersAdded {
  objects::Value workload;
  std::int64_t count = 0;
};
OwnersAdded with_owners(const objects::Value& workload, std::span<const objects::Value> pods);

// WaitingForReplacementPods as it should be; the Workload itself where it is.
objects::Value with_replacement_wait(const objects::Value& workload, bool waits, Instant now);

}  // namespace muster::core
