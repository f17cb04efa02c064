# Plain pods and pod groups through a queue, with a real kubectl: a SkyPilot-like group of two is
# admitted together, another waits, a failed member is replaced, and all of it can be deleted.
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import (Platform, condition, expect, holds,  # noqa: E402
                                 run_steps, wait_for)

NODES = ["name=n1,cpu=4,memory=4Gi,labels=pool=spot"]

QUEUES = """
apiVersion: v1
kind: Namespace
metadata: {name: sky}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {kubernetes.io/hostname: n1}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 3}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: sky}
spec: {clusterQueue: cq}
"""


def pod(name, group=None, total=2, command="sleep 600", cpu=1, retriable=True):
    labels = "kueue.x-k8s.io/queue-name: main"
    notes = []
    if group:
        labels += f", kueue.x-k8s.io/pod-group-name: {group}"
        notes.append(f'kueue.x-k8s.io/pod-group-total-count: "{total}"')
        if not retriable:
            notes.append('kueue.x-k8s.io/retriable-in-group: "false"')
    return f"""
apiVersion: v1
kind: Pod
metadata:
  name: {name}
  namespace: sky
  labels: {{{labels}}}
  annotations: {{{', '.join(notes)}}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    command: [sh, -c, "{command}"]
    resources: {{requests: {{cpu: {cpu}}}}}
---
"""


def get_pod(platform, name):
    return platform.get("pod", name, "-n", "sky")


def phase(platform, name):
    return ((get_pod(platform, name) or {}).get("status") or {}).get("phase")


def workload(platform, name):
    return platform.get("workload", name, "-n", "sky")


def is_gone(platform, kind, name):
    return platform.get(kind, name, "-n", "sky") is None


def gates(thing):
    return [each["name"] for each in thing["spec"].get("schedulingGates", [])]


def wait_phase(platform, name, wanted):
    wait_for(f"pod {name} to be {wanted}", lambda: phase(platform, name) == wanted)


def events_of(platform, name, kind="Pod"):
    found = platform.items("events", "-n", "sky", "--field-selector",
                           f"involvedObject.name={name},involvedObject.kind={kind}")
    return {(each["reason"], each["message"]) for each in found}


def the_queue_is_made(platform):
    platform.apply(QUEUES)
    wait_for("the queue to be active",
             lambda: holds(platform.get("clusterqueue", "cq"), "Active"))


def a_single_pod_runs_and_ends(platform):
    platform.apply(pod("one", command="true"))
    thing = get_pod(platform, "one")
    expect(thing["metadata"]["labels"]["kueue.x-k8s.io/managed"] == "true", "no managed label")
    expect("kueue.x-k8s.io/managed" in thing["metadata"].get("finalizers", []) or
           thing["status"]["phase"] == "Succeeded", "no finalizer")
    wait_phase(platform, "one", "Succeeded")
    owned = [each for each in platform.items("workloads", "-n", "sky")
             if each["metadata"]["name"].startswith("pod-one-")]
    expect(len(owned) == 1, "a pod has one Workload")
    name = owned[0]["metadata"]["name"]
    wait_for("the Workload to finish", lambda: holds(workload(platform, name), "Finished"))
    expect(condition(workload(platform, name), "Finished")["reason"] == "Succeeded", "a success")
    wait_for("the finalizer to go",
             lambda: not get_pod(platform, "one")["metadata"].get("finalizers"))
    expect(("Started", "Admitted by clusterQueue cq") in events_of(platform, "one"), "no event")
    platform.kubectl("delete", "pod", "one", "-n", "sky")
    wait_for("the Workload to go", lambda: is_gone(platform, "workload", name))


def half_a_group_waits(platform):
    platform.apply(pod("a-head", "a", retriable=False))
    wait_for("the reason", lambda: any("fewer runnable pods" in message for _, message in
                                       events_of(platform, "a-head")))
    expect(workload(platform, "a") is None, "half a group has no Workload")
    expect(gates(get_pod(platform, "a-head")) ==
           ["kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology"], "the gates are closed")
    scheduled = condition(get_pod(platform, "a-head"), "PodScheduled")
    expect(scheduled["reason"] == "SchedulingGated", f"{scheduled}")


