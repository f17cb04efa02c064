# The rows about the cluster: version, api-resources, explain, auth, nodes, CRDs, raw.
# SPDX-License-Identifier: Apache-2.0
import json

from platform_under_test import expect, wait_for

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.NS.example.com}
spec:
  group: NS.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: What is wanted of the widget.
            required: [size]
            properties: {size: {type: integer, maximum: 9}, replicas: {type: integer}}
          status: {type: object, properties: {replicas: {type: integer}}}
"""
WIDGET = """
apiVersion: NS.example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 5, replicas: 1}
"""


def version(kubectl):
    kubectl("version", "Server Version: v1.")
    said = json.JSONDecoder().raw_decode(kubectl("version -o json"))[0]  # a warning may follow
    expect("serverVersion" in said, "as JSON")


def api_resources(kubectl):
    said = kubectl("api-resources", "configmaps", "cm", "ConfigMap", "batch/v1", "workloads")
    expect("APIVERSION" in said, "its head")
    kubectl("api-resources --namespaced=false --api-group=rbac.authorization.k8s.io", "clusterroles")
    kubectl("api-resources -o wide", "create,delete,deletecollection,get,list,patch,update,watch")
    kubectl("api-versions", "v1", "batch/v1", "kueue.x-k8s.io/v1beta2")


def cluster_info(kubectl):
    kubectl("cluster-info", "is running at")


def explain(kubectl):
    kubectl("explain pod", "KIND:", "Pod", "VERSION:", "v1", "spec")
    kubectl("explain job.spec.parallelism", "FIELD: parallelism <integer>")
    kubectl("explain pod.spec.containers --recursive", "imagePullPolicy")
    kubectl("explain workload.spec", "podSets")
    kubectl("explain clusterqueue --api-version=kueue.x-k8s.io/v1beta1", "v1beta1")
    kubectl("explain nonsense", status=1)


def auth(kubectl):
    kubectl("auth can-i create pods", "yes")
    kubectl("auth can-i create pods --as=nobody-in-particular", "no", status=1)
    kubectl("auth can-i --list", "Resources")
    kubectl("auth can-i get /version", "yes")
    kubectl("auth whoami", "Username")
    kubectl("create role reader --verb=get,list --resource=pods")
    kubectl("create rolebinding reader --role=reader --user=rita")
    wait_for("rita to read pods",
             lambda: kubectl.run("auth can-i list pods --as=rita")[1].startswith("yes"), 20)
    kubectl("get pods --as=rita", "No resources found")
    kubectl("get secrets --as=rita", "Forbidden", 'User "rita" cannot list resource "secrets"', status=1)


def cordon_taint_and_drain(kubectl):
    kubectl("get nodes", "n1", "Ready")
    kubectl("cordon n2", "node/n2 cordoned")
    kubectl("get node n2", "SchedulingDisabled")
    kubectl("drain n2 --ignore-daemonsets --force --delete-emptydir-data --timeout=40s", "drained")
    kubectl("uncordon n2", "node/n2 uncordoned")
    kubectl("taint node n2 suite=yes:NoSchedule", "tainted")
    kubectl("taint node n2 suite-", "untainted")
    kubectl("label node n2 suite=yes --overwrite", "labeled")
    kubectl("label node n2 suite-", "unlabeled")


def top(kubectl):
    wait_for("the use of nodes", lambda: "n1" in kubectl.run("top node")[1], 30)
    kubectl("top pod", status=0)


def raw(kubectl):
    expect(kubectl("get --raw /readyz") == "ok", "readyz")
    expect("major" in kubectl("get --raw /version"), "version")
    kubectl("get --raw /metrics", "# TYPE")
    kubectl(f"get --raw /api/v1/namespaces/{kubectl.namespace}/configmaps?limit=1", "ConfigMapList")


def custom_resources(kubectl):
    def named(text):
        return text.replace("NS", kubectl.namespace)

    kubectl.apply(named(CRD))
    kubectl(f"wait crd/widgets.{kubectl.namespace}.example.com --for=condition=Established "
            "--timeout=20s", "condition met")
    wait_for("widgets to be served", lambda: "created" in kubectl.run("apply -f -", named(WIDGET))[1])
    kubectl("apply -f -", "unchanged", stdin=named(WIDGET))
    kubectl("apply -f -", "configured", stdin=named(WIDGET).replace("size: 5", "size: 6"))
    kubectl("apply -f -", "should be less than or equal to 9", status=1,
            stdin=named(WIDGET).replace("size: 5", "size: 10"))
    kubectl("apply -f - --server-side --force-conflicts", "serverside-applied", stdin=named(WIDGET))
    kubectl("get widgets", "SIZE", "w", "5")
    kubectl("get wd w -o yaml", "size: 5")
    kubectl("explain widget.spec", "What is wanted of the widget.", "size")
    kubectl("scale widget/w --replicas=3", "scaled")
    kubectl(["patch", "widget", "w", "--type=merge", "-p", '{"spec":{"size":7}}'], "patched")
    kubectl("delete widget w", "deleted")
    kubectl(f"delete crd widgets.{kubectl.namespace}.example.com", "deleted")


def quota_and_limits(kubectl):
    # kube-root-ca.crt, which every namespace has, counts as well.
    wait_for("kube-root-ca.crt",
             lambda: "kube-root-ca.crt" in kubectl.run("get cm -o name")[1], 20)
    kubectl("create quota q --hard=count/configmaps=2")
    wait_for("the quota to be counted",
             lambda: kubectl.run("get quota q -o jsonpath={.status.used}")[1].startswith("{"), 20)
    kubectl("create configmap one", "created")
    kubectl("create configmap two", "exceeded quota: q, requested: count/configmaps=1", status=1)
    kubectl("describe quota q", "count/configmaps  2     2")


def namespaces(kubectl):
    name = kubectl.namespace + "-x"
    kubectl(f"create namespace {name}", "created")
    kubectl(f"create configmap c -n {name}", "created")
    kubectl(f"delete namespace {name}", f'namespace "{name}" deleted')
    kubectl(f"get namespace {name}", "NotFound", status=1)
    kubectl(f"create configmap c -n {name}", "not found", status=1)
