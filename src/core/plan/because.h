// Because: why a gang waits, as a value. It prints as Kueue's message and serialises; every
// rejected alternative is one reason in it.
//
//   because.reason();    // "WaitingForQuota", the reason of the condition QuotaReserved=False
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
    cluster_queue_not_found,
    cluster_queue_inactive,
    namespace_mismatch,    // the ClusterQueue's namespaceSelector
    resource_unavailable,  // no resource group covers it
    flavor_not_found,
    untolerated_taint,
    node_affinity,    // of the flavor's labels
    exceeds_maximum,  // amount > limit, whatever else runs
    quota_in_use,     // `amount` more needed
    no_place,         // quota is there, the nodes are not: `amount` of `limit` pods fit
    lost_race,        // fitted until another head of the same cycle was admitted
    node_failed,      // eviction
    invalid,          // the workload cannot be read: `detail`
  };

  Type type = Type::invalid;
  std::string pod_set = {};
  std::string flavor = {};
  std::string resource = {};
  std::string name = {};  // of the queue, node or taint
  std::int64_t amount = 0;
  std::int64_t limit = 0;
  std::string detail = {};
};

struct Because {
  std::vector<Reason> reasons;

  bool empty() const { return reasons.empty(); }
  std::string_view reason() const;  // of the condition
  std::string message() const;
};

objects::Value to_value(const Because& because);

}  // namespace muster::core
