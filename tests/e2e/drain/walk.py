# A node is emptied: kubectl cordon, taint and drain. A gang of which one must go is placed anew,
# whole; daemons stay; budgets are heeded; and nothing new comes before uncordon.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import Platform, expect, run_steps, wait_for  # noqa: E402

QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: any, resources: [{name: cpu, nominalQuota: "100"}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: all}
"""
DAEMON = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: m, image: busybox, command: [sleep, "1000"]}]
"""


def gang(name, cpu):
    return json.dumps({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "team"}},
        "spec": {"parallelism": 2, "completions": 2, "completionMode": "Indexed",
                 "template": {"spec": {
                     "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                     "containers": [{"name": "m", "image": "busybox",
                                     "command": ["sleep", "1000"],
                                     "resources": {"requests": {"cpu": cpu}}}]}}}})


def running(platform, label):
    return {p["metadata"]["name"]: p["spec"].get("nodeName") for p in platform.items(
        "pods", "-l", label) if p["status"]["phase"] == "Running"
        and "deletionTimestamp" not in p["metadata"]}


def ready_daemons(platform):
    return (platform.get("ds", "log") or {}).get("status", {}).get("numberReady", 0)


def a_daemon_runs_on_every_node(platform):
    platform.up(first=True)
    platform.apply(DAEMON)
    out = platform.kubectl("rollout", "status", "ds/log", "--timeout=60s")
    expect("successfully rolled out" in out, out)
    expect(sorted(running(platform, "app=log").values()) == ["n1", "n2", "n3"], "one on each")
    row = platform.kubectl("get", "ds", "log", "--no-headers").split()
    expect(row[1:6] == ["3"] * 5, row)


def its_template_is_rolled_out_and_undone(platform):
    before = set(running(platform, "app=log"))
    platform.kubectl("set", "env", "ds/log", "A=b")
    platform.kubectl("rollout", "status", "ds/log", "--timeout=60s")
    after = running(platform, "app=log")
    expect(len(after) == 3 and not before & set(after), after)
    platform.kubectl("rollout", "undo", "ds/log")
    platform.kubectl("rollout", "status", "ds/log", "--timeout=60s")
    history = platform.kubectl("rollout", "history", "ds/log")
    expect("2" in history and "3" in history, history)


def a_drained_node_loses_its_gang_whole(platform):
    platform.apply(QUEUES)
    platform.kubectl("create", "-f", "-", stdin=gang("train", "3"))
    wait_for("two run", lambda: len(running(platform, "job-name=train")) == 2)
    nodes = sorted(running(platform, "job-name=train").values())
    expect(len(set(nodes)) == 2, nodes)
    before = {p["metadata"]["uid"] for p in platform.items("pods", "-l", "job-name=train")}
    out = platform.kubectl("drain", nodes[0], "--ignore-daemonsets", "--force", "--timeout=60s")
    expect("drained" in out, out)
    elsewhere = sorted({"n1", "n2", "n3"} - {nodes[0]})
    wait_for("both elsewhere", lambda: sorted(
        running(platform, "job-name=train").values()) == elsewhere)
    after = {p["metadata"]["uid"] for p in platform.items("pods", "-l", "job-name=train")
             if p["status"]["phase"] == "Running"}
    expect(not before & after, "the whole gang began anew")
    evicted = [c for w in platform.items("workloads") for c in w["status"]["conditions"]
               if "has to leave node" in c["message"]]
    seen = [e for e in platform.items("events") if "has to leave node" in e.get("message", "")]
    expect(evicted or seen, "the workload says why")
    taints = platform.get("node", nodes[0])["spec"]["taints"]
    expect([t["key"] for t in taints] == ["node.kubernetes.io/unschedulable"], taints)
    wait_for("its daemon stays", lambda: nodes[0] in running(platform, "app=log").values())


def nothing_comes_before_uncordon(platform):
    platform.kubectl("create", "-f", "-", stdin=gang("later", "2"))
    cordoned = next(n["metadata"]["name"] for n in platform.items("nodes")
                    if n["spec"].get("unschedulable"))
    wait_for("it waits with a reason", lambda: any(
        c["type"] == "QuotaReserved" and c["status"] == "False"
        for w in platform.items("workloads") if "later" in w["metadata"]["name"]
        for c in w.get("status", {}).get("conditions", [])))
    expect(not running(platform, "job-name=later"), "nothing runs")
    platform.kubectl("uncordon", cordoned)
    wait_for("it runs there", lambda: list(
        running(platform, "job-name=later").values()) == [cordoned] * 2)
    wait_for("no taint", lambda: "taints" not in platform.get("node", cordoned)["spec"])
    platform.kubectl("delete", "job", "later", "train")


def a_budget_is_heeded(platform):
    platform.kubectl("create", "deployment", "web", "--image=busybox", "--", "sleep", "1000")
    platform.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    platform.kubectl("create", "pdb", "web", "--selector=app=web", "--min-available=1")
    node = list(running(platform, "app=web").values())[0]
    out = platform.kubectl("drain", node, "--ignore-daemonsets", "--timeout=2s", check=False)
    expect("Cannot evict pod as it would violate the pod's disruption budget." in out, out)
    platform.kubectl("delete", "pdb", "web")
    platform.kubectl("drain", node, "--ignore-daemonsets", "--timeout=60s")
    wait_for("elsewhere", lambda: list(running(platform, "app=web").values()) not in ([node], []))
    platform.kubectl("uncordon", node)


def a_taint_expels(platform):
    node = list(running(platform, "app=web").values())[0]
    platform.kubectl("taint", "node", node, "repair=now:NoExecute")
    wait_for("elsewhere", lambda: list(running(platform, "app=web").values()) not in ([node], []))
    wait_for("its daemon goes", lambda: node not in running(platform, "app=log").values())
    wait_for("two daemons", lambda: ready_daemons(platform) == 2)
    platform.kubectl("taint", "node", node, "repair-")
    wait_for("its daemon is back", lambda: ready_daemons(platform) == 3)
    expect(any(e["reason"] == "TaintManagerEviction" for e in platform.items("events")),
           "an event says so")


STEPS = [
    a_daemon_runs_on_every_node,
    its_template_is_rolled_out_and_undone,
    a_drained_node_loses_its_gang_whole,
    nothing_comes_before_uncordon,
    a_budget_is_heeded,
    a_taint_expels,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform([f"name=n{i},cpu=4,memory=4Gi" for i in (1, 2, 3)]), STEPS))
