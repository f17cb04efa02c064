// SPDX-License-Identifier: Apache-2.0
#include "core/model/queue_activity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace muster::core {

namespace {

constexpr std::string_view multi_kueue_controller = "kueue.x-k8s.io/multikueue";
constexpr std::string_view provisioning_controller = "kueue.x-k8s.io/provisioning-request";

constexpr std::array<std::string_view, 12> names{
    "NotFound",
    "Invalid",
    "Terminating",
    "Stopped",
    "FlavorNotFound",
    "AdmissionCheckNotFound",
    "AdmissionCheckInactive",
    "MultipleMultiKueueAdmissionChecks",
    "MultiKueueAdmissionCheckAppliedPerFlavor",
    "MultiKueueWithProvisioningRequest",
    "TopologyNotFound",
    "CohortHasCycle",
};

// Looks at one queue and gathers what is wrong, in Kueue's order.
class Look {
 public:
  Look(const Tables& tables, const ClusterQueueRow& row) : tables_(tables), row_(row) {}

  QueueActivity run() {
    if (row_.spec.stop_policy != StopPolicy::none) add(InactiveReason::stopped, "is stopped");
    look_at_flavors();
    look_at_checks();
    look_at_topologies();
    if (tables_.quota.has_cycle(row_.node)) {
      add(InactiveReason::cohort_cycle,
          fmt::format("its cohort {} is part of a cycle of cohorts", row_.spec.cohort));
    }
    if (activity_.is_active()) {
      activity_.message = "Can admit new workloads";
    } else {
      activity_.message = fmt::format("Can't admit new workloads: {}.", fmt::join(messages_, ", "));
    }
    return std::move(activity_);
  }

 private:
  void add(InactiveReason reason, std::string message) {
    activity_.reasons.push_back(reason);
    messages_.push_back(std::move(message));
  }

  void look_at_flavors() {
    std::vector<std::string_view> missing;
    for (const auto& group : row_.groups) {
      for (const GroupFlavor& flavor : group) {
        if (!tables_.flavors[flavor.flavor].present) {
          missing.push_back(tables_.flavors.key(flavor.flavor));
        }
      }
    }
    if (missing.empty()) return;
    add(InactiveReason::flavor_not_found,
        fmt::format("references missing ResourceFlavor(s): {}", fmt::join(missing, ",")));
  }

  void look_at_checks() {
    std::vector<std::string_view> missing;
    std::vector<std::string_view> inactive;
    for (std::size_t i = 0; i < row_.checks.size(); ++i) {
      const AdmissionCheckRow& check = tables_.admission_checks[row_.checks[i]];
      const RequiredCheck& required = row_.spec.checks[i];
      if (!check.present) {
        missing.push_back(required.name);
        continue;
      }
      if (!check.spec.is_active) inactive.push_back(required.name);
      if (check.spec.controller == provisioning_controller) provisioning_.push_back(required.name);
      if (check.spec.controller != multi_kueue_controller) continue;
      multi_kueue_.push_back(required.name);
      if (!concerns_all_flavors(required)) per_flavor_.push_back(required.name);
    }
    if (!missing.empty()) {
      add(InactiveReason::admission_check_not_found,
          fmt::format("references missing AdmissionCheck(s): {}", fmt::join(missing, ",")));
    }
    if (!inactive.empty()) {
      add(InactiveReason::admission_check_inactive,
          fmt::format("references inactive AdmissionCheck(s): {}", fmt::join(inactive, ",")));
    }
    look_at_multi_kueue();
  }

  void look_at_multi_kueue() {
    const std::string all = fmt::format("{}", fmt::join(multi_kueue_, ","));
    if (multi_kueue_.size() > 1) {
      add(InactiveReason::multiple_multi_kueue_checks,
          fmt::format("Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, "
                      "found: {}",
                      all));
    }
    if (!per_flavor_.empty()) {
      add(InactiveReason::multi_kueue_check_per_flavor,
          fmt::format("Cannot specify MultiKueue AdmissionCheck per flavor, found: {}",
                      fmt::join(per_flavor_, ",")));
    }
    if (!multi_kueue_.empty() && !provisioning_.empty()) {
      add(InactiveReason::multi_kueue_with_provisioning_request,
          fmt::format("Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks "
                      "together, found: {}, {}",
                      all, fmt::join(provisioning_, ",")));
    }
  }

  void look_at_topologies() {
    if (!tables_.configuration.gates.enabled(Gate::topology_aware_scheduling)) return;
    // With MultiKueue places are found in other clusters: a topology that is missing here stops
    // nobody, and is told beside other problems only.
    if (!multi_kueue_.empty() && activity_.is_active()) return;
    for (const auto& group : row_.groups) {
      for (const GroupFlavor& flavor : group) {
        if (!tables_.flavors[flavor.flavor].present) continue;
        const std::string& topology = tables_.flavors[flavor.flavor].spec.topology_name;
        if (topology.empty() || tables_.topologies.has(topology)) continue;
        add(InactiveReason::topology_not_found,
            fmt::format("there is no Topology \"{}\" for TAS flavor \"{}\"", topology,
                        tables_.flavors.key(flavor.flavor)));
      }
    }
  }

  bool concerns_all_flavors(const RequiredCheck& check) const {
    if (check.on_flavors.empty()) return true;
    std::set<std::string> all;
    for (const ResourceGroup& group : row_.spec.groups) {
      for (const FlavorQuota& flavor : group.flavors) all.insert(flavor.flavor);
    }
    return std::set<std::string>(check.on_flavors.begin(), check.on_flavors.end()) == all;
  }

  const Tables& tables_;
  const ClusterQueueRow& row_;
  QueueActivity activity_;
  std::vector<std::string> messages_;
  std::vector<std::string_view> multi_kueue_;
  std::vector<std::string_view> provisioning_;
  std::vector<std::string_view> per_flavor_;
};

}  // namespace

std::string_view to_string(InactiveReason reason) {
  return names[static_cast<std::size_t>(reason)];
}

QueueActivity activity_of(const Tables& tables, ClusterQueueId queue) {
  if (queue.is_none() || !tables.cluster_queues[queue].present) {
    return {.reasons = {InactiveReason::not_found}, .message = "ClusterQueue not found"};
  }
  const ClusterQueueRow& row = tables.cluster_queues[queue];
  if (!row.invalid.empty()) {
    return {.reasons = {InactiveReason::invalid}, .message = std::string(row.invalid.view())};
  }
  if (row.spec.is_being_deleted) {
    return {.reasons = {InactiveReason::terminating},
            .message = "Can't admit new workloads; clusterQueue is terminating"};
  }
  return Look(tables, row).run();
}

}  // namespace muster::core