def a_whole_group_starts_together(platform):
    platform.apply(pod("a-worker", "a", retriable=False))
    wait_phase(platform, "a-head", "Running")
    wait_phase(platform, "a-worker", "Running")
    found = workload(platform, "a")
    expect(holds(found, "Admitted"), "the group's Workload is admitted")
    expect(len(found["metadata"]["ownerReferences"]) == 2, "both pods own it")
    expect([each["count"] for each in found["spec"]["podSets"]] == [2], "one role of two")
    expect(found["spec"]["podSets"][0]["name"] ==
           get_pod(platform, "a-head")["metadata"]["annotations"]["kueue.x-k8s.io/role-hash"],
           "a pod set is named as its role")


def another_group_waits_for_quota(platform):
    platform.apply(pod("b-0", "b") + pod("b-1", "b"))
    wait_for("a reason to wait",
             lambda: condition(workload(platform, "b"), "QuotaReserved")["status"] == "False")
    expect(phase(platform, "b-0") == "Pending", "it waits")
    expect(gates(get_pod(platform, "b-0")), "its gates are closed")


def a_pod_too_many_is_removed(platform):
    platform.apply(pod("b-2", "b"))
    wait_for("the excess pod to go", lambda: is_gone(platform, "pod", "b-2"))
    expect(("ExcessPodDeleted", "Excess pod deleted") in events_of(platform, "b-2"), "an event")


def a_deleted_group_makes_room(platform):
    platform.kubectl("delete", "pods", "a-head", "a-worker", "-n", "sky")
    wait_for("its Workload to go", lambda: is_gone(platform, "workload", "a"))
    wait_phase(platform, "b-0", "Running")
    wait_phase(platform, "b-1", "Running")


def a_failed_member_is_replaced(platform):
    platform.kubectl("delete", "pods", "b-0", "b-1", "-n", "sky")
    wait_for("the group to go", lambda: is_gone(platform, "workload", "b"))
    platform.apply(pod("c-0", "c") + pod("c-1", "c", command="sleep 1; exit 3"))
    wait_phase(platform, "c-1", "Failed")
    wait_for("a call for a replacement",
             lambda: holds(workload(platform, "c"), "WaitingForReplacementPods"))
    waits = condition(workload(platform, "c"), "WaitingForReplacementPods")
    expect((waits["reason"], waits["message"]) ==
           ("PodsFailed", "Some Failed pods need replacement"), f"{waits}")
    expect(phase(platform, "c-0") == "Running", "the other runs on")
    platform.apply(pod("c-2", "c"))
    wait_phase(platform, "c-2", "Running")
    wait_for("nobody to be awaited any more",
             lambda: condition(workload(platform, "c"),
                               "WaitingForReplacementPods")["status"] == "False")
    expect(condition(workload(platform, "c"), "WaitingForReplacementPods")["message"] ==
           "No pods need replacement", "the peer's words")
    wait_for("the failed pod to be let go",
             lambda: not get_pod(platform, "c-1")["metadata"].get("finalizers"))


def a_deactivated_group_is_stopped(platform):
    platform.kubectl("patch", "workload", "c", "-n", "sky", "--type=merge", "-p",
                     '{"spec":{"active":false}}')
    wait_for("the pods to be stopped",
             lambda: all(condition(get_pod(platform, name), "TerminationTarget")["reason"] ==
                         "WorkloadEvictedDueToDeactivated" for name in ("c-0", "c-2")))
    wait_for("its quota to be free",
             lambda: condition(workload(platform, "c"), "QuotaReserved")["status"] == "False")
    platform.kubectl("delete", "workload", "c", "-n", "sky")
    for name in ("c-0", "c-1", "c-2"):
        wait_for(f"{name} to go", lambda name=name: is_gone(platform, "pod", name))


def a_group_ends_when_all_succeeded(platform):
    platform.apply(pod("d-0", "d", command="true") + pod("d-1", "d", command="true"))
    wait_for("the group to finish", lambda: holds(workload(platform, "d"), "Finished"))
    finished = condition(workload(platform, "d"), "Finished")
    expect((finished["reason"], finished["message"]) == ("Succeeded", "Pods succeeded: 2/2."),
           f"{finished}")
    platform.kubectl("delete", "pods", "d-0", "d-1", "-n", "sky")
    wait_for("its Workload to go", lambda: is_gone(platform, "workload", "d"))


def refusals_have_the_peers_words(platform):
    text = pod("e", "e").replace('kueue.x-k8s.io/pod-group-total-count: "2"', "")
    answer = platform.kubectl("apply", "-f", "-", stdin=text, check=False)
    expect("both the 'kueue.x-k8s.io/pod-group-total-count' annotation and the "
           "'kueue.x-k8s.io/pod-group-name' label should be set" in answer, answer)


