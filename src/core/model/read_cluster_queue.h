// What decisions need of a ClusterQueue: its quota by resource group and flavor, its cohort, how it
// orders, whom it takes, and whom it may preempt.
//
//   ClusterQueue queue = TRY(read_cluster_queue(object, names));
//   queue.preemption.reclaim_within_cohort == PreemptionPolicy::any
//
// Assumes: v1beta2. Absent fields have Kueue's defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/placement_mode.h"
#include "core/model/read_resource_groups.h"
#include "core/model/resource_names.h"
#include "objects/label_selector.h"
#include "objects/value.h"

namespace muster::core {

enum class QueueingStrategy : std::uint8_t { best_effort_fifo, strict_fifo };
enum class StopPolicy : std::uint8_t { none, hold, hold_and_drain };

StopPolicy read_stop_policy(objects::View policy);

struct RequiredCheck {
  std::string name;
  std::vector<std::string> on_flavors;  // empty: on all
};

// Whom a workload may preempt, by priority.
enum class PreemptionPolicy : std::uint8_t {
  never,
  lower_priority,
  lower_or_newer_equal_priority,
  any,
};

struct BorrowWithinCohort {
  PreemptionPolicy policy = PreemptionPolicy::never;
  std::optional<std::int64_t> max_priority_threshold = {};
};

struct Preemption {
  PreemptionPolicy within_cluster_queue = PreemptionPolicy::never;
  PreemptionPolicy reclaim_within_cohort = PreemptionPolicy::never;
  std::optional<BorrowWithinCohort> borrow_within_cohort = {};
};

// Whether the search for a flavor ends at one that would do.
enum class FungibilityPolicy : std::uint8_t { may_stop_search, try_next_flavor };
enum class FungibilityPreference : std::uint8_t {
  none,  // as borrowing_over_preemption
  borrowing_over_preemption,
  preemption_over_borrowing,
};

struct FlavorFungibility {
  FungibilityPolicy when_can_borrow = FungibilityPolicy::may_stop_search;
  FungibilityPolicy when_can_preempt = FungibilityPolicy::try_next_flavor;
  FungibilityPreference preference = FungibilityPreference::none;
};

enum class AdmissionMode : std::uint8_t { none, usage_based, no_fair_sharing };

struct ClusterQueue {
  std::vector<ResourceGroup> groups;
  std::string cohort;  // empty: none
  QueueingStrategy strategy = QueueingStrategy::best_effort_fifo;
  StopPolicy stop_policy = StopPolicy::none;
  objects::LabelSelector namespace_selector = objects::LabelSelector::nothing();
  Preemption preemption;
  FlavorFungibility fungibility;
  std::vector<RequiredCheck> checks;  // by name, each once; the last of a name counts
  double fair_weight = 1;
  AdmissionMode admission_mode = AdmissionMode::none;
  bool wants_concurrent_admission = false;  // spec.concurrentAdmissionPolicy: not supported yet
  std::optional<Placement> placement = {};
  bool is_being_deleted = false;
};

Result<ClusterQueue> read_cluster_queue(objects::View object, ResourceNames& names);

}  // namespace muster::core
