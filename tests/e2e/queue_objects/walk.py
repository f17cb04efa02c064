# Kueue's objects with a real kubectl: a queue is made inactive in each way and comes back; numbers
# and usage follow a running job; finalizers hold what is used; metrics and positions are told.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import (MUSTER, Platform, condition, expect, free_port,  # noqa: E402
                                 run_steps, wait_for)

NODES = ["name=n1,cpu=8,memory=8Gi"]
VISIBILITY = "/apis/visibility.kueue.x-k8s.io"

QUEUES = """
apiVersion: v1
kind: Namespace
metadata: {name: team-a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  cohortName: all
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {name: cpu, nominalQuota: 4}
      - {name: memory, nominalQuota: 4Gi}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: team-a}
spec: {clusterQueue: cq}
"""


def queue(platform):
    return platform.get("clusterqueue", "cq")


def local(platform):
    return platform.get("localqueue", "lq", "-n", "team-a")


def active(thing):
    found = condition(thing, "Active")
    return f"{found['status']} {found['reason']}: {found['message']}"


def wait_active(platform, wanted, what=queue):
    last = [""]

    def is_so():
        last[0] = active(what(platform))
        return last[0] == wanted

    try:
        wait_for(f"Active to be {wanted!r}", is_so, 10)
    except Exception:
        expect(False, f"wanted {wanted!r}, there is {last[0]!r}")


READY = "True Ready: Can admit new workloads"
LOCAL_READY = "True Ready: Can submit new workloads to localQueue"
LOCAL_INACTIVE = ("False ClusterQueueIsInactive: "
                  "Can't submit new workloads to clusterQueue")


def patch(platform, kind, name, text, *more):
    platform.kubectl("patch", kind, name, "--type=json", "-p", text, *more)


def job(name, cpu=1, pods=2, priority="", suspend="true", run="sleep 600"):
    label = f", kueue.x-k8s.io/priority-class: {priority}" if priority else ""
    return f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  namespace: team-a
  labels: {{kueue.x-k8s.io/queue-name: lq{label}}}
spec:
  suspend: {suspend}
  completions: {pods}
  parallelism: {pods}
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      containers:
      - name: c
        image: busybox
        command: [sh, -c, "{run}"]
        resources: {{requests: {{cpu: {cpu}, memory: 256Mi}}}}
"""


def a_new_queue_is_ready(platform):
    platform.apply(QUEUES)
    wait_active(platform, READY)
    wait_active(platform, LOCAL_READY, local)
    expect(queue(platform)["metadata"]["finalizers"] == ["kueue.x-k8s.io/resource-in-use"],
           "no finalizer")


def a_queue_without_its_flavor_says_so(platform):
    patch(platform, "clusterqueue", "cq",
          '[{"op":"replace","path":"/spec/resourceGroups/0/flavors/0/name","value":"gone"}]')
    wait_active(platform, "False FlavorNotFound: Can't admit new workloads: references missing "
                          "ResourceFlavor(s): gone.")
    wait_active(platform, LOCAL_INACTIVE, local)
    patch(platform, "clusterqueue", "cq",
          '[{"op":"replace","path":"/spec/resourceGroups/0/flavors/0/name","value":"default"}]')
    wait_active(platform, READY)
    wait_active(platform, LOCAL_READY, local)


def a_queue_with_checks_waits_for_them(platform):
    patch(platform, "clusterqueue", "cq", '[{"op":"add","path":"/spec/admissionChecksStrategy",'
          '"value":{"admissionChecks":[{"name":"b"},{"name":"a"}]}}]')
    wait_active(platform, "False AdmissionCheckNotFound: Can't admit new workloads: references "
                          "missing AdmissionCheck(s): a,b.")
    for name in "ab":
        platform.apply(f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {{name: {name}}}
spec: {{controllerName: example.com/check}}
""")
    wait_active(platform, "False AdmissionCheckInactive: Can't admit new workloads: references "
                          "inactive AdmissionCheck(s): a,b.")
    for name in "ab":
        platform.kubectl(
            "patch", "admissioncheck", name, "--subresource=status", "--type=merge", "-p",
            '{"status":{"conditions":[{"type":"Active","status":"True","reason":"Active",'
            '"message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}')
    wait_active(platform, READY)
    platform.kubectl("delete", "admissioncheck", "a", "--wait=false")
    expect(platform.get("admissioncheck", "a"), "a check that is in use has gone")
    patch(platform, "clusterqueue", "cq",
          '[{"op":"remove","path":"/spec/admissionChecksStrategy"}]')
    wait_for("the check to go", lambda: not platform.get("admissioncheck", "a"))
    platform.kubectl("delete", "admissioncheck", "b")
    wait_active(platform, READY)