CHECKS = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: room}
spec:
  provisioningClassName: check-capacity.autoscaling.x-k8s.io
  managedResources: [cpu]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: room}
spec:
  controllerName: kueue.x-k8s.io/provisioning-request
  parameters: {apiGroup: kueue.x-k8s.io, kind: ProvisioningRequestConfig, name: room}
"""


def a_check_asks_for_capacity_that_is_there(platform):
    platform.apply(CHECKS)
    wait_for("the check to be active", lambda: holds(platform.get("admissioncheck", "room"), "Active"))
    platform.kubectl("patch", "clusterqueue", "cq", "--type=merge", "-p",
                     '{"spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":"room"}]}}}')
    platform.apply(pod("f-0", "f") + pod("f-1", "f"))
    wait_phase(platform, "f-0", "Running")
    wait_phase(platform, "f-1", "Running")
    request = platform.get("provisioningrequest", "f-room-1", "-n", "sky")
    expect(holds(request, "Accepted") and holds(request, "Provisioned"), f"{request}")
    role = workload(platform, "f")["spec"]["podSets"][0]["name"]
    expect(platform.get("podtemplate", f"ppt-f-room-1-{role}", "-n", "sky"), "a template")
    state = workload(platform, "f")["status"]["admissionChecks"][0]
    expect(state["state"] == "Ready" and state["message"] == "Capacity is found in the cluster",
           f"{state}")
    notes = get_pod(platform, "f-0")["metadata"]["annotations"]
    expect(notes["autoscaling.x-k8s.io/consume-provisioning-request"] == "f-room-1", f"{notes}")
    expect(("ProvisioningRequestCreated", 'Created ProvisioningRequest: "f-room-1"') in
           events_of(platform, "f", "Workload"), "an event")
    platform.kubectl("delete", "pods", "f-0", "f-1", "-n", "sky")
    wait_for("the request to go",
             lambda: platform.get("provisioningrequest", "f-room-1", "-n", "sky") is None)


def a_check_of_somebody_else_is_obeyed(platform):
    platform.apply(CHECKS.split("---")[1].replace("name: room}\nspec", "name: ask}\nspec")
                   .replace("kueue.x-k8s.io/provisioning-request", "example.com/mine")
                   .split("  parameters")[0])
    platform.kubectl("patch", "admissioncheck", "ask", "--subresource=status", "--type=merge", "-p",
                     '{"status":{"conditions":[{"type":"Active","status":"True","reason":"Active",'
                     '"message":"ok","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}')
    platform.kubectl("patch", "clusterqueue", "cq", "--type=merge", "-p",
                     '{"spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":"ask"}]}}}')
    platform.apply(pod("g-0"))

    def name():
        return next((each["metadata"]["name"] for each in platform.items("workloads", "-n", "sky")
                     if each["metadata"]["name"].startswith("pod-g-0-")), None)

    wait_for("quota to be reserved", lambda: name() and holds(workload(platform, name()),
                                                              "QuotaReserved"))
    wait_for("the check to be pending",
             lambda: [each["state"] for each in
                      workload(platform, name())["status"].get("admissionChecks", [])] ==
             ["Pending"])
    expect(gates(get_pod(platform, "g-0")), "nothing starts before the check")
    platform.kubectl("patch", "workload", name(), "-n", "sky", "--subresource=status",
                     "--type=merge", "-p",
                     '{"status":{"admissionChecks":[{"name":"ask","state":"Ready","message":"yes",'
                     '"lastTransitionTime":"2026-01-01T00:00:00Z","podSetUpdates":[{"name":"main",'
                     '"labels":{"from":"check"}}]}]}}')
    wait_phase(platform, "g-0", "Running")
    expect(get_pod(platform, "g-0")["metadata"]["labels"].get("from") == "check", "podSetUpdates")
    platform.kubectl("delete", "pod", "g-0", "-n", "sky")


STEPS = [the_queue_is_made, a_single_pod_runs_and_ends, half_a_group_waits,
         a_whole_group_starts_together, another_group_waits_for_quota, a_pod_too_many_is_removed,
         a_deleted_group_makes_room, a_failed_member_is_replaced, a_deactivated_group_is_stopped,
         a_group_ends_when_all_succeeded, refusals_have_the_peers_words,
         a_check_asks_for_capacity_that_is_there, a_check_of_somebody_else_is_obeyed]

if __name__ == "__main__":
    platform = Platform(NODES)
    platform.up(first=True)
    sys.exit(run_steps(platform, STEPS))
