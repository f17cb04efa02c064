# Volumes of a pod: memory, parts of volumes, folders of the machine, claims.
# SPDX-License-Identifier: Apache-2.0
import json
import os

from platform_under_test import expect, wait_for
from pods import (container, container_status, create, events, pod, status, wait_for_event,
                  wait_for_phase)


def logs(platform, name):
    return platform.kubectl("logs", name, "-c", "main")


def memory_is_a_volume(platform):
    create(platform, pod("memory", [container(
        "main", "stat -f -c %T /fast; df -k /fast | tail -1 | awk '{print $2}'",
        volumeMounts=[{"name": "fast", "mountPath": "/fast"}])],
        volumes=[{"name": "fast", "emptyDir": {"medium": "Memory", "sizeLimit": "4Mi"}}]))
    wait_for_phase(platform, "memory", "Succeeded")
    expect(logs(platform, "memory") == "tmpfs\n4096\n", logs(platform, "memory"))


def a_part_of_a_volume_is_mounted(platform):
    create(platform, pod("part", [container(
        "main", "cat /in/word; echo more > /in/made; ls /all/p/p-part",
        env=[{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        volumeMounts=[{"name": "v", "mountPath": "/all"},
                      {"name": "v", "mountPath": "/in", "subPathExpr": "p/p-$(POD)"}])],
        initContainers=[container("one", "mkdir -p /all/p/p-part; echo hello > /all/p/p-part/word",
                                  volumeMounts=[{"name": "v", "mountPath": "/all"}])],
        volumes=[{"name": "v", "emptyDir": {}}]))
    wait_for_phase(platform, "part", "Succeeded")
    expect(logs(platform, "part") == "hello\nmade\nword\n", logs(platform, "part"))


def a_link_out_of_a_volume_is_not_followed(platform):
    create(platform, pod("escape", [container(
        "main", "ls /in", volumeMounts=[{"name": "v", "mountPath": "/in", "subPath": "way/etc"}])],
        initContainers=[container("one", "ln -s / /all/way",
                                  volumeMounts=[{"name": "v", "mountPath": "/all"}])],
        volumes=[{"name": "v", "emptyDir": {}}]))
    wait_for_phase(platform, "escape", "Failed")
    end = container_status(platform, "escape")["state"]["terminated"]
    expect(end["reason"] == "StartError" and end["exitCode"] == 128, str(end))


def a_mount_may_be_read_only(platform):
    create(platform, pod("sealed", [container(
        "main", "touch /v/x 2>&1", volumeMounts=[{"name": "v", "mountPath": "/v",
                                                  "readOnly": True}])],
        volumes=[{"name": "v", "emptyDir": {}}]))
    wait_for_phase(platform, "sealed", "Failed")
    expect("Read-only file system" in logs(platform, "sealed"), logs(platform, "sealed"))


def folders_of_the_machine_are_shared_by_the_operator(platform):
    os.makedirs(os.path.join(platform.shared, "data"), exist_ok=True)
    with open(os.path.join(platform.shared, "data/word"), "w") as file:
        file.write("here\n")
    os.symlink("/root", os.path.join(platform.shared, "way"))

    def reads(name, path, script="cat /host/word"):
        create(platform, pod(name, [container(
            "main", script, volumeMounts=[{"name": "h", "mountPath": "/host"}])],
            volumes=[{"name": "h", "hostPath": {"path": path}}]))
    reads("shared", os.path.join(platform.shared, "data"))
    wait_for_phase(platform, "shared", "Succeeded")
    expect(logs(platform, "shared") == "here\n", logs(platform, "shared"))
    reads("taken", "/etc")
    wait_for_event(platform, "taken", "Warning", "Failed", "hostPath /etc is not shared with pods")
    expect(container_status(platform, "taken")["state"]["waiting"]["reason"] == "NotSupported", "")
    reads("led", os.path.join(platform.shared, "way"))
    wait_for_event(platform, "led", "Warning", "FailedMount", "leads to /root, which is not shared")


def claim(name, **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Mi"}}, **spec}}


def claimant(name, claim_name, script, **more):
    return pod(name, [container("main", script,
                                volumeMounts=[{"name": "d", "mountPath": "/d"}])],
               volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": claim_name}}], **more)


def phase_of(platform, kind, name):
    return (platform.get(kind, name) or {}).get("status", {}).get("phase")


def claims_wait_for_their_first_pod_and_keep_its_files(platform):
    found = wait_for("the class", lambda: platform.get("storageclass", "standard"))
    expect(found["volumeBindingMode"] == "WaitForFirstConsumer", str(found))
    create(platform, claim("disk"))
    expect(platform.get("pvc", "disk")["spec"]["storageClassName"] == "standard", "its class")
    wait_for_event(platform, "disk", "Normal", "WaitForFirstConsumer",
                   "waiting for first consumer to be created before binding")
    create(platform, claimant("writes", "disk", "echo kept > /d/word"))
    wait_for_phase(platform, "writes", "Succeeded")
    wait_for("it to be bound", lambda: phase_of(platform, "pvc", "disk") == "Bound")
    bound = platform.get("pvc", "disk")
    volume = platform.get("pv", bound["spec"]["volumeName"])
    expect(volume["status"]["phase"] == "Bound" and volume["spec"]["claimRef"]["name"] == "disk", "")
    expect(bound["status"]["capacity"] == {"storage": "1Mi"}, str(bound["status"]))
    platform.kubectl("delete", "pod", "writes")
    create(platform, claimant("reads", "disk", "cat /d/word"))
    wait_for_phase(platform, "reads", "Succeeded")
    expect(logs(platform, "reads") == "kept\n", logs(platform, "reads"))
    platform.kubectl("delete", "pod", "reads")
    platform.kubectl("delete", "pvc", "disk")
    wait_for("its volume to go", lambda: platform.get("pv", bound["spec"]["volumeName"]) is None)
    wait_for("its folder to go", lambda: not os.path.exists(volume["spec"]["hostPath"]["path"]))


def a_claim_that_nobody_can_bind_says_so(platform):
    create(platform, claim("none", storageClassName=""))
    wait_for_event(platform, "none", "Normal", "FailedBinding", "no persistent volumes available "
                   "for this claim and no storage class is set")
    create(platform, claim("odd", storageClassName="odd"))
    wait_for_event(platform, "odd", "Warning", "ProvisioningFailed",
                   'storageclass.storage.k8s.io "odd" not found')
    create(platform, claimant("waits", "none", "true"))
    wait_for_event(platform, "waits", "Warning", "FailedScheduling", "0/2 nodes are available: pod "
                   "has unbound immediate PersistentVolumeClaims.")
    expect(status(platform, "waits")["phase"] == "Pending", "it waits")
    platform.kubectl("delete", "pod", "waits", "--force")


def a_pod_waits_for_its_claim_and_goes_on_with_it(platform):
    create(platform, claimant("early", "late", "true"))
    wait_for_event(platform, "early", "Warning", "FailedScheduling", "0/2 nodes are available: "
                   'persistentvolumeclaim "late" not found.')
    create(platform, claim("late"))
    wait_for_phase(platform, "early", "Succeeded")


def a_volume_that_is_there_is_taken(platform):
    folder = os.path.join(platform.shared, "volume")
    os.makedirs(folder, exist_ok=True)
    create(platform, {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "own"},
                      "spec": {"capacity": {"storage": "2Mi"}, "accessModes": ["ReadWriteMany"],
                               "persistentVolumeReclaimPolicy": "Retain",
                               "storageClassName": "mine", "hostPath": {"path": folder}}})
    wait_for("it to be there", lambda: phase_of(platform, "pv", "own") == "Available")
    create(platform, claim("many", storageClassName="mine", accessModes=["ReadWriteMany"]))
    wait_for("it to be bound", lambda: phase_of(platform, "pvc", "many") == "Bound")
    platform.kubectl("delete", "pvc", "many")
    wait_for("it to be released", lambda: phase_of(platform, "pv", "own") == "Released")


def a_folder_of_one_node_is_not_that_of_another(platform):
    create(platform, claim("once"))
    create(platform, claimant("here", "once", "sleep 1", nodeSelector={
        "kubernetes.io/hostname": "n1"}))
    wait_for_phase(platform, "here", "Succeeded")
    create(platform, claimant("there", "once", "true", nodeSelector={
        "kubernetes.io/hostname": "n2"}))
    wait_for_event(platform, "there", "Warning", "FailedScheduling", "0/2 nodes are available: 1 "
                   "node(s) didn't match PersistentVolume's node affinity, 1 node(s) didn't match "
                   "Pod's node affinity/selector.")
    platform.kubectl("delete", "pod", "there", "--force")


def pods_that_share_a_claim_stand_on_one_node(platform):
    create(platform, claim("both"))
    create(platform, claimant("left", "both", "sleep 30", nodeSelector={
        "kubernetes.io/hostname": "n2"}))
    create(platform, claimant("right", "both", "sleep 30"))
    wait_for_phase(platform, "right", "Running")
    expect(platform.get("pod", "right")["spec"]["nodeName"] == "n2", "where the claim is in use")
    platform.kubectl("delete", "pod", "left", "right", "--force")
    create(platform, claim("alone", accessModes=["ReadWriteOncePod"]))
    create(platform, claimant("one", "alone", "sleep 30"))
    wait_for_phase(platform, "one", "Running")
    create(platform, claimant("two", "alone", "true"))
    wait_for_event(platform, "two", "Warning", "FailedScheduling", "0/2 nodes are available: 2 "
                   "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                   "mode already in-use by another pod.")
    platform.kubectl("delete", "pod", "one", "--force")
    wait_for_phase(platform, "two", "Succeeded")


QUEUE = [
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor",
     "metadata": {"name": "claimed"}},
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "claimed"},
     "spec": {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
         {"name": "claimed", "resources": [{"name": "cpu", "nominalQuota": "16"}]}]}]}},
    {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": "claimed"},
     "spec": {"clusterQueue": "claimed"}},
]


