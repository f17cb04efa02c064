# Pods that somebody else puts on a node: made with spec.nodeName, or bound by another scheduler.
# SPDX-License-Identifier: Apache-2.0
import ipaddress
import json

from platform_under_test import condition, expect, wait_for
from pods import container, create, events, pod, shown, status, wait_for_event, wait_for_phase

FOREVER = "trap 'exit 0' TERM; while :; do sleep 0.1; done"


def has_an_address_of(platform, name, node):
    network = ipaddress.ip_network(platform.get("node", node)["spec"]["podCIDR"])
    address = status(platform, name)["podIP"]
    expect(ipaddress.ip_address(address) in network, f"{name} has {address}, not of {network}")
    return address


def a_pod_runs_on_the_node_that_it_names(platform):
    platform.kubectl("run", "named", "--image=busybox", "--restart=Never",
                     '--overrides={"spec":{"nodeName":"n2"}}', "--command", "--",
                     "sh", "-c", FOREVER)
    wait_for_phase(platform, "named", "Running")
    address = has_an_address_of(platform, "named", "n2")
    found = platform.get("pod", "named")
    expect(condition(found, "PodScheduled")["status"] == "True", str(found["status"]))
    expect("Scheduled" not in [reason for _, reason, _ in events(platform, "named")], "an event")
    expect(platform.kubectl("exec", "named", "--", "hostname", "-i").split() == [address], address)


def it_keeps_its_address_when_the_platform_comes_back(platform):
    before = status(platform, "named")
    platform.kill()
    platform.up()
    platform.kubectl("exec", "named", "--", "true")
    expect(status(platform, "named")["podIP"] == before["podIP"], "its address")
    platform.kubectl("delete", "pod", "named")


def another_scheduler_binds_its_pods(platform):
    create(platform, pod("other", [container("main", FOREVER)], schedulerName="other"))
    wait_for("it to be there", lambda: shown(platform, "other")[1:2] == ["Pending"])
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "other"},
               "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}
    platform.kubectl("create", "--raw", "/api/v1/namespaces/default/pods/other/binding",
                     "-f", "-", stdin=json.dumps(binding))
    wait_for_phase(platform, "other", "Running")
    has_an_address_of(platform, "other", "n1")
    platform.kubectl("delete", "pod", "other")


def one_of_the_machines_network_has_the_address_of_its_node(platform):
    create(platform, pod("hosted", [container("main", FOREVER)], nodeName="n1", hostNetwork=True))
    wait_for_phase(platform, "hosted", "Running")
    found = status(platform, "hosted")
    expect(found["podIP"] == found["hostIP"], str(found))
    platform.kubectl("delete", "pod", "hosted")


def a_node_without_room_refuses_as_a_kubelet_does(platform):
    large = container("main", FOREVER, resources={"requests": {"cpu": "64"}})
    create(platform, pod("large", [large], nodeName="n1"))
    wait_for_phase(platform, "large", "Failed")
    found = status(platform, "large")
    expect(found["reason"] == "OutOfcpu", str(found))
    words = "Node didn't have enough resource: cpu, requested: 64000, used: "
    expect(found["message"].startswith("Pod was rejected: " + words), found["message"])
    expect(shown(platform, "large")[1] == "OutOfcpu", str(shown(platform, "large")))
    wait_for_event(platform, "large", "Warning", "OutOfcpu", words)


def a_node_with_other_labels_refuses_too(platform):
    create(platform, pod("picky", [container("main", FOREVER)], nodeName="n1",
                         nodeSelector={"disk": "ssd"}))
    wait_for_phase(platform, "picky", "Failed")
    expect(status(platform, "picky")["reason"] == "NodeAffinity", str(status(platform, "picky")))


def a_pod_debugs_its_node(platform):
    said = platform.kubectl("debug", "node/n1", "--image=busybox", "--profile=baseline", "--",
                            "sh", "-c", FOREVER)
    name = next(word for word in said.split() if word.startswith("node-debugger-n1-"))
    wait_for_phase(platform, name, "Running")
    platform.kubectl("delete", "pod", name)


STEPS = [
    a_pod_runs_on_the_node_that_it_names,
    it_keeps_its_address_when_the_platform_comes_back,
    another_scheduler_binds_its_pods,
    one_of_the_machines_network_has_the_address_of_its_node,
    a_node_without_room_refuses_as_a_kubelet_does,
    a_node_with_other_labels_refuses_too,
    a_pod_debugs_its_node,
]
