// Because: why a gang waits, as a value. It prints as Kueue's message and serialises; every
// rejected alternative is one reason in it.
//
//   because.reason();    // "Pending", the reason of the condition QuotaReserved=False
//   because.cause();     // "WaitingForQuota", the finer word that Kueue has behind a feature gate
//   because.message();   // couldn't assign flavors to pod set main: insufficient unused quota for
//                        // nvidia.com/gpu in flavor default, 2 more needed
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::core {

// One obstacle. `amount` and `limit` are in the resource's own units (milli for cpu).
struct Reason {
  enum class Type : std::uint8_t {
    queue_not_found,  // LocalQueue
    queue_stopped,
    namespace_not_found,
    cluster_queue_not_found,
    cluster_queue_inactive,
    namespace_mismatch,    // the ClusterQueue's namespaceSelector
    resource_unavailable,  // no resource group covers it
    flavor_not_found,
    untolerated_taint,
    node_affinity,             // of the flavor's labels
    flavor_without_topology,   // the pod set asks for one
    flavor_topology_unknown,   // the flavor's Topology is not there
    flavor_for_topology_only,  // the pod set asks for none
    level_missing,             // of the topology that the pod set names
    other_flavor_in_slice,     // the slice that is replaced has the flavor `name`
    flavor_not_nominated,      // earlier in the cycle
    not_assignable,            // no flavor could be tried at all: `detail`
    exceeds_maximum,           // amount > limit, whatever else runs
    quota_in_use,              // `amount` more needed
    no_place,                  // quota is there, the nodes are not: `amount` of `limit` pods fit
    no_room,                   // the ResourceQuota `name` would reject its pods: `detail`
    unstated_resources,  // the ResourceQuota `name` wants its containers to say more: `detail`
    no_topology,         // no domains of the flavor's topology: `detail` is the sentence
    checks_failed,       // an admission check said no
    refused,             // a pod that its node cannot take: `name` is the word, `detail` says it
    unschedulable,       // a pod that no queue manages: `detail` counts the nodes and their reasons
    lost_race,           // fitted until another head of the same cycle was admitted
    overlapping_targets,  // another head of the cycle preempts the same workloads
    deferred_fit,         // it will fit when those have stopped
    pending_preemption,   // `amount` workloads have to stop first
    preemption_gated,     // needs preemption, which its gate does not let pass
    pods_not_ready,       // admissions wait for the pods of those that were admitted
    deactivated,          // the workload `name` may not run
    invalid_requests,     // its resources are no valid request: `detail`
    unsupported,          // it uses what Muster does not serve yet: `detail`
    behind,          // `amount` workloads of the ClusterQueue `name`; `detail`: the first of them
    equal_waits,     // one of the ClusterQueue `name` that asks for the same: `detail`
    resting,         // it is not tried before `detail`; empty: before whoever evicted it lets it
    start_reserved,  // it starts at `detail` at the latest
    kept_for_first,  // what it asks for is kept for the first workload of the ClusterQueue `name`
    quota_reserved,  // no obstacle: in the ClusterQueue `name`
    node_failed,     // eviction
    invalid,         // the workload cannot be read: `detail`
  };

  Type type = Type::invalid;
  std::string pod_set = {};
  std::string flavor = {};
  std::string resource = {};
  std::string name = {};  // of the queue, node or taint
  std::int64_t amount = 0;
  std::int64_t limit = 0;
  std::int64_t assumed = 0;  // exceeds_maximum: what earlier pod sets ask for
  std::string detail = {};

  std::string to_string() const;
};

struct Because {
  std::vector<Reason> reasons;
  std::string_view cause_word = {};  // where the reasons alone do not say it

  bool empty() const { return reasons.empty(); }
  bool is_gated() const;            // it waits for a preemption gate
  std::string_view reason() const;  // of the condition
  std::string_view cause() const;
  std::string message() const;
};

// Whether two messages say the same but for how much is missing at the moment: conditions are not
// rewritten for that (10,000 waiting must not mean 10,000 writes for each admission).
bool says_the_same(std::string_view message, std::string_view other);

objects::Value to_value(const Because& because);

}  // namespace muster::core
