# The life of Workloads as kubectl sees it: every step makes its own job and leaves nothing behind.
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
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: default}
spec: {clusterQueue: cq}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: low}
value: 10
---
apiVersion: v1
kind: Namespace
metadata: {name: kueue-system}
"""
NOMINAL = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"


def job(platform, name, seconds=600, cpu=1, labels=None, queue="main", broken=False, pods=1,
        annotations=None):
    pod_annotations = {"muster.dev/pretend-run-seconds": str(seconds)}
    if broken:
        pod_annotations["muster.dev/pretend-image-error"] = "ErrImagePull"
    named = dict(labels or {})
    if queue:
        named["kueue.x-k8s.io/queue-name"] = queue
    platform.apply(json.dumps({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, "namespace": "default", "labels": named,
                     "annotations": annotations or {}},
        "spec": {"parallelism": pods, "completions": pods, "template": {
            "metadata": {"annotations": pod_annotations},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                     "containers": [{"name": "main", "image": "trainer",
                                     "resources": {"requests": {"cpu": cpu}}}]}}}}))


def workload(platform, name):
    for each in platform.items("workloads", "-n", "default"):
        if each["metadata"]["ownerReferences"][0]["name"] == name:
            return each
    return None


def admitted(platform, name):
    return wait_for(f"{name} to be admitted",
                    lambda: (lambda w: w if holds(w, "Admitted") else None)(workload(platform, name)))


def stated(platform, name, kind, status, reason):
    def question():
        found = workload(platform, name)
        told = condition(found, kind)
        return found if (told["status"], told["reason"]) == (status, reason) else None
    return wait_for(f"{name}: {kind}={status} {reason}", question)


def patch_workload(platform, name, patch):
    platform.kubectl("patch", "workload", workload(platform, name)["metadata"]["name"],
                     "--type=merge", "-p", json.dumps(patch))


def quota(platform, amount):
    platform.kubectl("patch", "clusterqueue", "cq", "--type=json", "-p", json.dumps(
        [{"op": "replace", "path": NOMINAL, "value": amount}]))


def configure(platform, text):
    document = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n" + text
    platform.apply(json.dumps({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {"controller_manager_config.yaml": document}}))


def events_of(platform, kind, name, space="default"):
    return [(each["reason"], each["message"])
            for each in platform.items("events", "-n", space)
            if each["involvedObject"]["kind"] == kind and each["involvedObject"]["name"] == name]


def remove(platform, *names):
    platform.kubectl("delete", "job", *names)
    wait_for("no workload to be left", lambda: not platform.items("workloads", "-n", "default"))


def the_platform_comes_up_with_a_queue(platform):
    platform.up(first=True)
    platform.apply(QUEUES)


def quota_that_is_taken_away_and_given_back(platform):
    quota(platform, "0")
    job(platform, "late")
    told = stated(platform, "late", "QuotaReserved", "False", "Pending")
    expect("maximum capacity (0)" in condition(told, "QuotaReserved")["message"],
           condition(told, "QuotaReserved")["message"])
    expect(told["status"]["resourceRequests"] == [{"name": "main", "resources": {"cpu": "1"}}],
           told["status"].get("resourceRequests"))
    expect(condition(told, "PodsReady")["reason"] == "WaitForStart", "pods are not waited for")
    quota(platform, "4")
    admitted(platform, "late")
    remove(platform, "late")


def a_user_deactivates_and_reactivates(platform):
    job(platform, "switched")
    admitted(platform, "switched")
    patch_workload(platform, "switched", {"spec": {"active": False}})
    gone = stated(platform, "switched", "Requeued", "False", "Deactivated")
    expect(condition(gone, "Evicted")["message"] == "The workload is deactivated", "Evicted")
    expect(condition(gone, "QuotaReserved")["reason"] == "Pending", "QuotaReserved")
    expect(gone["status"]["schedulingStats"]["evictions"] ==
           [{"reason": "Deactivated", "underlyingCause": "", "count": 1}], "schedulingStats")
    wait_for("no pod", lambda: not platform.items("pods", "-n", "default"))
    name = gone["metadata"]["name"]
    expect(("EvictedDueToDeactivated", "The workload is deactivated") in
           events_of(platform, "Workload", name), "no event")
    patch_workload(platform, "switched", {"spec": {"active": True}})
    stated(platform, "switched", "Requeued", "True", "Reactivated")
    admitted(platform, "switched")
    remove(platform, "switched")


def the_maximum_execution_time_ends_a_job(platform):
    job(platform, "long", labels={"kueue.x-k8s.io/max-exec-time-seconds": "2"})
    found = stated(platform, "long", "Evicted", "True",
                   "DeactivatedDueToMaximumExecutionTimeExceeded")
    expect(condition(found, "Evicted")["message"] ==
           "The workload is deactivated due to exceeding the maximum execution time", "message")
    expect(found["spec"]["active"] is False, "still active")
    told = wait_for("the warning", lambda: [each for each in events_of(
        platform, "Workload", found["metadata"]["name"])
        if each[0] == "MaximumExecutionTimeExceeded"])
    expect(told[0][1] == "The maximum execution time (2s) exceeded", told)
    remove(platform, "long")


def pods_that_are_not_ready_in_time_wait_longer_and_longer(platform):
    configure(platform, "waitForPodsReady: {timeout: 2s, requeuingStrategy: "
                        "{backoffBaseSeconds: 2, backoffLimitCount: 1}}")
    job(platform, "unready", broken=True)
    found = stated(platform, "unready", "Evicted", "True", "PodsReadyTimeout")
    expect(condition(found, "Evicted")["message"] ==
           f"Exceeded the PodsReady timeout default/{found['metadata']['name']}", "message")
    expect(found["status"]["requeueState"]["count"] == 1, "requeueState")
    expect(found["status"]["requeueState"]["requeueAt"], "requeueAt")
    stated(platform, "unready", "Requeued", "True", "BackoffFinished")
    found = stated(platform, "unready", "Evicted", "True",
                   "DeactivatedDueToRequeuingLimitExceeded")
    expect("requeueState" not in found["status"], "the count stays")
    remove(platform, "unready")


def a_bad_configuration_changes_nothing_and_says_why(platform):
    configure(platform, "waitForPodsReady: {timeout: -2s}")
    told = wait_for("the event", lambda: [each for each in events_of(
        platform, "ConfigMap", "kueue-manager-config", "kueue-system")
        if each[0] == "InvalidConfiguration"])
    expect("waitForPodsReady.timeout: must be greater than or equal to 0" in told[0][1], told)
    platform.kubectl("delete", "configmap", "-n", "kueue-system", "kueue-manager-config")


def jobs_without_a_queue_are_taken_when_configured(platform):
    job(platform, "free", queue=None)
    wait_for("it to run", lambda: platform.get("job", "free")["status"].get("active"))
    expect(workload(platform, "free") is None, "it has a Workload")
    platform.kubectl("delete", "job", "free")
    configure(platform, "manageJobsWithoutQueueName: true")
    wait_for("the configuration", lambda: ("Configured", "The configuration is in use") in events_of(
        platform, "ConfigMap", "kueue-manager-config", "kueue-system"))
    job(platform, "taken", queue=None)
    expect(platform.get("job", "taken")["spec"]["suspend"] is True, "it is not suspended")
    wait_for("its Workload", lambda: workload(platform, "taken"))
    platform.kubectl("delete", "configmap", "-n", "kueue-system", "kueue-manager-config")
    remove(platform, "taken")


def finished_workloads_are_removed_when_configured(platform):
    job(platform, "short", seconds=0)
    found = wait_for("its end", lambda: (lambda w: w if holds(w, "Finished") else None)(
        workload(platform, "short")))
    configure(platform, "objectRetentionPolicies: {workloads: {afterFinished: 1s}}")
    wait_for("its removal", lambda: workload(platform, "short") is None)
    told = events_of(platform, "Workload", found["metadata"]["name"])
    expect(("Deleted", "Deleted finished workload due to elapsed retention") in told, told)
    platform.kubectl("delete", "configmap", "-n", "kueue-system", "kueue-manager-config")
    remove(platform, "short")


def a_stopped_queue_drains_and_fills_again(platform):
    job(platform, "drained")
    admitted(platform, "drained")
    for kind, name, reason in (("clusterqueue", "cq", "ClusterQueue"),
                               ("localqueue", "main", "LocalQueue")):
        platform.kubectl("patch", kind, name, "--type=merge", "-p",
                         '{"spec": {"stopPolicy": "HoldAndDrain"}}')
        stated(platform, "drained", "Requeued", "False", f"{reason}Stopped")
        platform.kubectl("patch", kind, name, "--type=merge", "-p",
                         '{"spec": {"stopPolicy": "None"}}')
        stated(platform, "drained", "Requeued", "True", f"{reason}Restarted")
        admitted(platform, "drained")
    remove(platform, "drained")


def one_that_is_preempted_comes_back(platform):
    job(platform, "low", cpu=4, labels={"kueue.x-k8s.io/priority-class": "low"})
    admitted(platform, "low")
    job(platform, "high", cpu=4, seconds=2, labels={"kueue.x-k8s.io/priority-class": "high"})
    found = stated(platform, "low", "Evicted", "True", "Preempted")
    expect(condition(found, "Preempted")["reason"] == "InClusterQueue", "Preempted")
    admitted(platform, "high")
    stated(platform, "low", "Requeued", "True", "Preempted")
    stated(platform, "low", "Evicted", "False", "QuotaReserved")
    admitted(platform, "low")
    remove(platform, "low", "high")


def labels_of_a_waiting_job_are_followed(platform):
    quota(platform, "0")
    job(platform, "moved", labels={"kueue.x-k8s.io/priority-class": "low"})
    wait_for("its Workload", lambda: workload(platform, "moved"))
    platform.kubectl("label", "job", "moved", "kueue.x-k8s.io/priority-class=high", "--overwrite")
    wait_for("its priority", lambda: workload(platform, "moved")["spec"]["priority"] == 1000)
    platform.kubectl("label", "job", "moved", "kueue.x-k8s.io/queue-name=nowhere", "--overwrite")
    found = stated(platform, "moved", "QuotaReserved", "False", "Inadmissible")
    expect(condition(found, "QuotaReserved")["message"] == "LocalQueue nowhere doesn't exist",
           condition(found, "QuotaReserved")["message"])
    quota(platform, "4")
    remove(platform, "moved")


def a_job_may_start_with_fewer_pods(platform):
    job(platform, "part", pods=6, seconds=1,
        annotations={"kueue.x-k8s.io/job-min-parallelism": "2"})
    admitted(platform, "part")
    wait_for("four at a time", lambda: platform.get("job", "part")["spec"]["parallelism"] == 4)
    wait_for("all six", lambda: platform.get("job", "part")["status"].get("succeeded") == 6)
    remove(platform, "part")


def a_resource_quota_is_a_wall_under_the_queue(platform):
    platform.kubectl("create", "quota", "compute", "--hard=pods=3", "-n", "default")
    job(platform, "first", pods=2)
    admitted(platform, "first")
    job(platform, "second", pods=2)
    found = stated(platform, "second", "QuotaReserved", "False", "Pending")
    expect(condition(found, "QuotaReserved")["message"] ==
           "ResourceQuota compute would reject its pods: exceeded quota: compute, requested: "
           "pods=2, used: pods=2, limited: pods=3", condition(found, "QuotaReserved"))
    platform.kubectl("patch", "quota", "compute", "-p", '{"spec":{"hard":{"pods":"4"}}}')
    admitted(platform, "second")
    wait_for("all four pods", lambda: len([
        each for each in platform.items("pods", "-n", "default")
        if each["status"].get("phase") == "Running"]) == 4)
    refused = [each for each in platform.items("events", "-n", "default")
               if each["reason"] == "FailedCreate"]
    expect(not refused, refused)
    platform.kubectl("delete", "quota", "compute")
    remove(platform, "first", "second")


def a_prebuilt_workload_is_taken_over(platform):
    job(platform, "late", labels={"kueue.x-k8s.io/prebuilt-workload-name": "made"}, seconds=1)
    wait_for("the reason", lambda: ("PrebuiltWorkloadNotFound",
                                    "prebuilt workload made not found")
             in events_of(platform, "Job", "late"))
    expect(platform.get("job", "late")["spec"]["suspend"], "it must wait")
    template = platform.get("job", "late")["spec"]["template"]
    platform.apply(json.dumps({
        "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
        "metadata": {"name": "made", "namespace": "default"},
        "spec": {"queueName": "main", "podSets": [
            {"name": "main", "count": 1, "template": template}]}}))
    wait_for("the job to end", lambda: platform.get("job", "late")["status"].get("succeeded") == 1)
    made = platform.get("workload", "made")
    expect(made["metadata"]["ownerReferences"][0]["name"] == "late", made["metadata"])
    remove(platform, "late")


def a_prebuilt_workload_that_is_another_is_finished(platform):
    platform.apply(json.dumps({
        "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
        "metadata": {"name": "wrong", "namespace": "default"},
        "spec": {"queueName": "main", "podSets": [{"name": "main", "count": 3, "template": {
            "spec": {"restartPolicy": "Never", "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}]}}))
    job(platform, "other", labels={"kueue.x-k8s.io/prebuilt-workload-name": "wrong"})
    found = wait_for("the end of the Workload", lambda: (
        lambda w: w if holds(w, "Finished") else None)(platform.get("workload", "wrong")))
    told = condition(found, "Finished")
    expect((told["reason"], told["message"]) ==
           ("OutOfSync", "The prebuilt workload is out of sync with its user job"), told)
    expect(platform.get("job", "other")["spec"]["suspend"], "it must not run")
    remove(platform, "other")


def who_is_managed_is_read_live(platform):
    configure(platform, "integrations: {frameworks: [batch/job]}\n")
    told = platform.kubectl("run", "alone", "--image=trainer", "-n", "default",
                            "--labels=kueue.x-k8s.io/queue-name=main",
                            "--annotations=muster.dev/pretend-run-seconds=600")
    pod = platform.get("pod", "alone")
    expect("schedulingGates" not in pod["spec"], (told, pod["spec"]))
    platform.kubectl("delete", "pod", "alone", "--grace-period=1")
    configure(platform, "managedJobsNamespaceSelector: {matchLabels: {team: a}}\n")
    job(platform, "free")
    wait_for("the reason", lambda: (
        "NotManaged", "The queue name main is ignored: namespace default does not match "
        "managedJobsNamespaceSelector") in events_of(platform, "Job", "free"))
    expect(not platform.get("job", "free")["spec"].get("suspend"), "nobody holds it")
    platform.kubectl("delete", "job", "free")
    platform.kubectl("delete", "configmap", "kueue-manager-config", "-n", "kueue-system")


def a_lost_node_moves_the_gang(platform):
    job(platform, "gang", pods=2)
    admitted(platform, "gang")
    pods = wait_for("its pods", lambda: [each for each in platform.items("pods", "-n", "default")
                                         if each["status"].get("phase") == "Running"])
    lost = pods[0]["spec"]["nodeName"]
    platform.kubectl("delete", "node", lost)
    found = stated(platform, "gang", "Requeued", "True", "NodeFailures")
    expect(found["status"]["schedulingStats"]["evictions"][0]["reason"] == "NodeFailures", "stats")
    wait_for("the other node", lambda: len([
        each for each in platform.items("pods", "-n", "default")
        if each["status"].get("phase") == "Running" and each["spec"]["nodeName"] != lost]) == 2)
    remove(platform, "gang")


STEPS = [
    the_platform_comes_up_with_a_queue,
    quota_that_is_taken_away_and_given_back,
    a_user_deactivates_and_reactivates,
    the_maximum_execution_time_ends_a_job,
    pods_that_are_not_ready_in_time_wait_longer_and_longer,
    a_bad_configuration_changes_nothing_and_says_why,
    jobs_without_a_queue_are_taken_when_configured,
    finished_workloads_are_removed_when_configured,
    a_stopped_queue_drains_and_fills_again,
    one_that_is_preempted_comes_back,
    labels_of_a_waiting_job_are_followed,
    a_job_may_start_with_fewer_pods,
    a_resource_quota_is_a_wall_under_the_queue,
    a_prebuilt_workload_is_taken_over,
    a_prebuilt_workload_that_is_another_is_finished,
    who_is_managed_is_read_live,
    a_lost_node_moves_the_gang,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=8Gi,runtime=pretend",
                                 "name=n2,cpu=8,memory=8Gi,runtime=pretend"]), STEPS))
