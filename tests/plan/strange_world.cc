// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/strange_world.h"

namespace muster::tests {

std::string_view strange_world() {
  return R"({apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: racks}
spec: {nodeLabels: {pool: gpu}, topologyName: racks, nodeTaints: [{key: gpu, effect: NoSchedule}],
       tolerations: [{key: gpu, operator: Exists}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: gpu, rack: r1, kubernetes.io/hostname: n1}},
 status: {allocatable: {cpu: "8", nvidia.com/gpu: "4", pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {pool: gpu, rack: r2, kubernetes.io/hostname: n2}},
 spec: {taints: [{key: gpu, effect: NoSchedule}]},
 status: {allocatable: {cpu: "8", nvidia.com/gpu: "4", pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a}, spec: {nodeName: n1,
 containers: [{name: c, resources: {requests: {cpu: 1}}}]}, status: {phase: Running}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: root}, spec: {fairSharing: {weight: "2"},
 resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: "3"}]}]}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: team}, spec: {parentName: root}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  cohortName: team
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: Any,
    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 5}}
  flavorFungibility: {whenCanBorrow: TryNextFlavor}
  fairSharing: {weight: "1"}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: default, resources: [{name: cpu, nominalQuota: "4", borrowingLimit: "2", lendingLimit: "1"}]}
  - coveredResources: [nvidia.com/gpu, pods]
    flavors:
    - {name: racks, resources: [{name: nvidia.com/gpu, nominalQuota: "4"}, {name: pods, nominalQuota: "9"}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec:
  cohortName: team
  namespaceSelector: {}
  queueingStrategy: StrictFIFO
  admissionChecksStrategy: {admissionChecks: [{name: check, onFlavors: [default]}]}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: "4"}]}]}]
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: AdmissionCheck, metadata: {name: check}, spec: {controllerName: x},
 status: {conditions: [{type: Active, status: "True", reason: R, message: m, lastTransitionTime: "2025-01-01T00:00:00Z"}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: main, namespace: a}, spec: {clusterQueue: a}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: other, namespace: a}, spec: {clusterQueue: b}}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: a}, spec: {limits: [{type: Container,
 default: {memory: 1Gi}, max: {cpu: "16"}}]}}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: rc}, handler: h, overhead: {podFixed: {cpu: 10m}}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 10}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: runs, namespace: a, uid: runs, creationTimestamp: "2025-01-01T00:00:00Z"}
spec: {queueName: other, priority: 1, podSets: [{name: main, count: 3,
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}}}]}
status:
  admission: {clusterQueue: b, podSetAssignments: [{name: main, count: 3, flavors: {cpu: default}, resourceUsage: {cpu: "6"}}]}
  conditions:
  - {type: QuotaReserved, status: "True", reason: QuotaReserved, message: m, lastTransitionTime: "2025-01-01T00:01:00Z"}
  - {type: Admitted, status: "True", reason: Admitted, message: m, lastTransitionTime: "2025-01-01T00:01:00Z"}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: placed, namespace: a, uid: placed, creationTimestamp: "2025-01-01T00:00:10Z"}
spec: {queueName: main, priority: 1, podSets: [{name: main, count: 2, topologyRequest: {required: rack},
  template: {spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}
status:
  admission: {clusterQueue: a, podSetAssignments: [{name: main, count: 2, flavors: {nvidia.com/gpu: racks, pods: racks},
    resourceUsage: {nvidia.com/gpu: "2", pods: "2"}, topologyAssignment: {levels: [kubernetes.io/hostname],
    slices: [{domainCount: 1, valuesPerLevel: [{universal: n1}], podCounts: {universal: 2}}]}}]}
  unhealthyNodes: [{name: n1}]
  conditions:
  - {type: QuotaReserved, status: "True", reason: QuotaReserved, message: m, lastTransitionTime: "2025-01-01T00:01:00Z"}
  - {type: Admitted, status: "True", reason: Admitted, message: m, lastTransitionTime: "2025-01-01T00:01:00Z"}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: leaves, namespace: a, uid: leaves, creationTimestamp: "2025-01-01T00:00:20Z"}
spec: {queueName: main, priority: 0, podSets: [{name: main, count: 1,
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}
status:
  admission: {clusterQueue: a, podSetAssignments: [{name: main, flavors: {cpu: default}, resourceUsage: {cpu: "1"}}]}
  conditions:
  - {type: QuotaReserved, status: "True", reason: QuotaReserved, message: m, lastTransitionTime: "2025-01-01T00:01:00Z"}
  - {type: Evicted, status: "True", reason: Preempted, message: m, lastTransitionTime: "2025-01-01T00:02:00Z"}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: waits, namespace: a, uid: waits, creationTimestamp: "2025-01-01T00:00:30Z"}
spec: {queueName: main, priority: 10, podSets: [
  {name: driver, count: 1, template: {spec: {runtimeClassName: rc, initContainers: [{name: i, restartPolicy: Always,
    resources: {requests: {cpu: 100m}}}], containers: [{name: c, resources: {requests: {cpu: 1}, limits: {memory: 1Gi}}}]}}},
  {name: workers, count: 4, minCount: 1, topologyRequest: {preferred: rack, podSetGroupName: g},
    template: {spec: {nodeSelector: {pool: gpu}, tolerations: [{key: gpu, operator: Exists}],
    containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: old, namespace: a, uid: old, creationTimestamp: "2025-01-01T00:00:40Z"}
spec: {queueName: other, priority: 5, podSets: [{name: main, count: 2,
  template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: a, uid: j, labels: {kueue.x-k8s.io/queue-name: main, kueue.x-k8s.io/priority-class: high}}
spec: {parallelism: 2, completions: 2, template: {spec: {restartPolicy: Never,
  containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}
)";
}

}  // namespace muster::tests