def a_gang_that_shares_a_claim_stands_on_one_node_or_waits(platform):
    for each in QUEUE:
        create(platform, each)
    create(platform, claim("gang"))
    worker = claimant("x", "gang", "sleep 30")["spec"]
    worker["containers"][0]["resources"] = {"requests": {"cpu": "3"}}
    worker["restartPolicy"] = "Never"

    def job(name, pods):
        return {"apiVersion": "batch/v1", "kind": "Job",
                "metadata": {"name": name, "labels": {"kueue.x-k8s.io/queue-name": "claimed"}},
                "spec": {"parallelism": pods, "completions": pods, "template": {"spec": worker}}}

    create(platform, job("wide", 3))
    wait_for("a reason that names the claim", lambda: any(
        'couldn\'t place pod set main: the nodes allow to fit only 2 out of 3 pod(s); all pods that '
        'use the ReadWriteOnce claim "gang" go to one node. Total nodes: 2' in each["message"]
        for workload in platform.items("workloads")
        for each in workload.get("status", {}).get("conditions", [])))
    platform.kubectl("delete", "job", "wide")
    create(platform, job("close", 2))
    found = wait_for("both to run", lambda: [
        each["spec"]["nodeName"] for each in platform.items("pods", "-l", "job-name=close")
        if each["status"]["phase"] == "Running"] or None)
    wait_for("both to run", lambda: len([
        each for each in platform.items("pods", "-l", "job-name=close")
        if each["status"]["phase"] == "Running" and each["spec"]["nodeName"] == found[0]]) == 2)
    platform.kubectl("delete", "job", "close")


def a_pod_has_claims_of_its_own(platform):
    create(platform, pod("own", [container("main", "echo x > /d/y; sleep 1", volumeMounts=[
        {"name": "d", "mountPath": "/d"}])], volumes=[{"name": "d", "ephemeral": {
            "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {
                "requests": {"storage": "1Mi"}}}}}}]))
    wait_for_phase(platform, "own", "Succeeded")
    expect(platform.get("pvc", "own-d") is not None, "its claim")


STEPS = [
    memory_is_a_volume,
    a_part_of_a_volume_is_mounted,
    a_link_out_of_a_volume_is_not_followed,
    a_mount_may_be_read_only,
    folders_of_the_machine_are_shared_by_the_operator,
    claims_wait_for_their_first_pod_and_keep_its_files,
    a_claim_that_nobody_can_bind_says_so,
    a_pod_waits_for_its_claim_and_goes_on_with_it,
    a_volume_that_is_there_is_taken,
    a_folder_of_one_node_is_not_that_of_another,
    pods_that_share_a_claim_stand_on_one_node,
    a_gang_that_shares_a_claim_stands_on_one_node_or_waits,
    a_pod_has_claims_of_its_own,
]
