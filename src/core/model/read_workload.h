// What decisions need of a Workload: who it is in its queue, what its gang asks for, and what was
// decided about it already.
//
//   Workload workload = TRY(read_workload(object, names));
//   workload.holds_quota()
//
// Assumes: v1beta2. Absent fields have the defaults of the schema.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "objects/value.h"

namespace muster::core {

// A pod set of the spec.
struct GangPodSet {
  std::string name;
  std::int64_t count = 0;
  std::int64_t reclaimable = 0;  // pods that have ended and need no room any more
  Amounts requests;              // of one pod
  SchedulingTerms terms;

  // How many pods ask for quota and room.
  std::int64_t effective_count() const { return count > reclaimable ? count - reclaimable : 0; }
};

// Pods of a pod set that an admission puts on one node.
struct AssignedDomain {
  std::string node;
  std::int64_t count = 0;
};

// What an admission says of one pod set.
struct PodSetAssignment {
  std::string name;
  std::int64_t count = 0;
  std::vector<std::pair<ResourceId, std::string>> flavors;
  Amounts usage;  // of all its pods together
  bool pinned = false;
  std::vector<AssignedDomain> domains;  // in the order of ranks, where pinned
};

struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;
};

struct Workload {
  std::string queue_name;
  std::int64_t priority = 0;
  Instant created;
  std::string owner_uid;  // of the job; empty where there is none
  std::vector<GangPodSet> pod_sets;

  bool is_active = true;  // spec.active
  bool is_finished = false;
  bool is_quota_reserved = false;
  bool is_admitted = false;
  bool is_evicted = false;
  std::string evicted_reason;
  Instant evicted_at;
  bool is_gated = false;               // admission-gated-by
  bool waits_for_replacement = false;  // WaitingForReplacementPods
  bool is_on_hold = false;             // QuotaReserved=False, OnHold
  bool may_requeue = true;             // not Requeued=False
  bool has_failed_checks = false;      // Retry or Rejected
  std::vector<std::string> ready_checks;
  std::optional<Instant> requeue_at = {};
  Admission admission;  // where is_quota_reserved

  // Its quota and places are taken: until it has finished or its reservation is cleared.
  bool holds_quota() const { return is_quota_reserved && !is_finished; }

  // It asks to be admitted.
  bool is_pending() const {
    return !is_gated && !is_finished && is_active && !is_quota_reserved && !is_on_hold &&
           !waits_for_replacement;
  }

  // Since when it counts as queued: an eviction by an admission check sends it to the end.
  Instant queued_since() const {
    return is_evicted && evicted_reason == "AdmissionCheck" ? evicted_at : created;
  }
};

Result<Workload> read_workload(const objects::Value& object, ResourceNames& names);

}  // namespace muster::core
