# Deployments and StatefulSets that name a queue: what has quota runs, the rest waits with its
# reason, and never do more run than there is quota for.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import (Platform, condition, expect, holds, run_steps,  # noqa: E402
                                 wait_for)

QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: usual}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: usual, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: default}
spec: {clusterQueue: cq}
"""
SPEC = """
      terminationGracePeriodSeconds: 1
      containers:
      - {name: m, image: busybox, command: [sleep, "1000"], resources: {requests: {cpu: 1}}}
"""
DEPLOYMENT = f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, labels: {{kueue.x-k8s.io/queue-name: main}}}}
spec:
  replicas: 3
  strategy: {{rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}}}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {SPEC}
"""
STATEFUL_SET = f"""
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db, labels: {{kueue.x-k8s.io/queue-name: main}}}}
spec:
  replicas: 3
  serviceName: db
  selector: {{matchLabels: {{app: db}}}}
  template:
    metadata: {{labels: {{app: db}}}}
    spec: {SPEC}
"""


def quota(platform, cpus):
    path = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"
    platform.kubectl("patch", "clusterqueue", "cq", "--type=json", "-p",
                     json.dumps([{"op": "replace", "path": path, "value": str(cpus)}]))


def pods(platform, app):
    return platform.items("pods", "-l", f"app={app}")


def gates(pod):
    return [each["name"] for each in pod["spec"].get("schedulingGates", [])]


def at_most(platform, app, most):
    """Those that run; more than there is quota for must never be seen."""
    there = [p for p in pods(platform, app) if p["status"].get("phase") == "Running"]
    if len(there) > most:
        raise AssertionError(f"{len(there)} pods run, and there is quota for {most}")
    return there


def wait_running(platform, app, count, most):
    wait_for(f"{count} of {app} to run", lambda: len(at_most(platform, app, most)) == count)


def workloads(platform):
    return platform.items("workloads")


def the_workload(platform):
    there = workloads(platform)
    expect(len(there) == 1, [w["metadata"]["name"] for w in there])
    return there[0]


def used(platform):
    usage = platform.get("clusterqueue", "cq")["status"].get("flavorsUsage") or []
    return [r["total"] for f in usage for r in f["resources"]]


def a_deployment_runs_as_far_as_there_is_quota(platform):
    platform.up(first=True)
    platform.apply(QUEUES)
    platform.apply(DEPLOYMENT)
    wait_running(platform, "web", 2, most=2)
    wait_for("three Workloads", lambda: len(workloads(platform)) == 3)
    waiting = [p for p in pods(platform, "web") if gates(p)]
    expect(len(waiting) == 1 and len(pods(platform, "web")) == 3, "the third waits at its gate")
    held = wait_for("its reason", lambda: [w for w in workloads(platform) if condition(
        w, "QuotaReserved")["status"] == "False"])
    expect(len(held) == 1, held)
    said = condition(held[0], "QuotaReserved")["message"]
    expect("insufficient unused quota" in said, said)
    status = platform.get("deployment", "web")["status"]
    expect(status["replicas"] == 3 and status["readyReplicas"] == 2, status)


def more_quota_lets_the_third_run(platform):
    quota(platform, 3)
    wait_running(platform, "web", 3, most=3)
    platform.kubectl("rollout", "status", "deployment/web", "--timeout=30s")


def a_pod_that_is_lost_is_queued_anew(platform):
    name = pods(platform, "web")[0]["metadata"]["name"]
    platform.kubectl("delete", "pod", name, "--wait=false")
    wait_for("the pod to go", lambda: name not in [
        p["metadata"]["name"] for p in pods(platform, "web")])
    wait_running(platform, "web", 3, most=3)
    wait_for("its Workload alone", lambda: len(workloads(platform)) == 3)


def its_queue_stays_while_it_runs(platform):
    said = platform.kubectl("label", "deployment", "web", "kueue.x-k8s.io/queue-name=other",
                            "--overwrite", check=False)
    expect("field is immutable" in said, said)


def a_rollout_stays_within_the_quota(platform):
    platform.kubectl("set", "env", "deployment/web", "A=b")
    wait_for("the rollout", lambda: at_most(platform, "web", 3) and "successfully" in
             platform.kubectl("rollout", "status", "deployment/web", "--watch=false"))
    wait_for("three Workloads", lambda: len(workloads(platform)) == 3)


