// SPDX-License-Identifier: Apache-2.0
#include "core/model/feature_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::core {

namespace {

enum class Stage : std::uint8_t {
  alpha_off,
  beta_off,
  beta_on,
  deprecated_off,
  locked_off,
  locked_on,
};

struct GateRow {
  std::string_view name;
  Stage stage;
};

// By the enumerators of Gate.
constexpr std::array<GateRow, gate_count> rows{{
    {"AdmissionFairSharing", Stage::beta_on},
    {"AdmissionGatedBy", Stage::beta_on},
    {"AssignQueueLabelsForPods", Stage::beta_on},
    {"CleanupProvisioningRequestsOnEviction", Stage::beta_on},
    {"ConcurrentAdmission", Stage::alpha_off},
    {"CustomMetricLabels", Stage::alpha_off},
    {"DeferRayServiceFinalizationForRedisCleanup", Stage::beta_on},
    {"DisableWaitForPodsReady", Stage::alpha_off},
    {"ElasticJobsViaWorkloadSlices", Stage::beta_on},
    {"ElasticJobsViaWorkloadSlicesWithTAS", Stage::alpha_off},
    {"FailureRecoveryPolicy", Stage::alpha_off},
    {"FairSharingPreemptWithinNominal", Stage::beta_on},
    {"FairSharingPrioritizeNonBorrowing", Stage::beta_on},
    {"FastQuotaReleaseInPodIntegration", Stage::alpha_off},
    {"FinishOrphanedWorkloads", Stage::beta_on},
    {"FlavorFungibility", Stage::beta_on},
    {"FlavorFungibilityPreserveScanProgress", Stage::beta_on},
    {"HierarchicalCohorts", Stage::locked_on},
    {"KueueDRAIntegration", Stage::beta_on},
    {"KueueDRAIntegrationConsumableCapacity", Stage::alpha_off},
    {"KueueDRAIntegrationExtendedResource", Stage::beta_on},
    {"KueueDRAIntegrationPartitionableDevices", Stage::beta_on},
    {"KueueDRARejectWorkloadsWhenDRADisabled", Stage::beta_on},
    {"LWSImmutableGroupSize", Stage::beta_on},
    {"LocalQueueMetrics", Stage::beta_on},
    {"ManagedJobsNamespaceSelectorAlwaysRespected", Stage::locked_on},
    {"MetricForWorkloadCreationLatency", Stage::beta_on},
    {"MetricsForCohorts", Stage::beta_on},
    {"MultiKueue", Stage::beta_on},
    {"MultiKueueAdaptersForCustomJobs", Stage::beta_on},
    {"MultiKueueAllowInsecureKubeconfigs", Stage::locked_off},
    {"MultiKueueClusterProfile", Stage::alpha_off},
    {"MultiKueueIncrementalDispatcherConfig", Stage::beta_on},
    {"MultiKueueIncrementalDispatcherRespectConfigOrder", Stage::beta_on},
    {"MultiKueueKubeConfigPathValidation", Stage::alpha_off},
    {"MultiKueueManagerQuotaAutomation", Stage::alpha_off},
    {"MultiKueueOrchestratedPreemption", Stage::alpha_off},
    {"MultiKueueRedoAdmissionOnEvictionInWorker", Stage::locked_on},
    {"MultiKueueRemoteSpecSync", Stage::beta_on},
    {"MultiKueueWaitForWorkloadAdmitted", Stage::locked_on},
    {"ObjectRetentionPolicies", Stage::locked_on},
    {"PartialAdmission", Stage::beta_on},
    {"PodIntegrationValidateGroupOwner", Stage::beta_on},
    {"PrioritizePreemptorWorkloads", Stage::alpha_off},
    {"PriorityBoost", Stage::alpha_off},
    {"PrioritySortingWithinCohort", Stage::beta_on},
    {"PropagateBatchJobLabelsToWorkload", Stage::locked_on},
    {"QuotaCheckStrategy", Stage::beta_on},
    {"ReclaimablePods", Stage::beta_on},
    {"RecomputeAssignmentUponPreemptionTargetsOverlap", Stage::alpha_off},
    {"RejectUpdatesToCQWithInvalidOnFlavors", Stage::alpha_off},
    {"RemoveFinalizersWithStrictPatch", Stage::beta_on},
    {"SchedulerLibraryIntegration", Stage::alpha_off},
    {"SchedulerLongRequeueInterval", Stage::alpha_off},
    {"SchedulerTimestampPreemptionBuffer", Stage::alpha_off},
    {"SchedulingEquivalenceHashing", Stage::beta_on},
    {"ShortWorkloadNames", Stage::alpha_off},
    {"SkipAncestorCheckForDeletedWorkloads", Stage::beta_on},
    {"SkipFinalizersForPodsSuspendedByParent", Stage::locked_on},
    {"SkipReassignmentForPodOwnedWorkloads", Stage::beta_on},
    {"SparkApplicationIntegration", Stage::alpha_off},
    {"TASAssignmentsEncodingByHostnamePrefix", Stage::beta_on},
    {"TASBalancedPlacement", Stage::alpha_off},
    {"TASCacheNodeMatchResults", Stage::beta_on},
    {"TASCacheTopologyTree", Stage::alpha_off},
    {"TASCachingRemainingResources", Stage::beta_on},
    {"TASFailedNodeReplacement", Stage::beta_on},
    {"TASFailedNodeReplacementFailFast", Stage::beta_on},
    {"TASHandleOverlappingFlavors", Stage::beta_on},
    {"TASMultiLayerTopology", Stage::beta_on},
    {"TASProfileMixed", Stage::beta_on},
    {"TASRecomputeAssignmentWithinSchedulingCycle", Stage::beta_on},
    {"TASReplaceNodeDueToNotReadyOverFixedTime", Stage::deprecated_off},
    {"TASReplaceNodeOnNodeTaints", Stage::beta_on},
    {"TASReplaceNodeOnPodTermination", Stage::beta_on},
    {"TASRespectNodeAffinityPreferred", Stage::alpha_off},
    {"TASValidateWorkloadSliceSize", Stage::beta_on},
    {"TLSOptions", Stage::beta_on},
    {"TopologyAwareScheduling", Stage::beta_on},
    {"UnadmittedWorkloadsExplicitStatus", Stage::beta_off},
    {"UnadmittedWorkloadsObservability", Stage::beta_off},
    {"ValidateRayAndSparkJobUpdates", Stage::beta_on},
    {"VectorizedResourceRequests", Stage::beta_on},
    {"VisibilityOnDemand", Stage::beta_on},
    {"WorkloadIdentifierAnnotations", Stage::beta_on},
    {"WorkloadPriorityClassDefaulting", Stage::alpha_off},
    {"WorkloadRequestUseMergePatch", Stage::alpha_off},
    {"WorkloadValidateResourcesAreNonNegative", Stage::beta_on},
    {"WorkloadValidationForPodSetMetadata", Stage::beta_on},
}};
static_assert(std::ranges::is_sorted(rows, {}, &GateRow::name));

bool default_of(Stage stage) {
  return stage == Stage::beta_on || stage == Stage::locked_on;
}

}  // namespace

