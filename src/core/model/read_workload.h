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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "core/model/effective_requests.h"
#include "core/model/pod_neighbours.h"
#include "core/model/resource_names.h"
#include "core/model/scheduling_terms.h"
#include "core/model/topology_assignment.h"
#include "objects/value.h"

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

  // How many pods ask for quota and room.
  std::int64_t effective_count() const { return count > reclaimable ? count - reclaimable : 0; }
};

// The pod sets of a gang, as they were read once. Workloads that ask for exactly the same share
// them (gang_library.h): copying copies a pointer, and two that share are the same.
class GangPodSets {
 public:
  using List = std::vector<GangPodSet>;

  GangPodSets() = default;  // none
  explicit GangPodSets(List sets) : sets_(std::make_shared<const List>(std::move(sets))) {}

  auto begin() const { return list().begin(); }
  auto end() const { return list().end(); }
  std::size_t size() const { return sets_ ? sets_->size() : 0; }
  bool empty() const { return size() == 0; }
  const GangPodSet& operator[](std::size_t index) const { return (*sets_)[index]; }

  bool is(const GangPodSets& other) const { return sets_ == other.sets_; }

 private:
  const List& list() const {
    static const List none;
    return sets_ ? *sets_ : none;
  }

  std::shared_ptr<const List> sets_;
};

// Pods of a pod set that an admission puts on one node.
struct AssignedDomain {
  std::string node;
  std::int64_t count = 0;

  friend bool operator==(const AssignedDomain&, const AssignedDomain&) = default;
};

enum class DelayedTopology : std::uint8_t { none, pending, ready };

// What an admission says of one pod set.
struct PodSetAssignment {
  std::string name;
  std::int64_t count = 0;
  std::vector<std::pair<ResourceId, std::string>> flavors;
  Amounts usage;  // of all its pods together
  bool pinned = false;
  std::vector<AssignedDomain> domains;  // in the order of ranks, where pinned
  std::optional<TopologyAssignment> topology = {};
  DelayedTopology delayed = DelayedTopology::none;

  friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;
};

struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;

  friend bool operator==(const Admission&, const Admission&) = default;
};

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

struct Workload {
  std::string queue_name;
  std::int64_t priority = 0;        // spec.priority, without the boost
  std::int64_t priority_boost = 0;  // 0 while the gate PriorityBoost is off
  Instant created;
  Instant queue_order_time;
  std::string owner_uid;  // of the job; empty where there is none
  GangPodSets pod_sets;

  // Why its resources are no valid request, Kueue's message; empty: they are.
  std::string resources_objection = {};
  // Workloads with the same one ask the same: the answer to one is the answer to all. 0: unknown,
  // because the gate SchedulingEquivalenceHashing is off.
  std::uint64_t equivalence = 0;
  // What it uses that Muster does not serve yet ("resource claims …"); empty: nothing.
  std::string unsupported = {};

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
  std::vector<CheckState> checks = {};     // status.admissionChecks
  std::vector<PodSetUpdate> updates = {};  // of those that are ready
  std::optional<Instant> requeue_at = {};
  std::int64_t requeue_count = 0;
  std::optional<Instant> reserved_at = {};  // when QuotaReserved became what it is
  std::optional<Instant> admitted_at = {};  // when Admitted became True
  bool are_pods_ready = false;              // PodsReady=True
  bool has_closed_preemption_gate = false;
  bool is_elastic = false;                        // elastic-job annotation, where the gate is on
  std::string replacement_for = {};               // the slice it replaces: namespace/name
  std::vector<std::string> unhealthy_nodes = {};  // status.unhealthyNodes
  bool is_owned_by_single_pod = false;            // a plain pod's, not a group's
  std::string allowed_flavors = {};               // annotation of concurrent admission
  std::optional<std::int64_t> max_execution_seconds = {};
  std::int64_t past_execution_seconds = 0;
  std::string job_uid = {};    // label job-uid
  bool was_preempted = false;  // Preempted=True
  Admission admission;         // where is_quota_reserved

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
    return unsupported.empty() && !is_gated && !is_finished && is_active && !is_quota_reserved &&
           !is_on_hold && !waits_for_replacement;
  }

  // Since when it counts as queued. Evictions by an admission check, and by pods that were not
  // ready in time where it is configured so, send it to the end; no other eviction does.
  Instant queued_since() const { return queue_order_time; }
};

Result<Workload> read_workload(const objects::Value& object, ResourceNames& names,
                               const RequestRules& rules = {});

// The same, after `before` was read of `old_object` by the same rules. Most events change the
// status alone: then the gang is not read again but taken over.
Result<Workload> read_workload_again(const objects::Value& object, ResourceNames& names,
                                     const RequestRules& rules, objects::View old_object,
                                     const Workload& before);

}  // namespace muster::core
