# Deployments and StatefulSets that name a queue: what has quota runs, the rest waits with its
# reason, and never do more run than there is quota for.
# SPDX-License-Identifier: Apache-2.0
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


def quota(platform, cpus):
    platform.kubectl("patch", "clusterqueue", "cq", "--type=json", "-p", '[{"op": "replace", "path": '
                     '"/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota", "value": '
                     f'"{cpus}"}}]')


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
    used = wait_for("the usage", lambda: [
        r["total"] for f in platform.get("clusterqueue", "cq")["status"]["flavorsUsage"]
        for r in f["resources"]] == ["1"])
    expect(used, "one is used")


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
    platform.kubectl("delete", "deployment/web")
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
    what_is_left_out_says_so,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=4Gi"]), STEPS))
