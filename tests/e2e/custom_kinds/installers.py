# Manifests in the shape of those that Kueue, JobSet, Volcano, the training operator and the MPI
# operator release: the same kinds, names, images and services, none of their text.
# SPDX-License-Identifier: Apache-2.0
import json


class System:
    """One system's installation, as the objects of its manifest."""

    def __init__(self, name, namespace, image, definitions, service=None, deployments=(),
                 conversion=False):
        self.name = name
        self.namespace = namespace
        self.image = image
        self.definitions = definitions
        self.service = service
        self.deployments = deployments or (f"{name}-controller-manager",)
        self.conversion = conversion

    def objects(self):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        for definition in self.definitions:
            yield self.definition(*definition)
        yield self.named("v1", "ServiceAccount", f"{self.name}-account")
        yield {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
               "metadata": {"name": f"{self.name}-manager"},
               "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}
        yield {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
               "metadata": {"name": f"{self.name}-manager"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                           "name": f"{self.name}-manager"},
               "subjects": [{"kind": "ServiceAccount", "name": f"{self.name}-account",
                             "namespace": self.namespace}]}
        if self.service:
            yield self.named("v1", "Secret", f"{self.name}-webhook-server-cert")
            yield {**self.named("v1", "Service", self.service),
                   "spec": {"ports": [{"port": 443, "targetPort": 9443}],
                            "selector": {"app": self.name}}}
        for deployment in self.deployments:
            yield self.deployment(deployment)
        if self.service:
            for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
                yield self.webhooks(kind)

    def named(self, version, kind, name):
        return {"apiVersion": version, "kind": kind,
                "metadata": {"name": name, "namespace": self.namespace}}

    def definition(self, group, kind, plural, scope, versions):
        schema = {"openAPIV3Schema": {"type": "object",
                                      "x-kubernetes-preserve-unknown-fields": True}}
        spec = {"group": group, "scope": scope,
                "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural,
                          "singular": kind.lower()},
                "versions": [{"name": version, "served": True, "storage": version == versions[-1],
                              "schema": schema, "subresources": {"status": {}}}
                             for version in versions]}
        if self.conversion:
            spec["conversion"] = {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"name": self.service, "namespace": self.namespace,
                                             "path": "/convert"}}}}
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{plural}.{group}"}, "spec": spec}

    def deployment(self, name):
        pod = {"metadata": {"labels": {"app": self.name, "part": name}},
               "spec": {"serviceAccountName": f"{self.name}-account",
                        "containers": [{"name": "manager", "image": self.image}]}}
        return {**self.named("apps/v1", "Deployment", name),
                "spec": {"replicas": 1, "selector": {"matchLabels": pod["metadata"]["labels"]},
                         "template": pod}}

    def webhooks(self, kind):
        """Each would refuse every job and every pod, because nobody answers there."""
        entries = [{"name": f"{plural}.{self.name}.dev", "failurePolicy": "Fail",
                    "sideEffects": "None", "admissionReviewVersions": ["v1"],
                    "clientConfig": {"service": {"name": self.service, "path": f"/{plural}",
                                                 "namespace": self.namespace}},
                    "rules": [{"apiGroups": [group], "apiVersions": ["*"], "resources": [plural],
                               "operations": ["CREATE", "UPDATE"]}]}
                   for group, plural in (("batch", "jobs"), ("", "pods"))]
        name = f"{self.name}-{kind.split('Webhook')[0].lower()}-webhook-configuration"
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
                "metadata": {"name": name}, "webhooks": entries}

    def manifest(self, *more, without=""):
        kept = [each for each in (*self.objects(), *more) if each["kind"] != without]
        # A text that begins with a brace is one of JSON for kubectl, without lines of dashes.
        return "".join(f"---\n{json.dumps(each)}\n" for each in kept)


KUEUE_GROUP = "kueue.x-k8s.io"
BOTH = ("v1beta1", "v1beta2")
KUEUE = System(
    "kueue", "kueue-system", "registry.k8s.io/kueue/kueue:v0.19.2",
    [(KUEUE_GROUP, "ClusterQueue", "clusterqueues", "Cluster", BOTH),
     (KUEUE_GROUP, "LocalQueue", "localqueues", "Namespaced", BOTH),
     (KUEUE_GROUP, "ResourceFlavor", "resourceflavors", "Cluster", BOTH),
     (KUEUE_GROUP, "Workload", "workloads", "Namespaced", BOTH)],
    service="kueue-webhook-service", conversion=True)
KUEUE_MORE = (
    {**KUEUE.named("v1", "ConfigMap", "kueue-manager-config"),
     "data": {"controller_manager_config.yaml": "apiVersion: config.kueue.x-k8s.io/v1beta2\n"
                                                "kind: Configuration\n"}},
    {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
     "metadata": {"name": "v1beta2.visibility.kueue.x-k8s.io"},
     "spec": {"group": "visibility.kueue.x-k8s.io", "version": "v1beta2",
              "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": True,
              "service": {"name": "kueue-visibility-server", "namespace": "kueue-system"}}})
JOBSET = System(
    "jobset", "jobset-system", "registry.k8s.io/jobset/jobset:v0.12.0",
    [("jobset.x-k8s.io", "JobSet", "jobsets", "Namespaced", ("v1alpha2",))],
    service="jobset-webhook-service")
VOLCANO = System(
    "volcano", "volcano-system", "docker.io/volcanosh/vc-scheduler:v1.15.0",
    [("batch.volcano.sh", "Job", "jobs", "Namespaced", ("v1alpha1",)),
     ("scheduling.volcano.sh", "Queue", "queues", "Cluster", ("v1beta1",)),
     ("flow.volcano.sh", "JobFlow", "jobflows", "Namespaced", ("v1alpha1",))],
    service="volcano-admission-service",
    deployments=("volcano-admission", "volcano-controllers", "volcano-scheduler"))
TRAINING = System(
    "training-operator", "kubeflow", "ghcr.io/kubeflow/training-v1/training-operator:v1.9.3",
    [("kubeflow.org", "PyTorchJob", "pytorchjobs", "Namespaced", ("v1",)),
     ("kubeflow.org", "MPIJob", "mpijobs", "Namespaced", ("v1",))],
    service="training-operator", deployments=("training-operator",))
MPI = System(
    "mpi-operator", "mpi-operator", "mpioperator/mpi-operator:0.8.0",
    [("kubeflow.org", "MPIJob", "mpijobs", "Namespaced", ("v2beta1",))],
    deployments=("mpi-operator",))

SYSTEMS = (KUEUE, JOBSET, VOLCANO, TRAINING, MPI)


def manifest(system, without=""):
    return system.manifest(*(KUEUE_MORE if system is KUEUE else ()), without=without)
