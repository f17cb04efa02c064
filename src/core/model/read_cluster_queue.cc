// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_cluster_queue.h"

#include <map>

#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::View;

namespace {

std::vector<RequiredCheck> read_checks(View spec) {
  std::map<std::string, RequiredCheck> checks;
  for (const View view : spec["admissionChecksStrategy"]["admissionChecks"].elements()) {
    RequiredCheck check{.name = std::string(view["name"].string_or("")), .on_flavors = {}};
    for (const View flavor : view["onFlavors"].elements()) {
      check.on_flavors.emplace_back(flavor.string_or(""));
    }
    checks[check.name] = std::move(check);
  }
  std::vector<RequiredCheck> sorted;
  sorted.reserve(checks.size());
  for (auto& [name, check] : checks) sorted.push_back(std::move(check));
  return sorted;
}

PreemptionPolicy read_preemption_policy(View policy) {
  const std::string_view name = policy.string_or("");
  if (name == "LowerPriority") return PreemptionPolicy::lower_priority;
  if (name == "LowerOrNewerEqualPriority") return PreemptionPolicy::lower_or_newer_equal_priority;
  if (name == "Any") return PreemptionPolicy::any;
  return PreemptionPolicy::never;
}

Preemption read_preemption(View view) {
  Preemption preemption{
      .within_cluster_queue = read_preemption_policy(view["withinClusterQueue"]),
      .reclaim_within_cohort = read_preemption_policy(view["reclaimWithinCohort"])};
  const View borrow = view["borrowWithinCohort"];
  if (!borrow.is_object()) return preemption;
  BorrowWithinCohort within{.policy = read_preemption_policy(borrow["policy"])};
  const View threshold = borrow["maxPriorityThreshold"];
  if (threshold.is_number()) within.max_priority_threshold = threshold.integer_or(0);
  preemption.borrow_within_cohort = within;
  return preemption;
}

// v1beta1 said Borrow and Preempt where v1beta2 says MayStopSearch.
FlavorFungibility read_fungibility(View view) {
  FlavorFungibility fungibility;
  const std::string_view preference = view["preference"].string_or("");
  if (view["whenCanBorrow"].string_or("") == "TryNextFlavor") {
    fungibility.when_can_borrow = FungibilityPolicy::try_next_flavor;
  }
  const std::string_view preempt = view["whenCanPreempt"].string_or("");
  if (preempt == "MayStopSearch" || preempt == "Preempt") {
    fungibility.when_can_preempt = FungibilityPolicy::may_stop_search;
  }
  if (preference == "BorrowingOverPreemption") {
    fungibility.preference = FungibilityPreference::borrowing_over_preemption;
  }
  if (preference == "PreemptionOverBorrowing") {
    fungibility.preference = FungibilityPreference::preemption_over_borrowing;
  }
  return fungibility;
}

AdmissionMode read_admission_mode(View scope) {
  const std::string_view mode = scope["admissionMode"].string_or("");
  if (mode == "UsageBasedAdmissionFairSharing") return AdmissionMode::usage_based;
  if (mode == "NoAdmissionFairSharing") return AdmissionMode::no_fair_sharing;
  return AdmissionMode::none;
}

}  // namespace

StopPolicy read_stop_policy(View policy) {
  const std::string_view name = policy.string_or("None");
  if (name == "Hold") return StopPolicy::hold;
  if (name == "HoldAndDrain") return StopPolicy::hold_and_drain;
  return StopPolicy::none;
}

Result<ClusterQueue> read_cluster_queue(View object, ResourceNames& names) {
  const View spec = object["spec"];
  ClusterQueue queue;
  queue.groups = TRY(read_resource_groups(spec["resourceGroups"], names));
  queue.cohort = spec["cohortName"].string_or("");
  if (spec["queueingStrategy"].string_or("") == "StrictFIFO") {
    queue.strategy = QueueingStrategy::strict_fifo;
  }
  queue.stop_policy = read_stop_policy(spec["stopPolicy"]);
  queue.namespace_selector = TRY(objects::LabelSelector::of(spec["namespaceSelector"]));
  queue.preemption = read_preemption(spec["preemption"]);
  queue.fungibility = read_fungibility(spec["flavorFungibility"]);
  queue.checks = read_checks(spec);
  queue.fair_weight = TRY(read_fair_weight(spec["fairSharing"]));
  queue.admission_mode = read_admission_mode(spec["admissionScope"]);
  queue.wants_concurrent_admission = spec["concurrentAdmissionPolicy"].is_object();
  queue.placement = placement_of(annotations_of(object)[words::placement].string_or(""));
  queue.is_being_deleted = is_being_deleted(object);
  return queue;
}

}  // namespace muster::core
