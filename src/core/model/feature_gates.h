// FeatureGates: Kueue v0.19.2's feature gates by name, with its defaults. All of them are accepted;
// which ones change a decision of ours docs/compatibility.md says.
//
//   FeatureGates gates;                                  // the defaults
//   TRY(gates.set("PartialAdmission", false));
//   if (gates.enabled(Gate::partial_admission)) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace muster::core {

// In the order of their names.
enum class Gate : std::uint8_t {
  admission_fair_sharing,
  admission_gated_by,
  assign_queue_labels_for_pods,
  cleanup_provisioning_requests_on_eviction,
  concurrent_admission,
  custom_metric_labels,
  defer_ray_service_finalization_for_redis_cleanup,
  disable_wait_for_pods_ready,
  elastic_jobs_via_workload_slices,
  elastic_jobs_via_workload_slices_with_tas,
  failure_recovery_policy,
  fair_sharing_preempt_within_nominal,
  fair_sharing_prioritize_non_borrowing,
  fast_quota_release_in_pod_integration,
  finish_orphaned_workloads,
  flavor_fungibility,
  flavor_fungibility_preserve_scan_progress,
  hierarchical_cohorts,
  kueue_dra_integration,
  kueue_dra_integration_consumable_capacity,
  kueue_dra_integration_extended_resource,
  kueue_dra_integration_partitionable_devices,
  kueue_dra_reject_workloads_when_dra_disabled,
  lws_immutable_group_size,
  local_queue_metrics,
  managed_jobs_namespace_selector_always_respected,
  metric_for_workload_creation_latency,
  metrics_for_cohorts,
  multi_kueue,
  multi_kueue_adapters_for_custom_jobs,
  multi_kueue_allow_insecure_kubeconfigs,
  multi_kueue_cluster_profile,
  multi_kueue_incremental_dispatcher_config,
  multi_kueue_incremental_dispatcher_respect_config_order,
  multi_kueue_kubeconfig_path_validation,
  multi_kueue_manager_quota_automation,
  multi_kueue_orchestrated_preemption,
  multi_kueue_redo_admission_on_eviction_in_worker,
  multi_kueue_remote_spec_sync,
  multi_kueue_wait_for_workload_admitted,
  object_retention_policies,
  partial_admission,
  pod_integration_validate_group_owner,
  prioritize_preemptor_workloads,
  priority_boost,
  priority_sorting_within_cohort,
  propagate_batch_job_labels_to_workload,
  quota_check_strategy,
  reclaimable_pods,
  recompute_assignment_upon_preemption_targets_overlap,
  reject_updates_to_cq_with_invalid_on_flavors,
  remove_finalizers_with_strict_patch,
  scheduler_library_integration,
  scheduler_long_requeue_interval,
  scheduler_timestamp_preemption_buffer,
  scheduling_equivalence_hashing,
  short_workload_names,
  skip_ancestor_check_for_deleted_workloads,
  skip_finalizers_for_pods_suspended_by_parent,
  skip_reassignment_for_pod_owned_workloads,
  spark_application_integration,
  tas_assignments_encoding_by_hostname_prefix,
  tas_balanced_placement,
  tas_cache_node_match_results,
  tas_cache_topology_tree,
  tas_caching_remaining_resources,
  tas_failed_node_replacement,
  tas_failed_node_replacement_fail_fast,
  tas_handle_overlapping_flavors,
  tas_multi_layer_topology,
  tas_profile_mixed,
  tas_recompute_assignment_within_scheduling_cycle,
  tas_replace_node_due_to_not_ready_over_fixed_time,
  tas_replace_node_on_node_taints,
  tas_replace_node_on_pod_termination,
  tas_respect_node_affinity_preferred,
  tas_validate_workload_slice_size,
  tls_options,
  topology_aware_scheduling,
  unadmitted_workloads_explicit_status,
  unadmitted_workloads_observability,
  validate_ray_and_spark_job_updates,
  vectorized_resource_requests,
  visibility_on_demand,
  workload_identifier_annotations,
  workload_priority_class_defaulting,
  workload_request_use_merge_patch,
  workload_validate_resources_are_non_negative,
  workload_validation_for_pod_set_metadata,
};

inline constexpr std::size_t gate_count =
    static_cast<std::size_t>(Gate::workload_validation_for_pod_set_metadata) + 1;

class FeatureGates {
 public:
  FeatureGates();

  bool enabled(Gate gate) const { return enabled_[static_cast<std::size_t>(gate)]; }
  void set(Gate gate, bool enabled) { enabled_[static_cast<std::size_t>(gate)] = enabled; }

  // `AllAlpha` and `AllBeta` set every gate of that stage. bad_request: a name that Kueue does not
  // have, or a gate that is locked to its default; the sentences are Kueue's.
  Result<> set(std::string_view name, bool enabled);

  friend bool operator==(const FeatureGates&, const FeatureGates&) = default;

 private:
  std::bitset<gate_count> enabled_;
};

std::string_view gate_name(Gate gate);

}  // namespace muster::core