def multi_kueue_has_rules_of_its_own(platform):
    for name, controller in (("m1", "multikueue"), ("m2", "multikueue"),
                             ("p", "provisioning-request")):
        platform.apply(f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {{name: {name}}}
spec: {{controllerName: kueue.x-k8s.io/{controller}}}
""")
    patch(platform, "clusterqueue", "cq", '[{"op":"add","path":"/spec/admissionChecksStrategy",'
          '"value":{"admissionChecks":[{"name":"m1"},{"name":"m2"},{"name":"p"}]}}]')

    def says():
        text = condition(queue(platform), "Active")["message"]
        return ("Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, "
                "found: m1,m2" in text and
                "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
                "found: m1,m2, p" in text)

    wait_for("both sentences", says, 10)
    patch(platform, "clusterqueue", "cq",
          '[{"op":"remove","path":"/spec/admissionChecksStrategy"}]')
    platform.kubectl("delete", "admissioncheck", "m1", "m2", "p")
    wait_active(platform, READY)


def a_topology_that_is_missing_stops_a_queue(platform):
    platform.apply("""
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: racks}
spec: {nodeLabels: {kubernetes.io/os: linux}, topologyName: by-host}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: placed}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: racks, resources: [{name: cpu, nominalQuota: 1}]}]
""")

    def placed(cluster):
        return cluster.get("clusterqueue", "placed")

    wait_active(platform, 'False TopologyNotFound: Can\'t admit new workloads: there is no '
                          'Topology "by-host" for TAS flavor "racks".', placed)
    platform.apply("""
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: by-host}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
""")
    wait_active(platform, READY, placed)
    platform.kubectl("delete", "topology", "by-host", "--wait=false")
    platform.kubectl("delete", "resourceflavor", "racks", "--wait=false")
    expect(platform.get("topology", "by-host"), "a topology that is in use has gone")
    expect(platform.get("resourceflavor", "racks"), "a flavor that is in use has gone")
    platform.kubectl("delete", "clusterqueue", "placed")
    wait_for("the flavor to go", lambda: not platform.get("resourceflavor", "racks"))
    wait_for("the topology to go", lambda: not platform.get("topology", "by-host"))


def a_stopped_queue_says_so(platform):
    for policy in ("Hold", "HoldAndDrain"):
        patch(platform, "clusterqueue", "cq",
              f'[{{"op":"replace","path":"/spec/stopPolicy","value":"{policy}"}}]')
        wait_active(platform, "False Stopped: Can't admit new workloads: is stopped.")
        wait_active(platform, LOCAL_INACTIVE, local)
    patch(platform, "clusterqueue", "cq",
          '[{"op":"replace","path":"/spec/stopPolicy","value":"None"}]')
    wait_active(platform, READY)
    patch(platform, "localqueue", "lq",
          '[{"op":"replace","path":"/spec/stopPolicy","value":"Hold"}]', "-n", "team-a")
    wait_active(platform, "False Stopped: LocalQueue is stopped", local)
    patch(platform, "localqueue", "lq",
          '[{"op":"replace","path":"/spec/stopPolicy","value":"None"}]', "-n", "team-a")
    wait_active(platform, LOCAL_READY, local)


def numbers_follow_a_running_job(platform):
    platform.apply("""
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 100
""")
    platform.apply(job("runs"))
    wait_for("it to be admitted",
             lambda: queue(platform)["status"].get("admittedWorkloads") == 1, 20)
    for name in ("later-1", "later-2"):
        platform.apply(job(name, cpu=2))
        time.sleep(1.1)  # who came in the same second is not told apart by age
    platform.apply(job("urgent", cpu=2, priority="high"))

    def counted():
        status = queue(platform)["status"]
        return (status["pendingWorkloads"], status["reservingWorkloads"],
                status["admittedWorkloads"]) == (3, 1, 1)

    wait_for("three to wait and one to run", counted, 10)
    usage = [{"name": "default", "resources": [
        {"name": "cpu", "total": "2", "borrowed": "0"},
        {"name": "memory", "total": "512Mi", "borrowed": "0"}]}]
    status = queue(platform)["status"]
    expect(status["flavorsUsage"] == usage, f"usage is {status['flavorsUsage']}")
    expect(status["flavorsReservation"] == usage, "the reservation is another")
    wait_for("the LocalQueue to count too",
             lambda: local(platform)["status"]["pendingWorkloads"] == 3, 5)
    old = platform.get("localqueue.v1beta1.kueue.x-k8s.io", "lq", "-n", "team-a")["status"]
    expect("flavorUsage" in old and "flavorsReservation" in old, f"v1beta1 has {sorted(old)}")


def columns_show_live_values(platform):
    rows = platform.kubectl("get", "clusterqueues", "-o", "wide").splitlines()
    expect(re.split(r"  +", rows[0]) == ["NAME", "COHORT", "STRATEGY", "PENDING WORKLOADS",
                                         "ADMITTED WORKLOADS"], rows[0])
    expect(re.split(r"  +", rows[1])[:5] == ["cq", "all", "BestEffortFIFO", "3", "1"], rows[1])
    rows = platform.kubectl("get", "localqueues", "-n", "team-a").splitlines()
    expect(re.split(r"  +", rows[1])[:4] == ["lq", "cq", "3", "1"], rows[1])
    rows = platform.kubectl("get", "workloads", "-n", "team-a").splitlines()
    expect(re.split(r"  +", rows[0]) == ["NAME", "QUEUE", "RESERVED IN", "ADMITTED", "FINISHED",
                                         "AGE"], rows[0])


def pending(platform, path):
    return json.loads(platform.kubectl("get", "--raw", VISIBILITY + path))


def those_who_wait_have_positions(platform):
    for version in ("v1beta1", "v1beta2"):
        found = pending(platform, f"/{version}/clusterqueues/cq/pendingworkloads")
        expect(found["kind"] == "PendingWorkloadsSummary", found["kind"])
        expect(found["apiVersion"] == f"visibility.kueue.x-k8s.io/{version}", found["apiVersion"])
        names = [each["metadata"]["ownerReferences"][0]["name"] for each in found["items"]]
        expect(names == ["urgent", "later-1", "later-2"], f"they wait as {names}")
        places = [(each["positionInClusterQueue"], each["positionInLocalQueue"], each["priority"],
                   each["localQueueName"]) for each in found["items"]]
        expect(places == [(0, 0, 100, "lq"), (1, 1, 0, "lq"), (2, 2, 0, "lq")], f"{places}")
    found = pending(platform, "/v1beta2/namespaces/team-a/localqueues/lq/pendingworkloads"
                              "?limit=1&offset=1")
    places = [(each["positionInClusterQueue"], each["positionInLocalQueue"])
              for each in found["items"]]
    expect(places == [(1, 1)], f"{places}")
    text = platform.kubectl("get", "--raw",
                            f"{VISIBILITY}/v1beta2/clusterqueues/none/pendingworkloads",
                            check=False)
    expect('clusterqueue.visibility.kueue.x-k8s.io "none" not found' in text, text)
    listed = pending(platform, "/v1beta2")["resources"]
    expect([each["name"] for each in listed] ==
           ["clusterqueues", "clusterqueues/pendingworkloads", "localqueues",
            "localqueues/pendingworkloads"], f"{listed}")
    can = platform.kubectl("auth", "can-i", "get", "localqueues/pendingworkloads."
                           "visibility.kueue.x-k8s.io", "--as=ann", "-n", "team-a", check=False)
    expect(can.strip().endswith("no"), can)
    platform.kubectl("create", "rolebinding", "ann", "--clusterrole=kueue-batch-user-role",
                     "--user=ann", "-n", "team-a")
    text = platform.kubectl("get", "--raw", f"{VISIBILITY}/v1beta2/namespaces/team-a/localqueues/"
                            "lq/pendingworkloads", "--as=ann")
    expect(len(json.loads(text)["items"]) == 3, text)


def metrics_tell_the_same(platform):
    text = platform.kubectl("get", "--raw", "/metrics")
    for line in (
            'kueue_pending_workloads{cluster_queue="cq",replica_role="standalone",'
            'status="inadmissible"} 3',
            'kueue_reserving_active_workloads{cluster_queue="cq",replica_role="standalone"} 1',
            'kueue_admitted_active_workloads{cluster_queue="cq",replica_role="standalone"} 1',
            'kueue_admitted_workloads_total{cluster_queue="cq",priority_class="",'
            'replica_role="standalone"} 1',
            'kueue_quota_reserved_workloads_total{cluster_queue="cq",priority_class="",'
            'replica_role="standalone"} 1',
            'kueue_cluster_queue_status{cluster_queue="cq",replica_role="standalone",'
            'status="active"} 1',
            'kueue_cluster_queue_resource_usage{cluster_queue="cq",cohort="all",'
            'flavor="default",replica_role="standalone",resource="cpu"} 2',
            'kueue_cluster_queue_nominal_quota{cluster_queue="cq",cohort="all",'
            'flavor="default",replica_role="standalone",resource="memory"} 4294967296',
            'kueue_cluster_queue_info{cluster_queue="cq",parent_cohort="all",'
            'replica_role="standalone",root_cohort="all"} 1',
            'kueue_local_queue_pending_workloads{name="lq",namespace="team-a",'
            'replica_role="standalone",status="inadmissible"} 3'):
        expect(line in text, f"{line} is missing:\n" +
               "\n".join(each for each in text.splitlines() if each.startswith(line.split("{")[0])))
    expect("# TYPE kueue_admission_wait_time_seconds histogram" in text, "no wait times")
    expect('kueue_admission_attempts_total{replica_role="standalone",result="success"}' in text,
           "no attempts")


def a_quota_of_zero_and_back(platform):
    zero = ('[{"op":"replace","path":"/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota",'
            '"value":"%s"}]')
    patch(platform, "clusterqueue", "cq", zero % 0)
    wait_for("the running job to count as borrowing", lambda: queue(platform)["status"][
        "flavorsUsage"][0]["resources"][0].get("borrowed") == "2", 10)
    patch(platform, "clusterqueue", "cq", zero % 6)
    wait_for("the urgent job to be admitted",
             lambda: queue(platform)["status"]["admittedWorkloads"] == 2, 20)


def a_queue_in_use_waits_with_its_deletion(platform):
    platform.kubectl("delete", "clusterqueue", "cq", "--wait=false")
    wait_active(platform, "False Terminating: Can't admit new workloads; clusterQueue is "
                          "terminating")
    platform.kubectl("delete", "jobs", "--all", "-n", "team-a")
    wait_for("the queue to go", lambda: not queue(platform))
    wait_active(platform, "False ClusterQueueDoesNotExist: Can't submit new workloads to "
                          "clusterQueue", local)

    def series_are_gone():
        return 'cluster_queue="cq"' not in platform.kubectl("get", "--raw", "/metrics")

    wait_for("its series to go", series_are_gone, 10)


def roles_of_kueue_exist(platform):
    role = platform.get("clusterrole", "kueue-batch-admin-role")
    covered = {resource for rule in role["rules"] for resource in rule["resources"]}
    expect({"clusterqueues", "cohorts", "topologies", "workloads", "jobs",
            "localqueues/pendingworkloads"} <= covered, f"it covers {sorted(covered)}")
    viewer = platform.get("clusterrole", "kueue-workload-viewer-role")
    expect(viewer["metadata"]["labels"]["rbac.kueue.x-k8s.io/batch-user"] == "true", "no label")


def page(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.read().decode()
    except OSError as error:
        return str(error)


def a_controller_elsewhere_shows_its_numbers(platform):
    """Here it stands beside the platform's own, which decides the same; on a cluster, alone."""
    platform.apply(QUEUES)
    wait_active(platform, "True Ready: Can admit new workloads")
    port = free_port()
    with subprocess.Popen([MUSTER, "controller", "--kubeconfig", platform.kubeconfig,
                           "--metrics-bind-address", f"127.0.0.1:{port}"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as controller:
        try:
            wait_for("readyz", lambda: page(port, "/readyz") == "ok")
            expect(page(port, "/healthz") == "ok", "healthz")
            wait_for("the queue among its numbers", lambda: (
                'kueue_cluster_queue_status{cluster_queue="cq",replica_role="standalone",'
                'status="active"} 1') in page(port, "/metrics"))
            expect("404" in page(port, "/secrets"), "what is not there is not found")
        finally:
            controller.terminate()
    expect(controller.returncode == 0, f"it ended with {controller.returncode}")


STEPS = [
    a_new_queue_is_ready,
    a_queue_without_its_flavor_says_so,
    a_queue_with_checks_waits_for_them,
    multi_kueue_has_rules_of_its_own,
    a_topology_that_is_missing_stops_a_queue,
    a_stopped_queue_says_so,
    numbers_follow_a_running_job,
    columns_show_live_values,
    those_who_wait_have_positions,
    metrics_tell_the_same,
    a_quota_of_zero_and_back,
    a_queue_in_use_waits_with_its_deletion,
    roles_of_kueue_exist,
    a_controller_elsewhere_shows_its_numbers,
]


def main():
    platform = Platform(NODES)
    platform.up(first=True)
    return run_steps(platform, STEPS)


if __name__ == "__main__":
    sys.exit(main())