FeatureGates::FeatureGates() {
  for (std::size_t i = 0; i < gate_count; ++i) enabled_[i] = default_of(rows[i].stage);
}

Result<> FeatureGates::set(std::string_view name, bool enabled) {
  if (name == "AllAlpha" || name == "AllBeta") {
    for (std::size_t i = 0; i < gate_count; ++i) {
      const Stage stage = rows[i].stage;
      const bool is_beta = stage == Stage::beta_on || stage == Stage::beta_off;
      if (name == "AllBeta" ? is_beta : stage == Stage::alpha_off) enabled_[i] = enabled;
    }
    return {};
  }
  const auto row = std::ranges::lower_bound(rows, name, {}, &GateRow::name);
  if (row == rows.end() || row->name != name) {
    return Error::bad_request(fmt::format("unrecognized feature gate: {}", name));
  }
  const bool is_locked = row->stage == Stage::locked_on || row->stage == Stage::locked_off;
  if (is_locked && enabled != default_of(row->stage)) {
    return Error::bad_request(
        fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, enabled,
                    default_of(row->stage)));
  }
  enabled_[static_cast<std::size_t>(row - rows.begin())] = enabled;
  return {};
}

std::string_view gate_name(Gate gate) {
  return rows[static_cast<std::size_t>(gate)].name;
}

}  // namespace muster::core
