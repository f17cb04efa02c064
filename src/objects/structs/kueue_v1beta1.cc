// SPDX-License-Identifier: Apache-2.0
// The structs of Go: Kueue, v1beta1. objects/go_structs.h has the notation.
#include "objects/structs/structs.h"

namespace muster::objects {

const std::string_view structs_of_kueue_v1beta1 = R"(kueue.v1beta1
Admission: clusterQueue! word, podSetAssignments! []PodSetAssignment;
AdmissionCheck: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  AdmissionCheckSpec, status! AdmissionCheckStatus;
AdmissionCheckParametersReference: apiGroup! string, kind! string, name! string;
AdmissionCheckSpec: controllerName! string, retryDelayMinutes *int64, parameters
  *AdmissionCheckParametersReference;
AdmissionCheckState: name! word, state! word, lastTransitionTime! time, message! string,
  requeueAfterSeconds *int32, retryCount *int32, podSetUpdates []PodSetUpdate;
AdmissionCheckStatus: conditions []meta.v1.Condition;
AdmissionCheckStrategyRule: name! word, onFlavors []word;
AdmissionChecksStrategy: admissionChecks []AdmissionCheckStrategyRule;
AdmissionFairSharingStatus: consumedResources! {}quantity, lastUpdate! time;
AdmissionScope: admissionMode! word;
BorrowWithinCohort: policy word, maxPriorityThreshold *int32;
ClusterProfileReference: name string;
ClusterQueue: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ClusterQueueSpec, status! ClusterQueueStatus;
ClusterQueuePendingWorkload: name! string, namespace! string;
ClusterQueuePendingWorkloadsStatus: clusterQueuePendingWorkload! []ClusterQueuePendingWorkload,
  lastChangeTime! time;
ClusterQueuePreemption: reclaimWithinCohort word, borrowWithinCohort *BorrowWithinCohort,
  withinClusterQueue word;
ClusterQueueSpec: resourceGroups []ResourceGroup, cohort word, queueingStrategy word,
  namespaceSelector *meta.v1.LabelSelector, flavorFungibility *FlavorFungibility, preemption
  *ClusterQueuePreemption, admissionChecks []word, admissionChecksStrategy
  *AdmissionChecksStrategy, stopPolicy *word, fairSharing *FairSharing, admissionScope
  *AdmissionScope;
ClusterQueueStatus: conditions []meta.v1.Condition, flavorsReservation! []FlavorUsage,
  flavorsUsage! []FlavorUsage, pendingWorkloads! int32, reservingWorkloads! int32,
  admittedWorkloads! int32, pendingWorkloadsStatus! *ClusterQueuePendingWorkloadsStatus,
  fairSharing *FairSharingStatus;
Cohort: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! CohortSpec, status!
  CohortStatus;
CohortSpec: parentName word, resourceGroups []ResourceGroup, fairSharing *FairSharing;
CohortStatus: fairSharing *FairSharingStatus;
FairSharing: weight *quantity;
FairSharingStatus: weightedShare! int64, admissionFairSharingStatus *AdmissionFairSharingStatus;
FlavorFungibility: whenCanBorrow word, whenCanPreempt word, preference *word;
FlavorQuotas: name! word, resources! []ResourceQuota;
FlavorUsage: name! word, resources! []ResourceUsage;
KubeConfig: location! string, locationType! word;
LocalQueue: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! LocalQueueSpec,
  status! LocalQueueStatus;
LocalQueueFlavorStatus: name! word, resources []word, nodeLabels {}string, nodeTaints
  []core.v1.Taint, topology *TopologyInfo;
LocalQueueFlavorUsage: name! word, resources! []LocalQueueResourceUsage;
LocalQueueResourceUsage: name! word, total! quantity;
LocalQueueSpec: clusterQueue word, stopPolicy *word, fairSharing *FairSharing;
LocalQueueStatus: conditions []meta.v1.Condition, pendingWorkloads! int32, reservingWorkloads!
  int32, admittedWorkloads! int32, flavorsReservation! []LocalQueueFlavorUsage, flavorUsage!
  []LocalQueueFlavorUsage, flavors []LocalQueueFlavorStatus, fairSharing *FairSharingStatus;
MultiKueueCluster: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  MultiKueueClusterSpec, status! MultiKueueClusterStatus;
MultiKueueClusterSpec: kubeConfig! KubeConfig, clusterProfileRef *ClusterProfileReference;
MultiKueueClusterStatus: conditions []meta.v1.Condition;
MultiKueueConfig: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  MultiKueueConfigSpec;
MultiKueueConfigSpec: clusters! []string;
PodSet: name word, template! core.v1.PodTemplateSpec, count! int32, minCount *int32,
  topologyRequest *PodSetTopologyRequest;
PodSetAssignment: name! word, flavors {}word, resourceUsage {}quantity, count *int32,
  topologyAssignment *TopologyAssignment, delayedTopologyRequest *word;
PodSetRequest: name! word, resources {}quantity;
PodSetTopologyRequest: required *string, preferred *string, unconstrained *bool, podIndexLabel
  *string, subGroupIndexLabel *string, subGroupCount *int32, podSetGroupName *string,
  podSetSliceRequiredTopology *string, podSetSliceSize *int32;
PodSetUpdate: name! word, labels {}string, annotations {}string, nodeSelector {}string,
  tolerations []core.v1.Toleration;
ProvisioningRequestConfig: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ProvisioningRequestConfigSpec;
ProvisioningRequestConfigSpec: provisioningClassName! string, parameters {}word, managedResources
  []word, retryStrategy *ProvisioningRequestRetryStrategy, podSetUpdates
  *ProvisioningRequestPodSetUpdates, podSetMergePolicy *word;
ProvisioningRequestPodSetUpdates: nodeSelector []ProvisioningRequestPodSetUpdatesNodeSelector;
ProvisioningRequestPodSetUpdatesNodeSelector: key! string, valueFromProvisioningClassDetail!
  string;
ProvisioningRequestRetryStrategy: backoffLimitCount *int32, backoffBaseSeconds *int32,
  backoffMaxSeconds *int32;
ReclaimablePod: name! word, count! int32;
RequeueState: count *int32, requeueAt *time;
ResourceFlavor: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec!
  ResourceFlavorSpec;
ResourceFlavorSpec: nodeLabels {}string, nodeTaints []core.v1.Taint, tolerations
  []core.v1.Toleration, topologyName *word;
ResourceGroup: coveredResources! []word, flavors! []FlavorQuotas;
ResourceQuota: name! word, nominalQuota! quantity, borrowingLimit *quantity, lendingLimit
  *quantity;
ResourceUsage: name! word, total! quantity, borrowed! quantity;
SchedulingStats: evictions []WorkloadSchedulingStatsEviction;
Topology: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! TopologySpec;
TopologyAssignment: levels! []string, domains! []TopologyDomainAssignment;
TopologyDomainAssignment: values! []string, count! int32;
TopologyInfo: name! word, levels! []string;
TopologyLevel: nodeLabel! string;
TopologySpec: levels []TopologyLevel;
UnhealthyNode: name! string;
Workload: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, spec! WorkloadSpec,
  status! WorkloadStatus;
WorkloadPriorityClass: kind string, apiVersion string, metadata! meta.v1.ObjectMeta, value! int32,
  description string;
WorkloadSchedulingStatsEviction: reason! string, underlyingCause! word, count! int32;
WorkloadSpec: podSets! []PodSet, queueName word, priorityClassName string, priority *int32,
  priorityClassSource string, active *bool, maximumExecutionTimeSeconds *int32;
WorkloadStatus: conditions []meta.v1.Condition, admission *Admission, requeueState *RequeueState,
  reclaimablePods []ReclaimablePod, admissionChecks []AdmissionCheckState, resourceRequests
  []PodSetRequest, accumulatedPastExexcutionTimeSeconds *int32, schedulingStats *SchedulingStats,
  nominatedClusterNames []string, clusterName *string, unhealthyNodes []UnhealthyNode;
)";

}  // namespace muster::objects
