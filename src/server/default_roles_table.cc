// SPDX-License-Identifier: Apache-2.0
#include "server/default_roles.h"

namespace muster::server {

namespace {

// What kube-apiserver gives these names. Facts, measured: a chart that binds `view` or
// `system:auth-delegator` gets the rights it counts on.
constexpr RuleRow cluster_rules[] = {
    {"cluster-admin", "*", "*", "*"},
    {.role = "cluster-admin", .verbs = "*", .paths = "*"},
    {"system:aggregate-to-admin", "create", "authorization.k8s.io", "localsubjectaccessreviews"},
    {"system:aggregate-to-admin", "create delete deletecollection get list patch update watch",
     "rbac.authorization.k8s.io", "rolebindings roles"},
    {"system:aggregate-to-edit", "get list watch", "core",
     "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"},
    {"system:aggregate-to-edit", "impersonate", "core", "serviceaccounts"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "core",
     "pods pods/attach pods/exec pods/portforward pods/proxy"},
    {"system:aggregate-to-edit", "create", "core", "pods/eviction"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "core",
     "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale "
     "secrets serviceaccounts services services/proxy"},
    {"system:aggregate-to-edit", "create", "core", "serviceaccounts/token"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update",
     "core events.k8s.io", "events"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "apps",
     "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale "
     "statefulsets statefulsets/scale"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "autoscaling",
     "horizontalpodautoscalers"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "batch",
     "cronjobs jobs"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "extensions",
     "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies "
     "replicasets replicasets/scale replicationcontrollers/scale"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "policy",
     "poddisruptionbudgets"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "networking.k8s.io",
     "ingresses networkpolicies"},
    {"system:aggregate-to-edit", "create delete deletecollection get list patch update watch",
     "coordination.k8s.io", "leases"},
    {"system:aggregate-to-edit", "create delete deletecollection patch update", "resource.k8s.io",
     "resourceclaims resourceclaimtemplates"},
    {"system:aggregate-to-view", "get list watch", "core",
     "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods "
     "replicationcontrollers replicationcontrollers/scale serviceaccounts services "
     "services/status"},
    {"system:aggregate-to-view", "get list watch", "core",
     "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status "
     "resourcequotas resourcequotas/status"},
    {"system:aggregate-to-view", "get list watch", "core", "namespaces"},
    {"system:aggregate-to-view", "get list watch", "core events.k8s.io", "events"},
    {"system:aggregate-to-view", "get list watch", "discovery.k8s.io", "endpointslices"},
    {"system:aggregate-to-view", "get list watch", "apps",
     "controllerrevisions daemonsets daemonsets/status deployments deployments/scale "
     "deployments/status replicasets replicasets/scale replicasets/status statefulsets "
     "statefulsets/scale statefulsets/status"},
    {"system:aggregate-to-view", "get list watch", "autoscaling",
     "horizontalpodautoscalers horizontalpodautoscalers/status"},
    {"system:aggregate-to-view", "get list watch", "batch",
     "cronjobs cronjobs/status jobs jobs/status"},
    {"system:aggregate-to-view", "get list watch", "extensions",
     "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses "
     "ingresses/status networkpolicies replicasets replicasets/scale replicasets/status "
     "replicationcontrollers/scale"},
    {"system:aggregate-to-view", "get list watch", "policy",
     "poddisruptionbudgets poddisruptionbudgets/status"},
    {"system:aggregate-to-view", "get list watch", "networking.k8s.io",
     "ingresses ingresses/status networkpolicies"},
    {"system:aggregate-to-view", "get list watch", "resource.k8s.io",
     "resourceclaims resourceclaims/status resourceclaimtemplates"},
    {"system:auth-delegator", "create", "authentication.k8s.io", "tokenreviews"},
    {"system:auth-delegator", "create", "authorization.k8s.io", "subjectaccessreviews"},
    {"system:basic-user", "create", "authorization.k8s.io",
     "selfsubjectaccessreviews selfsubjectrulesreviews"},
    {"system:basic-user", "create", "authentication.k8s.io", "selfsubjectreviews"},
    {"system:certificates.k8s.io:certificatesigningrequests:nodeclient", "create",
     "certificates.k8s.io", "certificatesigningrequests/nodeclient"},
    {"system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "create",
     "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"},
    {"system:certificates.k8s.io:kube-apiserver-client-approver", "approve", "certificates.k8s.io",
     "signers", "kubernetes.io/kube-apiserver-client"},
    {"system:certificates.k8s.io:kube-apiserver-client-kubelet-approver", "approve",
     "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client-kubelet"},
    {"system:certificates.k8s.io:kubelet-serving-approver", "approve", "certificates.k8s.io",
     "signers", "kubernetes.io/kubelet-serving"},
    {"system:certificates.k8s.io:legacy-unknown-approver", "approve", "certificates.k8s.io",
     "signers", "kubernetes.io/legacy-unknown"},
    {.role = "system:discovery",
     .verbs = "get",
     .paths = "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version "
              "/version/"},
    {"system:heapster", "get list watch", "core", "events namespaces nodes pods"},
    {"system:heapster", "get list watch", "extensions", "deployments"},
    {"system:kube-aggregator", "get list watch", "core", "endpoints services"},
    {"system:kube-controller-manager", "create patch update", "core events.k8s.io", "events"},
    {"system:kube-controller-manager", "create", "coordination.k8s.io", "leases"},
    {"system:kube-controller-manager", "get update", "coordination.k8s.io", "leases",
     "kube-controller-manager"},
    {"system:kube-controller-manager", "create", "core", "secrets serviceaccounts"},
    {"system:kube-controller-manager", "delete", "core", "secrets"},
    {"system:kube-controller-manager", "get", "core",
     "configmaps namespaces secrets serviceaccounts"},
    {"system:kube-controller-manager", "update", "core", "secrets serviceaccounts"},
    {"system:kube-controller-manager", "create", "authentication.k8s.io", "tokenreviews"},
    {"system:kube-controller-manager", "create", "authorization.k8s.io", "subjectaccessreviews"},
    {"system:kube-controller-manager", "list watch", "*", "*"},
    {"system:kube-controller-manager", "create", "core", "serviceaccounts/token"},
    {"system:kube-dns", "list watch", "core", "endpoints services"},
    {"system:kube-scheduler", "create patch update", "core events.k8s.io", "events"},
    {"system:kube-scheduler", "create", "coordination.k8s.io", "leases"},
    {"system:kube-scheduler", "get list update watch", "coordination.k8s.io", "leases",
     "kube-scheduler"},
    {"system:kube-scheduler", "create delete deletecollection get list patch update watch",
     "coordination.k8s.io", "leasecandidates"},
    {"system:kube-scheduler", "get list watch", "core", "nodes"},
    {"system:kube-scheduler", "delete get list watch", "core", "pods"},
    {"system:kube-scheduler", "create", "core", "bindings pods/binding"},
    {"system:kube-scheduler", "patch update", "core", "pods/status"},
    {"system:kube-scheduler", "get list watch", "core", "replicationcontrollers services"},
    {"system:kube-scheduler", "get list watch", "apps extensions", "replicasets"},
    {"system:kube-scheduler", "get list watch", "apps", "statefulsets"},
    {"system:kube-scheduler", "get list watch", "policy", "poddisruptionbudgets"},
    {"system:kube-scheduler", "get list watch", "core", "persistentvolumeclaims persistentvolumes"},
    {"system:kube-scheduler", "create", "authentication.k8s.io", "tokenreviews"},
    {"system:kube-scheduler", "create", "authorization.k8s.io", "subjectaccessreviews"},
    {"system:kube-scheduler", "get list watch", "storage.k8s.io", "csinodes"},
    {"system:kube-scheduler", "get list watch", "storage.k8s.io", "volumeattachments"},
    {"system:kube-scheduler", "get list watch", "core", "namespaces"},
    {"system:kube-scheduler", "get list watch", "storage.k8s.io", "csidrivers"},
    {"system:kube-scheduler", "get list watch", "storage.k8s.io", "csistoragecapacities"},
    {"system:kube-scheduler", "get list watch", "resource.k8s.io", "deviceclasses"},
    {"system:kube-scheduler", "get list patch update watch", "resource.k8s.io", "resourceclaims"},
    {"system:kube-scheduler", "get list patch update watch", "resource.k8s.io",
     "resourceclaims/status"},
    {"system:kube-scheduler", "update", "core", "pods/finalizers"},
    {"system:kube-scheduler", "get list watch", "resource.k8s.io", "resourceslices"},
    {"system:kube-scheduler", "create delete", "resource.k8s.io", "resourceclaims"},
    {"system:kube-scheduler", "patch update", "resource.k8s.io", "resourceclaims/binding"},
    {"system:kubelet-api-admin", "get list watch", "core", "nodes"},
    {"system:kubelet-api-admin", "proxy", "core", "nodes"},
    {"system:kubelet-api-admin", "*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"},
    {"system:kubelet-api-admin", "*", "core", "nodes/configz nodes/healthz nodes/pods"},
    {.role = "system:monitoring",
     .verbs = "get",
     .paths = "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* "
              "/statusz"},
    {"system:monitoring", "get", "core", "nodes/metrics"},
    {"system:node", "create", "authentication.k8s.io", "tokenreviews"},
    {"system:node", "create", "authorization.k8s.io",
     "localsubjectaccessreviews subjectaccessreviews"},
    {"system:node", "get list watch", "core", "services"},
    {"system:node", "create get list watch", "core", "nodes"},
    {"system:node", "patch update", "core", "nodes/status"},
    {"system:node", "patch update", "core", "nodes"},
    {"system:node", "create patch update", "core events.k8s.io", "events"},
    {"system:node", "get list watch", "core", "pods"},
    {"system:node", "create delete", "core", "pods"},
    {"system:node", "patch update", "core", "pods/status"},
    {"system:node", "create", "core", "pods/eviction"},
    {"system:node", "get list watch", "core", "configmaps secrets"},
    {"system:node", "get", "core", "persistentvolumeclaims persistentvolumes"},
    {"system:node", "get", "core", "endpoints"},
    {"system:node", "create get list watch", "certificates.k8s.io", "certificatesigningrequests"},
    {"system:node", "create delete get patch update", "coordination.k8s.io", "leases"},
    {"system:node", "get", "storage.k8s.io", "volumeattachments"},
    {"system:node", "create", "core", "serviceaccounts/token"},
    {"system:node", "get patch update", "core", "persistentvolumeclaims/status"},
    {"system:node", "get list watch", "storage.k8s.io", "csidrivers"},
    {"system:node", "create delete get patch update", "storage.k8s.io", "csinodes"},
    {"system:node", "get list watch", "node.k8s.io", "runtimeclasses"},
    {"system:node", "get", "resource.k8s.io", "resourceclaims"},
    {"system:node", "deletecollection", "resource.k8s.io", "resourceslices"},
    {"system:node", "get", "core", "serviceaccounts"},
    {"system:node-bootstrapper", "create get list watch", "certificates.k8s.io",
     "certificatesigningrequests"},
    {"system:node-problem-detector", "get", "core", "nodes"},
    {"system:node-problem-detector", "patch", "core", "nodes/status"},
    {"system:node-problem-detector", "create patch update", "core events.k8s.io", "events"},
    {"system:node-proxier", "list watch", "core", "endpoints services"},
    {"system:node-proxier", "get list watch", "core", "nodes"},
    {"system:node-proxier", "create patch update", "core events.k8s.io", "events"},
    {"system:node-proxier", "list watch", "networking.k8s.io", "servicecidrs"},
    {"system:node-proxier", "list watch", "discovery.k8s.io", "endpointslices"},
    {"system:persistent-volume-provisioner", "create delete get list watch", "core",
     "persistentvolumes"},
    {"system:persistent-volume-provisioner", "get list update watch", "core",
     "persistentvolumeclaims"},
    {"system:persistent-volume-provisioner", "get list watch", "storage.k8s.io", "storageclasses"},
    {"system:persistent-volume-provisioner", "watch", "core", "events"},
    {"system:persistent-volume-provisioner", "create patch update", "core events.k8s.io", "events"},
    {.role = "system:public-info-viewer",
     .verbs = "get",
     .paths = "/healthz /livez /readyz /version /version/"},
    {.role = "system:service-account-issuer-discovery",
     .verbs = "get",
     .paths = "/.well-known/openid-configuration /.well-known/openid-configuration/ "
              "/openid/v1/jwks /openid/v1/jwks/"},
    {"system:volume-scheduler", "get list patch update watch", "core", "persistentvolumes"},
    {"system:volume-scheduler", "get list watch", "storage.k8s.io", "storageclasses"},
    {"system:volume-scheduler", "get list patch update watch", "core", "persistentvolumeclaims"},
};

// Groups of job and queue kinds that come with Muster and with their own operators elsewhere.
constexpr std::string_view queued_groups =
    "jobset.x-k8s.io kubeflow.org trainer.kubeflow.org batch.volcano.sh flow.volcano.sh "
    "leaderworkerset.x-k8s.io ray.io scheduling.volcano.sh scheduling.x-k8s.io";
constexpr std::string_view queued_resources =
    "jaxjobs jobflows jobs jobsets leaderworkersets mpijobs paddlejobs podgroups pytorchjobs "
    "rayclusters rayjobs rayservices tfjobs trainingruntimes trainjobs xgboostjobs";
constexpr std::string_view watched_groups =
    "apps autoscaling autoscaling.x-k8s.io batch batch.volcano.sh coordination.k8s.io "
    "discovery.k8s.io flow.volcano.sh jobset.x-k8s.io kubeflow.org kueue.x-k8s.io "
    "leaderworkerset.x-k8s.io muster.dev networking.k8s.io "
    "node.k8s.io policy ray.io resource.k8s.io scheduling.k8s.io scheduling.volcano.sh "
    "scheduling.x-k8s.io storage.k8s.io topology.volcano.sh trainer.kubeflow.org";
constexpr std::string_view writing = "create delete patch update";

// One role for each controller: what it writes, and what all of them see together. No controller
// sees a Secret.
constexpr RuleRow muster_rules[] = {
    {"system:muster:aggregate-to-edit", "create delete deletecollection patch update",
     queued_groups, queued_resources},
    {"system:muster:aggregate-to-view", "get list watch", queued_groups, "*"},
    {"system:muster:aggregate-to-view", "get list watch", "kueue.x-k8s.io",
     "localqueues localqueues/status workloads workloads/status"},
    {"system:muster:aggregate-to-view", "get list watch", "metrics.k8s.io", "nodes pods"},
    {"system:muster:agent", "get list watch", "core",
     "configmaps namespaces nodes persistentvolumeclaims persistentvolumes pods secrets "
     "serviceaccounts services"},
    {"system:muster:agent", "get list watch", "discovery.k8s.io", "endpointslices"},
    {"system:muster:agent", "create delete patch update", "core", "nodes"},
    {"system:muster:agent", "patch update", "core", "nodes/status pods/status"},
    {"system:muster:agent", "create delete", "core", "pods"},
    {"system:muster:agent", "create", "core", "pods/eviction serviceaccounts/token"},
    {"system:muster:agent", "create patch update", "core events.k8s.io", "events"},
    {"system:muster:agent", "get list watch", "node.k8s.io", "runtimeclasses"},
    {"system:muster:agent", "create delete get patch update", "coordination.k8s.io", "leases"},
    {"system:muster:agent", "create get list update watch", "core", "persistentvolumeclaims"},
    {"system:muster:agent", "patch update", "core",
     "persistentvolumeclaims/status persistentvolumes/status"},
    {"system:muster:agent", "create delete get list update watch", "core", "persistentvolumes"},
    {"system:muster:agent", "create get list watch", "storage.k8s.io", "storageclasses"},
    {"system:muster:controller:apps", writing, "apps",
     "controllerrevisions daemonsets deployments replicasets statefulsets"},
    {"system:muster:controller:apps", "patch update", "apps",
     "daemonsets/finalizers daemonsets/status "
     "deployments/finalizers deployments/status replicasets/finalizers replicasets/status "
     "statefulsets/finalizers statefulsets/status"},
    {"system:muster:controller:apps", writing, "core", "endpoints persistentvolumeclaims pods"},
    {"system:muster:controller:apps", "patch update", "core",
     "replicationcontrollers replicationcontrollers/finalizers replicationcontrollers/status"},
    {"system:muster:controller:apps", "update", "core", "services/finalizers"},
    {"system:muster:controller:apps", "create", "core", "endpoints/restricted"},
    {"system:muster:controller:apps", "patch update", "autoscaling",
     "horizontalpodautoscalers/status"},
    {"system:muster:controller:apps", writing, "discovery.k8s.io", "endpointslices"},
    {"system:muster:controller:apps", "create", "discovery.k8s.io", "endpointslices/restricted"},
    {"system:muster:controller:cache", "get list watch", "core",
     "bindings configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims "
     "persistentvolumes pods podtemplates replicationcontrollers resourcequotas services"},
    {"system:muster:controller:cache", "get list watch", watched_groups, "*"},
    {"system:muster:controller:events", "create patch update", "core events.k8s.io", "events"},
    {"system:muster:controller:jobs", writing, "core", "configmaps pods services"},
    {"system:muster:controller:jobs", "patch update", "core", "pods/status"},
    {"system:muster:controller:jobs", writing, "batch", "jobs"},
    {"system:muster:controller:jobs", "patch update", "batch",
     "cronjobs/finalizers cronjobs/status jobs/finalizers jobs/status"},
    {"system:muster:controller:jobs", writing, queued_groups, "*"},
    {"system:muster:controller:nodes", "patch update", "core", "nodes nodes/status pods/status"},
    {"system:muster:controller:nodes", "delete patch update", "core", "pods"},
    {"system:muster:controller:nodes", writing, "coordination.k8s.io", "leases"},
    {"system:muster:controller:queue-status", "patch update", "kueue.x-k8s.io", "*"},
    {"system:muster:controller:queueing", writing, "kueue.x-k8s.io", "workloads"},
    {"system:muster:controller:queueing", "patch update", "kueue.x-k8s.io", "*"},
    {"system:muster:controller:queueing", "patch update", "batch", "jobs jobs/status"},
    {"system:muster:controller:queueing", "patch update", queued_groups, "*"},
    {"system:muster:controller:queueing", writing, "core", "podtemplates"},
    {"system:muster:controller:queueing", writing, "autoscaling.x-k8s.io",
     "provisioningrequests provisioningrequests/status"},
    {"system:muster:controller:scheduling", "create", "core", "bindings pods/binding"},
    {"system:muster:controller:scheduling", "delete patch update", "core", "pods"},
    {"system:muster:controller:scheduling", "patch update", "core", "pods/status"},
    {"system:muster:controller:scheduling", "patch update", "kueue.x-k8s.io", "*"},
};

}  // namespace

std::span<const RuleRow> default_cluster_rules() {
  return cluster_rules;
}

std::span<const RuleRow> muster_cluster_rules() {
  return muster_rules;
}

}  // namespace muster::server
