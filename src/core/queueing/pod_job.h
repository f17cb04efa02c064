// A plain pod, or all pods of a pod group, as one job: what queueing reads from their labels,
// annotations and phases. The job is the first pod with two members more: `members`, the pods, and
// `isActive`, whether one of them holds its node.
//
//   const Value job = pod_job(group, pods, now);
//   for (View pod : members_of(job).elements()) …
//
// Words: a pod is gated by Kueue's gate, suspended when gated or ended, and counts in its group as
// long as it can run or has succeeded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::core {

// The annotation, or the label; empty: the pod is on its own.
std::string_view pod_group_of(objects::View pod);

bool is_managed_pod(objects::View pod);
bool is_gated_pod(objects::View pod);
bool has_ended(objects::View pod);
bool is_suspended_pod(objects::View pod);
bool can_run_or_succeeded(objects::View pod);
bool is_unretriable(objects::View pod);
bool is_fast(objects::View pod);     // admitted before all are there
bool is_serving(objects::View pod);  // never finishes

std::string role_of(objects::View pod);

// How many pods the group is to have, with Kueue's sentence where the pod does not say.
Result<std::int64_t> group_total_of(objects::View pod);

// Runs, and has not outlived the grace of its deletion.
bool holds_its_node(objects::View pod, Instant now);

// When a pod that is being deleted is given up.
std::optional<Instant> given_up_at(objects::View pod);

// At least one pod; `group` is empty for one that is on its own.
objects::Value pod_job(std::string_view group, std::span<const objects::Value> pods, Instant now);

bool is_group(objects::View job);
inline objects::View members_of(objects::View job) {
  return job["members"];
}

}  // namespace muster::core
