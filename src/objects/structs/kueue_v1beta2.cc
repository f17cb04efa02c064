// SPDX-License-Identifier: Apache-2.0
// The structs of Go: Kueue, v1beta2. objects/go_structs.h has the notation.
#include "objects/structs/structs.h"

namespace muster::objects {

const std::string_view structs_of_kueue_v1beta2 = R"(kueue.v1beta2
Admission: clusterQueue! word, podSetAssignments! []PodSetAssignment;
AdmissionCheck: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  AdmissionCheckSpec, status! AdmissionCheckStatus;
AdmissionCheckParametersReference: apiGroup string, kind string, name string;
AdmissionCheckSpec: controllerName! string, parameters *AdmissionCheckParametersReference;
AdmissionCheckState: name word, state word, lastTransitionTime time, message! string,
  requeueAfterSeconds *int32, retryCount *int32, podSetUpdates []PodSetUpdate;
AdmissionCheckStatus: conditions []meta.v1.Condition;
AdmissionCheckStrategyRule: name word, onFlavors []word;
AdmissionChecksStrategy: admissionChecks []AdmissionCheckStrategyRule;
AdmissionScope: admissionMode word;
BorrowWithinCohort: policy word, maxPriorityThreshold *int32;
ClusterProfileReference: name string;
ClusterQueue: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ClusterQueueSpec, status! ClusterQueueStatus;
ClusterQueuePreemption: reclaimWithinCohort word, borrowWithinCohort *BorrowWithinCohort,
  withinClusterQueue word;
ClusterQueueSpec: resourceGroups []ResourceGroup, cohortName word, queueingStrategy word,
  namespaceSelector *meta.v1.LabelSelector, flavorFungibility *FlavorFungibility, preemption
  *ClusterQueuePreemption, admissionChecksStrategy *AdmissionChecksStrategy, stopPolicy *word,
  fairSharing *FairSharing, admissionScope *AdmissionScope, concurrentAdmissionPolicy
  *ConcurrentAdmissionPolicy;
ClusterQueueStatus: conditions []meta.v1.Condition, flavorsReservation []FlavorUsage, flavorsUsage
  []FlavorUsage, pendingWorkloads! int32, reservingWorkloads! int32, admittedWorkloads! int32,
  fairSharing *FairSharingStatus;
ClusterSource: kubeConfig *KubeConfig, clusterProfileRef *ClusterProfileReference;
Cohort: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! CohortSpec, status!
  CohortStatus;
CohortSpec: parentName word, resourceGroups []ResourceGroup, fairSharing *FairSharing;
CohortStatus: fairSharing *FairSharingStatus;
ConcurrentAdmissionConstraints: lastAcceptableFlavorName *word;
ConcurrentAdmissionMigration: mode word, constraints *ConcurrentAdmissionConstraints;
ConcurrentAdmissionPolicy: migration ConcurrentAdmissionMigration;
FairSharing: weight *quantity;
FairSharingStatus: weightedShare! int64;
FlavorFungibility: whenCanBorrow word, whenCanPreempt word, preference *word;
FlavorQuotas: name! word, resources []ResourceQuota;
FlavorUsage: name word, resources []ResourceUsage;
KubeConfig: location! string, locationType word;
LocalQueue: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! LocalQueueSpec,
  status! LocalQueueStatus;
LocalQueueAdmissionFairSharingStatus: consumedResources! {}quantity, lastUpdate! time;
LocalQueueFairSharingStatus: weightedShare! int64, admissionFairSharingStatus
  *LocalQueueAdmissionFairSharingStatus;
LocalQueueFlavorUsage: name! word, resources []LocalQueueResourceUsage;
LocalQueueResourceUsage: name word, total! quantity;
LocalQueueSpec: clusterQueue word, stopPolicy *word, fairSharing *FairSharing;
LocalQueueStatus: conditions []meta.v1.Condition, pendingWorkloads! int32, reservingWorkloads!
  int32, admittedWorkloads! int32, flavorsReservation []LocalQueueFlavorUsage, flavorsUsage
  []LocalQueueFlavorUsage, fairSharing *LocalQueueFairSharingStatus;
MultiKueueCluster: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec
  MultiKueueClusterSpec, status! MultiKueueClusterStatus;
MultiKueueClusterSpec: clusterSource! ClusterSource;
MultiKueueClusterStatus: conditions []meta.v1.Condition;
MultiKueueConfig: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  MultiKueueConfigSpec;
MultiKueueConfigSpec: clusters []string, quotaManagement *word;
PodSet: name word, template! core.v1.PodTemplateSpec, count! int32, minCount *int32,
  topologyRequest *PodSetTopologyRequest;
PodSetAssignment: name! word, flavors {}word, resourceUsage {}quantity, count *int32,
  topologyAssignment *TopologyAssignment, delayedTopologyRequest *word;
PodSetRequest: name! word, resources {}quantity;
PodSetTopologyRequest: required *string, preferred *string, unconstrained *bool, podIndexLabel
  *string, subGroupIndexLabel *string, subGroupCount *int32, podSetGroupName *string,
  podSetSliceRequiredTopology *string, podSetSliceSize *int32,
  podsetSliceRequiredTopologyConstraints []PodsetSliceRequiredTopologyConstraint;
PodSetUpdate: name! word, labels {}string, annotations {}string, nodeSelector {}string,
  tolerations []core.v1.Toleration;
PodsetSliceRequiredTopologyConstraint: topology string, size int32;
PreemptionGate: name! string;
PreemptionGateState: name! string, position word, lastTransitionTime time;
PriorityClassRef: group word, kind word, name string;
ProvisioningRequestConfig: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ProvisioningRequestConfigSpec;
ProvisioningRequestConfigSpec: provisioningClassName string, parameters {}word, managedResources
  []word, retryStrategy *ProvisioningRequestRetryStrategy, podSetUpdates
  *ProvisioningRequestPodSetUpdates, podSetMergePolicy *word;
ProvisioningRequestPodSetUpdates: nodeSelector []ProvisioningRequestPodSetUpdatesNodeSelector;
ProvisioningRequestPodSetUpdatesNodeSelector: key string, valueFromProvisioningClassDetail string;
ProvisioningRequestRetryStrategy: backoffLimitCount *int32, backoffBaseSeconds *int32,
  backoffMaxSeconds *int32;
ReclaimablePod: name! word, count! int32;
RequeueState: count *int32, requeueAt *time;
ResourceFlavor: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ResourceFlavorSpec;
ResourceFlavorSpec: nodeLabels {}string, nodeTaints []core.v1.Taint, tolerations
  []core.v1.Toleration, topologyName *word;
ResourceGroup: coveredResources []word, flavors []FlavorQuotas;
ResourceQuota: name word, nominalQuota! quantity, borrowingLimit *quantity, lendingLimit
  *quantity;
ResourceUsage: name word, total! quantity, borrowed! quantity;
SchedulingStats: evictions []WorkloadSchedulingStatsEviction;
Topology: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! TopologySpec;
TopologyAssignment: levels []string, slices []TopologyAssignmentSlice;
TopologyAssignmentSlice: domainCount int32, valuesPerLevel []TopologyAssignmentSliceLevelValues,
  podCounts! TopologyAssignmentSlicePodCounts;
TopologyAssignmentSliceLevelIndividualValues: prefix *string, suffix *string, roots []string;
TopologyAssignmentSliceLevelValues: universal *string, individual
  *TopologyAssignmentSliceLevelIndividualValues;
TopologyAssignmentSlicePodCounts: universal *int32, individual []int32;
TopologyLevel: nodeLabel string;
TopologySpec: levels []TopologyLevel;
UnhealthyNode: name! string;
Workload: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! WorkloadSpec,
  status! WorkloadStatus;
WorkloadPriorityClass: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, value! int32,
  description string;
WorkloadSchedulingStatsEviction: reason! string, underlyingCause! word, count! int32;
WorkloadSpec: podSets! []PodSet, queueName word, priorityClassRef *PriorityClassRef, priority
  *int32, active *bool, maximumExecutionTimeSeconds *int32, preemptionGates []PreemptionGate;
WorkloadStatus: conditions []meta.v1.Condition, admission *Admission, requeueState *RequeueState,
  reclaimablePods []ReclaimablePod, admissionChecks []AdmissionCheckState, resourceRequests
  []PodSetRequest, accumulatedPastExecutionTimeSeconds *int32, schedulingStats *SchedulingStats,
  nominatedClusterNames []string, clusterName *string, unhealthyNodes []UnhealthyNode,
  preemptionGates []PreemptionGateState;
)";

}  // namespace muster::objects
