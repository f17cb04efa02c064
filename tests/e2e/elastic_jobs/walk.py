# A job that grows and shrinks while it runs, with a real kubectl: more pods where quota is free,
# pods that wait behind their gate with a reason while the others run on, fewer pods, an end.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import (Platform, condition, expect, holds,  # noqa: E402
                                 run_steps, wait_for)

NODES = ["name=n1,cpu=4,memory=4Gi", "name=n2,cpu=8,memory=4Gi"]
ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"
SLICE = "kueue.x-k8s.io/workload-slice-name"

QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 5}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: default}
spec: {clusterQueue: cq}
"""


def job(name, count, elastic=True, queue=True, extra=""):
    notes = f'{ELASTIC}: "true"' if elastic else ""
    labels = "kueue.x-k8s.io/queue-name: main" if queue else ""
    return f"""
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  labels: {{{labels}}}
  annotations: {{{notes}{extra}}}
spec:
  parallelism: {count}
  completions: {count}
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: busybox
        command: [sh, -c, "sleep 600"]
        resources: {{requests: {{cpu: 1}}}}
"""


def scale(platform, name, count):
    patch = json.dumps({"spec": {"parallelism": count, "completions": count}})
    platform.kubectl("patch", "job", name, "--type=merge", "-p", patch)


def pods(platform, name, phase=None):
    found = platform.items("pods", "-l", f"job-name={name}")
    found = [each for each in found if not each["metadata"].get("deletionTimestamp")]
    return [each for each in found if phase is None or each["status"]["phase"] == phase]


def gated(platform, name):
    return [each for each in pods(platform, name)
            if any(gate["name"] == ELASTIC for gate in each["spec"].get("schedulingGates", []))]


def slices(platform, finished=False):
    found = platform.items("workloads")
    found = [each for each in found if holds(each, "Finished") == finished]
    return sorted(found, key=lambda each: REPLACES in each["metadata"].get("annotations", {}))


def wait_running(platform, name, count):
    wait_for(f"{count} pods of {name} to run",
             lambda: len(pods(platform, name, "Running")) == count)


def usage(platform):
    status = platform.get("clusterqueue", "cq")["status"]
    return status["flavorsReservation"][0]["resources"][0]["total"]


def uids(platform, name):
    return {each["metadata"]["uid"] for each in pods(platform, name, "Running")}


def an_elastic_job_starts_with_a_slice(platform):
    platform.apply(QUEUES)
    platform.apply(job("grow", 2))
    gates = platform.get("job", "grow")["spec"]["template"]["spec"]["schedulingGates"]
    expect(gates == [{"name": ELASTIC}], f"gates of the template: {gates}")
    wait_running(platform, "grow", 2)
    (only,) = slices(platform)
    notes = only["metadata"]["annotations"]
    expect(notes[ELASTIC] == "true" and notes[SLICE] == only["metadata"]["name"], f"notes: {notes}")


def it_grows_where_quota_is_free(platform):
    before = uids(platform, "grow")
    (old,) = slices(platform)
    scale(platform, "grow", 4)
    wait_running(platform, "grow", 4)
    expect(before <= uids(platform, "grow"), "the pods of before were not left alone")
    wait_for("the first slice to end", lambda: len(slices(platform)) == 1)
    (new,) = slices(platform)
    expect(new["metadata"]["annotations"][REPLACES] == f"default/{old['metadata']['name']}",
           "the new slice names the old")
    (done,) = slices(platform, finished=True)
    end = condition(done, "Finished")
    uid = platform.get("job", "grow")["metadata"]["uid"]
    expect(end["reason"] == "WorkloadSliceReplaced" and end["message"] ==
           f"Replaced to accommodate a workload (UID: {new['metadata']['uid']}, JobUID: {uid}) "
           "due to workload slice aggregation", f"Finished: {end}")
    wait_for("4 cpu to be reserved", lambda: usage(platform) == "4")


def it_waits_with_a_reason_while_the_others_run_on(platform):
    before = uids(platform, "grow")
    scale(platform, "grow", 8)
    wait_for("four pods behind their gate", lambda: len(gated(platform, "grow")) == 4)
    waiting = wait_for("a slice that waits", lambda: [
        each for each in slices(platform) if "insufficient unused quota for cpu in flavor default"
        in condition(each, "QuotaReserved")["message"]])
    expect(condition(waiting[0], "QuotaReserved")["status"] == "False", "no reason to wait")
    expect(uids(platform, "grow") == before, "the others did not run on")
    expect(usage(platform) == "4", "quota is held twice")
    # More of it, and it is admitted with the difference.
    platform.kubectl("patch", "clusterqueue", "cq", "--type=json", "-p", json.dumps([{
        "op": "replace", "path": "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota",
        "value": "8"}]))
    wait_running(platform, "grow", 8)
    expect(before <= uids(platform, "grow"), "the pods of before were not left alone")
    wait_for("8 cpu to be reserved", lambda: usage(platform) == "8")


def it_shrinks_in_place(platform):
    wait_for("one slice", lambda: len(slices(platform)) == 1)
    (before,) = slices(platform)
    scale(platform, "grow", 3)
    wait_running(platform, "grow", 3)
    wait_for("3 cpu to be reserved", lambda: usage(platform) == "3")
    (after,) = slices(platform)
    expect(after["metadata"]["uid"] == before["metadata"]["uid"], "a smaller job needs no new slice")
    expect(after["spec"]["podSets"][0]["count"] == 3, "the slice has its count")
    # What it left on the nodes is there for others.
    platform.apply(job("other", 5, elastic=False))
    wait_running(platform, "other", 5)
    platform.kubectl("delete", "job", "other")


def what_does_not_go_together_is_refused(platform):
    said = platform.kubectl("annotate", "job", "grow", ELASTIC + "-", check=False)
    expect(f"metadata.annotations[{ELASTIC}]: Invalid value: false: field is immutable" in said,
           said)
    said = platform.kubectl("create", "-f", "-", check=False, stdin=job(
        "part", 4, extra=', kueue.x-k8s.io/job-min-parallelism: "2"'))
    expect('metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: Invalid value: "2": partial '
           "admission and elastic job cannot be used together" in said, said)


def a_job_that_is_deleted_leaves_no_slice(platform):
    platform.kubectl("delete", "job", "grow")
    wait_for("its slices to go", lambda: not platform.items("workloads"))
    wait_for("its pods to go", lambda: not platform.items("pods"))


def an_indexed_job_of_no_queue_grows_and_shrinks(platform):
    platform.apply(job("free", 1, elastic=False, queue=False))
    wait_running(platform, "free", 1)
    scale(platform, "free", 3)
    wait_running(platform, "free", 3)
    scale(platform, "free", 2)
    wait_running(platform, "free", 2)
    platform.kubectl("delete", "job", "free")


def a_queued_job_that_is_not_elastic_starts_anew(platform):
    platform.apply(job("anew", 2, elastic=False))
    wait_running(platform, "anew", 2)
    before = uids(platform, "anew")
    scale(platform, "anew", 3)
    wait_for("all three to be new", lambda: len(uids(platform, "anew")) == 3 and
             not before & uids(platform, "anew"))
    platform.kubectl("delete", "job", "anew")


def main():
    platform = Platform(NODES)
    platform.up(first=True)
    return run_steps(platform, [
        an_elastic_job_starts_with_a_slice,
        it_grows_where_quota_is_free,
        it_waits_with_a_reason_while_the_others_run_on,
        it_shrinks_in_place,
        what_does_not_go_together_is_refused,
        a_job_that_is_deleted_leaves_no_slice,
        an_indexed_job_of_no_queue_grows_and_shrinks,
        a_queued_job_that_is_not_elastic_starts_anew,
    ])


if __name__ == "__main__":
    sys.exit(main())
