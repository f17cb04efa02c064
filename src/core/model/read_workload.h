// What decisions need of a Workload: who it is in its queue, what its gang asks for, and what was
// decided about it already.
//
//   Workload workload = TRY(read_workload(object, names, rules));
//   workload.holds_quota()
//
// Assumes: v1beta2. Absent fields have the defaults of the schema. Requests follow the rules
// (LimitRanges, RuntimeClasses, configuration) as they are now: who changes those reads the
// workload again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/model/effective_requests.h"
#include "core/model/gang.h"
#include "core/model/read_admission.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "core/model/shared.h"
#include "core/model/workload_parts.h"
#include "objects/value.h"

namespace muster::core {

enum class CheckStatus : std::uint8_t { pending, ready, retry, rejected };

struct CheckState {
  std::string name;
  CheckStatus status = CheckStatus::pending;
};

// What an admission check adds to the pods of a pod set.
struct PodSetUpdate {
  std::string pod_set;
  Labels node_selector;
  std::vector<Toleration> tolerations;
};

// What few workloads have.
struct WorkloadExtras {
  // Why its resources are no valid request, Kueue's message; empty: they are.
  std::string resources_objection = {};
  // What it uses that Muster does not serve yet ("resource claims …"); empty: nothing.
  std::string unsupported = {};
  std::vector<CheckState> checks = {};     // status.admissionChecks
  std::vector<PodSetUpdate> updates = {};  // of those that are ready
  std::optional<Instant> requeue_at = {};
  std::string replacement_for = {};               // the slice it replaces: namespace/name
  std::vector<std::string> unhealthy_nodes = {};  // status.unhealthyNodes
  std::string allowed_flavors = {};               // annotation of concurrent admission
  std::optional<std::int64_t> max_execution_seconds = {};
  std::int64_t past_execution_seconds = 0;
};

struct Workload {
  std::int64_t priority = 0;        // spec.priority, without the boost
  std::int64_t priority_boost = 0;  // 0 while the gate PriorityBoost is off
  Instant created;
  Instant queue_order_time;
  // Workloads with the same one ask the same: the answer to one is the answer to all. 0: unknown,
  // because the gate SchedulingEquivalenceHashing is off.
  std::uint64_t equivalence = 0;
  GangPodSets pod_sets;
  Shared<Admission> admission;  // where is_quota_reserved
  Shared<WorkloadExtras> extras;

  bool is_active = true;  // spec.active
  bool is_finished = false;
  bool is_quota_reserved = false;
  bool is_admitted = false;
  bool is_evicted = false;
  bool is_gated = false;               // admission-gated-by
  bool waits_for_replacement = false;  // WaitingForReplacementPods
  bool is_on_hold = false;             // QuotaReserved=False, OnHold
  bool may_requeue = true;             // not Requeued=False
  bool has_failed_checks = false;      // Retry or Rejected
  bool are_pods_ready = false;         // PodsReady=True
  bool has_closed_preemption_gate = false;
  bool is_elastic = false;                  // elastic-job annotation, where the gate is on
  bool is_owned_by_single_pod = false;      // a plain pod's, not a group's
  bool was_preempted = false;               // Preempted=True
  std::optional<Instant> reserved_at = {};  // when QuotaReserved became what it is
  std::optional<Instant> admitted_at = {};  // when Admitted became True
  Instant evicted_at;
  std::string queue_name;
  std::string owner_uid;  // of the job; empty where there is none

  std::int64_t effective_priority() const { return priority + priority_boost; }

  // Some pod set may start with fewer pods than it asks for.
  bool may_be_partial() const {
    for (const GangPodSet& set : pod_sets) {
      if (set.min_count && *set.min_count < set.count) return true;
    }
    return false;
  }

  // Its quota and places are taken: until it has finished, is deactivated, or its reservation is
  // cleared.
  bool holds_quota() const { return is_quota_reserved && !is_finished && is_active; }

  // It asks to be admitted.
  bool is_pending() const {
    return extras->unsupported.empty() && !is_gated && !is_finished && is_active &&
           !is_quota_reserved && !is_on_hold && !waits_for_replacement;
  }

  // Since when it counts as queued. Evictions by an admission check, and by pods that were not
  // ready in time where it is configured so, send it to the end; no other eviction does.
  Instant queued_since() const { return queue_order_time; }
};

Result<Workload> read_workload(const objects::Value& object, ResourceNames& names,
                               const RequestRules& rules = {});

// Of the job that it was made for: the label job-uid.
std::string_view job_uid(objects::View workload);

// What was read of an earlier state of the object, by the same rules.
struct EarlierReading {
  const Workload& workload;
  objects::View pod_sets;     // spec.podSets, as it was then
  objects::View reclaimable;  // status.reclaimablePods
};

// The same, where parts of it may be known. Most events change the status alone: then the gang is
// not read again but taken over, and so is an admission that the earlier reading has already.
// `parts` are those of the object, `workload` is Workload() before. There are many events, and a
// Workload is large: it is written where it is to be.
Result<> read_workload_again(const objects::Value& object, const WorkloadParts& parts,
                             ResourceNames& names, const RequestRules& rules,
                             const EarlierReading& earlier, Workload& workload);

}  // namespace muster::core
