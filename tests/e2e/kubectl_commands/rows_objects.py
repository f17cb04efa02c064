# The rows about objects: get, create, apply, diff, replace, edit, patch, label, scale, delete.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import time

from platform_under_test import expect, wait_for

CONFIG_MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: cm, labels: {app: x}}
data: {a: old, b: "2"}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: "i:1"}]
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: deploy}
spec:
  replicas: 1
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      schedulerName: nobody
      containers: [{name: c, image: "i:1"}]
"""


def get_in_all_forms(kubectl):
    kubectl.apply(CONFIG_MAP)
    expect(kubectl("get cm cm").split()[:3] == ["NAME", "DATA", "AGE"], "the table's head")
    kubectl("get configmaps,secrets", "configmap/cm")
    kubectl("get cm cm -o wide", "cm")
    kubectl("get cm cm -o yaml", "kind: ConfigMap", "a: old", "creationTimestamp:")
    expect("managedFields" not in kubectl("get cm cm -o yaml"), "managed fields are not shown")
    kubectl("get cm cm -o yaml --show-managed-fields", "managedFields", "f:data")
    expect(json.loads(kubectl("get cm cm -o json"))["data"]["b"] == "2", "json")
    expect(kubectl("get cm cm -o name") == "configmap/cm\n", "name")
    expect(kubectl("get cm cm -o jsonpath={.data.a}") == "old", "jsonpath")
    kubectl("get cm -o custom-columns=N:.metadata.name,A:.data.a", "N", "cm", "old")
    kubectl("get cm -l app=x", "cm")
    kubectl("get cm -l app=y", "No resources found")
    kubectl("get cm --field-selector metadata.name=cm", "cm")
    kubectl("get cm --sort-by .metadata.name", "cm")
    kubectl("get cm -A", "NAMESPACE", kubectl.namespace)
    kubectl("get cm --show-labels", "app=x")
    kubectl("get cm -L app", "APP")
    kubectl("get cm --no-headers", "cm")
    kubectl("get cm nope", 'Error from server (NotFound): configmaps "nope" not found', status=1)
    kubectl("get cm nope --ignore-not-found")
    kubectl("get nonsense", "the server doesn't have a resource type", status=1)
    kubectl("get -f -", "cm", stdin=CONFIG_MAP)


def get_all(kubectl):
    kubectl.apply(JOB)
    kubectl("get all", "job.batch/job")


def get_and_watch(kubectl):
    watch = kubectl.start("get cm -w --no-headers -o name --field-selector metadata.name=cm")
    time.sleep(1)
    kubectl.apply(CONFIG_MAP)
    kubectl("label cm cm new=yes", "labeled")
    kubectl("delete cm cm", "deleted")
    seen = [watch.stdout.readline().strip() for _ in range(3)]
    watch.kill()
    expect(seen == ["configmap/cm"] * 3, f"the watch saw {seen}")
    table = kubectl.start("get cm --watch-only")
    time.sleep(1)
    kubectl.apply(CONFIG_MAP)
    lines = [table.stdout.readline().split() for _ in range(2)]
    table.kill()
    expect(lines[0] == ["NAME", "DATA", "AGE"] and lines[1][:2] == ["cm", "2"], f"a table: {lines}")


def create_from_files(kubectl):
    kubectl("create -f -", "configmap/cm created", stdin=CONFIG_MAP)
    kubectl("create -f -", 'Error from server (AlreadyExists)', 'configmaps "cm" already exists',
            status=1, stdin=CONFIG_MAP)
    kubectl("create -f -", "unknown field", "spce", status=1, stdin=JOB.replace("spec:\n", "spce:\n", 1))
    kubectl("create -f - --validate=warn", "unknown field", stdin=CONFIG_MAP.replace(
        "name: cm", "name: warned, foo: bar"))
    kubectl("create -f - --dry-run=server -o name", "configmap/dry", stdin=CONFIG_MAP.replace(
        "name: cm", "name: dry"))
    kubectl("get cm dry", "not found", status=1)


def create_family_one(kubectl):
    for words, wanted in (
            ("create configmap c --from-literal=a=b", "configmap/c created"),
            ("create secret generic s --from-literal=a=b", "secret/s created"),
            ("create serviceaccount sa", "serviceaccount/sa created"),
            ("create quota q --hard=pods=5", "resourcequota/q created"),
            ("create role r --verb=get --resource=pods", "role.rbac.authorization.k8s.io/r created"),
            ("create rolebinding rb --role=r --user=u", "rolebinding.rbac.authorization.k8s.io/rb"),
            ("create clusterrole NS --verb=get --resource=nodes", "clusterrole.rbac"),
            ("create clusterrolebinding NS --clusterrole=NS --user=u", "clusterrolebinding.rbac"),
            ("create poddisruptionbudget pdb --selector=a=b --min-available=1",
             "poddisruptionbudget.policy/pdb created"),
            ("create priorityclass NS --value=5", "priorityclass.scheduling.k8s.io/")):
        kubectl(words.replace("NS", kubectl.namespace), wanted)
    expect(kubectl("get secret s -o jsonpath={.data.a}") == "Yg==", "the secret")


def create_family_two(kubectl):
    for words, wanted in (
            ("create job j --image=i:1", "job.batch/j created"),
            ("create cronjob cj --image=i:1 --schedule=0_0_1_1_*", "cronjob.batch/cj created"),
            ("create deployment d --image=i:1 --replicas=0", "deployment.apps/d created"),
            ("create service clusterip sv --tcp=80:80 --clusterip=None", "service/sv created"),
            ("create ingress in --rule=h/p=svc:80", "ingress.networking.k8s.io/in created")):
        kubectl([word.replace("_", " ") for word in words.split()], wanted)
    kubectl("create job j2 --from=cronjob/cj", "job.batch/j2 created")
    kubectl("create token default", "eyJ")
    kubectl("run p --image=i:1 --restart=Never --dry-run=server", "pod/p created (server dry run)")
    kubectl("expose deployment d --port=80 --cluster-ip=None --name=ex", "service/ex exposed")


def apply_client_side(kubectl):
    kubectl("apply -f -", "configmap/cm created", stdin=CONFIG_MAP)
    kubectl("apply -f -", "configmap/cm unchanged", stdin=CONFIG_MAP)
    kubectl("apply -f -", "configmap/cm configured", stdin=CONFIG_MAP.replace(', b: "2"', ""))
    expect(kubectl("get cm cm -o jsonpath={.data}") == '{"a":"old"}', "what is not there is removed")
    kubectl("apply -f -", "job.batch/job created", stdin=JOB)
    kubectl("apply -f -", "job.batch/job configured", stdin=JOB.replace(
        "suspend: true", "suspend: true\n  parallelism: 3"))
    kubectl("apply -f - --dry-run=server", "configmap/cm configured (server dry run)",
            stdin=CONFIG_MAP)
    kubectl("apply -f - --dry-run=client", "(dry run)", stdin=CONFIG_MAP)
    kubectl("apply view-last-applied cm cm", "old")
    kubectl("apply -f - --prune -l app=x --prune-allowlist=core/v1/ConfigMap", "configmap/cm pruned",
            stdin=CONFIG_MAP.replace("name: cm", "name: other"))


def apply_server_side(kubectl):
    kubectl("apply --server-side -f -", "configmap/cm serverside-applied", stdin=CONFIG_MAP)
    kubectl("apply --server-side -f - --field-manager=other", "conflict", '"kubectl"', status=1,
            stdin=CONFIG_MAP.replace("old", "mine"))
    kubectl("apply --server-side -f - --field-manager=other --force-conflicts", "serverside-applied",
            stdin=CONFIG_MAP.replace("old", "mine"))
    kubectl("get cm cm -o yaml --show-managed-fields", "manager: other", "operation: Apply")
    kubectl("apply -f -", "created", stdin=CONFIG_MAP.replace("name: cm", "name: moved"))
    kubectl("apply --server-side -f -", "serverside-applied", stdin=CONFIG_MAP.replace(
        "name: cm", "name: moved"))


def diff(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl("diff -f -", stdin=CONFIG_MAP)
    kubectl("diff -f -", "-  a: old", "+  a: new", status=1, stdin=CONFIG_MAP.replace("old", "new"))
    kubectl("diff --server-side -f - --force-conflicts", "+  a: new", status=1,
            stdin=CONFIG_MAP.replace("old", "new"))


def replace(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl("replace -f -", "configmap/cm replaced", stdin=CONFIG_MAP.replace("old", "new"))
    kubectl("replace --force -f -", "configmap/cm replaced", stdin=CONFIG_MAP)
    kubectl("replace -f -", "NotFound", status=1, stdin=CONFIG_MAP.replace("name: cm", "name: nope"))


def edit(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl("edit cm cm", "configmap/cm edited")
    expect(kubectl("get cm cm -o jsonpath={.data.a}") == "new", "the editor's change arrived")


def patch(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl(["patch", "cm", "cm", "-p", '{"data":{"a":"s"}}'], "configmap/cm patched")
    kubectl(["patch", "cm", "cm", "--type=merge", "-p", '{"data":{"a":"m"}}'], "patched")
    kubectl(["patch", "cm", "cm", "--type=json", "-p",
             '[{"op":"replace","path":"/data/a","value":"j"}]'], "patched")
    kubectl(["patch", "cm", "cm", "-p", '{"data":{"a":"j"}}'], "patched (no change)")
    kubectl.apply(JOB)
    kubectl(["patch", "job", "job", "--subresource=status", "--type=merge", "-p",
             '{"status":{"ready":0}}'], "job.batch/job patched")


def label_and_annotate(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl("label cm cm k=v", "configmap/cm labeled")
    kubectl("label cm cm k=w", "'k' already has a value", status=1)
    kubectl("label cm cm k=w --overwrite", "labeled")
    kubectl("label cm --all k-", "unlabeled")
    kubectl("annotate cm cm n=m", "configmap/cm annotated")
    kubectl("label cm cm bad!=x", status=1)


def set_image_and_rollout(kubectl):
    kubectl.apply(DEPLOYMENT)
    kubectl("set image deployment/deploy c=i:2", "deployment.apps/deploy image updated")
    kubectl("set env deployment/deploy A=b", "env updated")
    kubectl("set resources deployment/deploy --limits=cpu=1", "resource requirements updated")
    kubectl("rollout restart deployment/deploy", "deployment.apps/deploy restarted")
    kubectl("rollout pause deployment/deploy", "deployment.apps/deploy paused")
    kubectl("rollout history deployment/deploy", "deployment.apps/deploy")
    kubectl("scale deployment/deploy --replicas=0", "deployment.apps/deploy scaled")
    kubectl("scale deployment/deploy --replicas=2 --current-replicas=0", "scaled")
    expect(kubectl("get deploy deploy -o jsonpath={.spec.replicas}") == "2", "the scale")
    kubectl("autoscale deployment/deploy --max=3", "autoscaled")


def wait(kubectl):
    kubectl.apply(CONFIG_MAP)
    kubectl("wait cm/cm --for=jsonpath={.data.a}=old --timeout=20s", "condition met")
    kubectl("wait cm/cm --for=jsonpath={.data.a}=never --timeout=1s", "timed out", status=1)
    waiting = kubectl.start("wait cm/cm --for=delete --timeout=30s")
    time.sleep(1)
    kubectl("delete cm cm", 'configmap "cm" deleted')
    expect(waiting.wait(timeout=30) == 0, f"wait --for=delete: {waiting.stdout.read()}")


def delete(kubectl):
    for name in ("a", "b", "c", "d"):
        kubectl.apply(CONFIG_MAP.replace("name: cm", f"name: {name}"))
    kubectl("delete cm a", 'configmap "a" deleted')
    kubectl("delete cm b --dry-run=server", "deleted", "(server dry run)")
    kubectl("delete cm b --cascade=foreground", "deleted")
    kubectl("delete cm c --cascade=orphan --now", "deleted")
    kubectl("delete cm nope", "NotFound", status=1)
    kubectl("delete cm nope --ignore-not-found")
    kubectl("delete -f -", 'configmap "d" deleted', stdin=CONFIG_MAP.replace("name: cm", "name: d"))
    kubectl.apply(CONFIG_MAP)
    kubectl("delete cm -l app=x", 'configmap "cm" deleted')
    kubectl.apply(CONFIG_MAP)
    kubectl("delete cm --all --wait=false", 'configmap "cm" deleted')
    kubectl.apply(JOB)
    kubectl("delete job job", 'job.batch "job" deleted')
    wait_for("nothing to be left", lambda: "job" not in kubectl.run("get jobs -o name")[1])


def whole_folders(kubectl):
    folder = os.path.join(kubectl.home, kubectl.namespace)
    os.makedirs(folder)
    for name, text in (("one.yaml", CONFIG_MAP), ("two.yaml", JOB)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    kubectl(f"apply -f {folder}", "configmap/cm created", "job.batch/job created")
    kubectl(f"get -f {folder} -o name", "configmap/cm", "job.batch/job")
    kubectl(f"delete -f {folder}", "deleted")


# kubectl checks a List itself, by /openapi/v2, before it sends the objects one by one.
LIST = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: listed}, data: {a: b}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: listed}
  spec:
    replicas: 0
    selector: {matchLabels: {a: b}}
    strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
    template:
      metadata: {labels: {a: b}}
      spec: {containers: [{name: c, image: "i:1", resources: {requests: {cpu: 1}}}]}
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: listed}, spec: {clusterQueue: q}}
"""


def lists_of_objects(kubectl):
    kubectl("create -f -", "configmap/listed created", "localqueue.kueue.x-k8s.io/listed created",
            stdin=LIST)
    kubectl("apply -f -", "deployment.apps/listed", "configured", stdin=LIST)
    wrong = LIST.replace("data: {a: b}", "datum: {a: b}")
    kubectl("apply -f -", 'unknown field "datum" in io.k8s.api.core.v1.ConfigMap', stdin=wrong,
            status=1)
    kubectl("apply --validate=false -f -", "configmap/listed", stdin=wrong)