def scaling_down_frees_quota(platform):
    platform.kubectl("scale", "deployment/web", "--replicas=1")
    wait_for("one Workload", lambda: len(workloads(platform)) == 1)
    wait_for("the usage", lambda: used(platform) == ["1"])


def it_survives_the_platform(platform):
    platform.kubectl("scale", "deployment/web", "--replicas=4")
    platform.kill()
    platform.up()
    wait_running(platform, "web", 3, most=3)
    wait_for("four Workloads", lambda: len(workloads(platform)) == 4)
    expect(len([w for w in workloads(platform) if holds(w, "Admitted")]) == 3, "three have quota")


def it_goes_with_its_workloads(platform):
    platform.kubectl("delete", "deployment", "web")
    wait_for("nothing", lambda: not pods(platform, "web") and not workloads(platform))


def a_stateful_set_waits_whole(platform):
    quota(platform, 2)
    platform.apply(STATEFUL_SET)
    wait_for("its Workload", lambda: len(workloads(platform)) == 1)
    wait_for("its reason", lambda: "insufficient quota" in condition(
        the_workload(platform), "QuotaReserved")["message"])
    wait_for("its first pod", lambda: len(pods(platform, "db")) == 1)
    expect(gates(pods(platform, "db")[0]), "it waits at its gate")
    expect(not at_most(platform, "db", 0), "none runs where there is room for two of three")
    workload = the_workload(platform)
    expect([s["count"] for s in workload["spec"]["podSets"]] == [3], workload["spec"])
    owner = workload["metadata"]["ownerReferences"][0]
    expect(owner["kind"] == "StatefulSet" and owner["name"] == "db", owner)


def it_runs_whole(platform):
    quota(platform, 3)
    wait_running(platform, "db", 3, most=3)
    platform.kubectl("rollout", "status", "sts/db", "--timeout=30s")
    expect(holds(the_workload(platform), "Admitted"), "all three have quota")
    wait_for("its readiness", lambda: holds(the_workload(platform), "PodsReady"))


def a_member_comes_back_in_its_place(platform):
    uid = platform.get("pod", "db-1")["metadata"]["uid"]
    platform.kubectl("delete", "pod", "db-1", "--wait=false")
    wait_for("db-1 again", lambda: (platform.get("pod", "db-1") or {"metadata": {"uid": uid}})[
        "metadata"]["uid"] != uid)
    wait_running(platform, "db", 3, most=3)
    owners = wait_for("its owners", lambda: {
        o["name"] for o in the_workload(platform)["metadata"]["ownerReferences"]})
    expect("db" in owners, owners)


def its_rollout_stays_in_its_workload(platform):
    before = the_workload(platform)["metadata"]["uid"]
    platform.kubectl("set", "env", "sts/db", "A=b")
    wait_for("the rollout", lambda: at_most(platform, "db", 3) and "complete" in
             platform.kubectl("rollout", "status", "sts/db", "--watch=false"))
    expect(the_workload(platform)["metadata"]["uid"] == before, "it is the same Workload")


def it_does_not_outgrow_its_workload(platform):
    for words in [("scale", "sts/db", "--replicas=4"),
                  ("set", "resources", "sts/db", "--requests=cpu=2")]:
        said = platform.kubectl(*words, check=False)
        expect("field is immutable" in said, said)


def the_set_survives_the_platform(platform):
    platform.kill()
    platform.up()
    wait_running(platform, "db", 3, most=3)
    expect(holds(the_workload(platform), "Admitted"), "it holds its quota")


def scaled_to_zero_it_is_on_hold(platform):
    platform.kubectl("scale", "sts/db", "--replicas=0")
    said = wait_for("the hold", lambda: condition(the_workload(platform), "QuotaReserved")[
        "reason"] == "OnHold" and condition(the_workload(platform), "QuotaReserved"))
    expect(said["message"] == "StatefulSet scaled to zero; workload on hold", said)
    expect(not pods(platform, "db"), "its quota was held as long as a pod ran")
    wait_for("no usage", lambda: used(platform) == ["0"])


def scaled_up_it_waits_and_runs_again(platform):
    quota(platform, 1)
    wait_for("the scale", lambda: "scaled" in platform.kubectl(
        "scale", "sts/db", "--replicas=2", check=False))
    wait_for("the size", lambda: the_workload(platform)["spec"]["podSets"][0]["count"] == 2)
    wait_for("its reason", lambda: "insufficient" in condition(
        the_workload(platform), "QuotaReserved")["message"])
    expect(not at_most(platform, "db", 0), "it waits as a whole")
    quota(platform, 3)
    wait_running(platform, "db", 2, most=2)


def a_more_important_one_takes_its_place(platform):
    platform.apply("""
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: batch/v1
kind: Job
metadata:
  name: first
  labels: {kueue.x-k8s.io/queue-name: main, kueue.x-k8s.io/priority-class: high}
spec:
  parallelism: 3
  completions: 3
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - {name: m, image: busybox, command: [sleep, "1000"], resources: {requests: {cpu: 1}}}
""")
    wait_for("the job", lambda: (platform.get("job", "first")["status"].get("ready") or 0) == 3)
    wait_for("the set at its gate", lambda: [
        bool(gates(p)) for p in pods(platform, "db")] == [True])
    expect(not at_most(platform, "db", 0), "it gave its quota back")
    platform.kubectl("delete", "job", "first")
    wait_running(platform, "db", 2, most=2)


def a_workload_that_is_deleted_comes_again(platform):
    before = the_workload(platform)["metadata"]
    platform.kubectl("delete", "workload", before["name"], "--wait=false")
    wait_for("another", lambda: [w["metadata"]["uid"] != before["uid"]
                                 for w in workloads(platform)] == [True])
    wait_running(platform, "db", 2, most=2)


def deleted_it_leaves_nothing_behind(platform):
    platform.kubectl("delete", "sts/db")
    wait_for("nothing", lambda: not pods(platform, "db") and not workloads(platform))
    wait_for("no usage", lambda: used(platform) == ["0"])
    platform.apply(STATEFUL_SET)
    wait_running(platform, "db", 3, most=3)
    platform.kubectl("scale", "sts/db", "--replicas=0")
    wait_for("the hold", lambda: condition(the_workload(platform), "QuotaReserved")[
        "reason"] == "OnHold")
    platform.kubectl("delete", "sts/db", "--cascade=foreground")
    wait_for("nothing again", lambda: not workloads(platform))


def what_is_left_out_says_so(platform):
    platform.kubectl("create", "namespace", "kueue-system", check=False)
    platform.apply("""
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    integrations: {frameworks: [batch/job]}
""")
    said = platform.apply(DEPLOYMENT)
    words = "The queue name main is ignored: deployment is not among integrations.frameworks"
    expect(words in said, said)
    wait_for("the event", lambda: words in platform.kubectl("events", "--for", "deployment/web"))
    words = words.replace("deployment", "statefulset")
    said = platform.apply(STATEFUL_SET)
    expect(words in said, said)
    wait_for("the event", lambda: words in platform.kubectl("events", "--for", "statefulset/db"))
    platform.kubectl("delete", "deployment/web", "statefulset/db")
    platform.kubectl("delete", "configmap", "-n", "kueue-system", "kueue-manager-config")


STEPS = [
    a_deployment_runs_as_far_as_there_is_quota,
    more_quota_lets_the_third_run,
    a_pod_that_is_lost_is_queued_anew,
    its_queue_stays_while_it_runs,
    a_rollout_stays_within_the_quota,
    scaling_down_frees_quota,
    it_survives_the_platform,
    it_goes_with_its_workloads,
    a_stateful_set_waits_whole,
    it_runs_whole,
    a_member_comes_back_in_its_place,
    its_rollout_stays_in_its_workload,
    it_does_not_outgrow_its_workload,
    the_set_survives_the_platform,
    scaled_to_zero_it_is_on_hold,
    scaled_up_it_waits_and_runs_again,
    a_more_important_one_takes_its_place,
    a_workload_that_is_deleted_comes_again,
    deleted_it_leaves_nothing_behind,
    what_is_left_out_says_so,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=4Gi"]), STEPS))
