# Pods for the walk, and what is asked about them.
# SPDX-License-Identifier: Apache-2.0
import json

from platform_under_test import wait_for


def container(name, script, **more):
    return {"name": name, "image": "busybox", "command": ["sh", "-c", script], **more}


def pod(name, containers, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 3,
                     "containers": containers, **spec}}


def create(platform, thing):
    platform.kubectl("create", "-f", "-", stdin=json.dumps(thing))


def shown(platform, name):
    """READY, STATUS and RESTARTS as kubectl prints them."""
    words = platform.kubectl("get", "pod", name, "--no-headers", check=False).split()
    return words[1:4]


def status(platform, name):
    return (platform.get("pod", name) or {}).get("status", {})


def container_status(platform, name, which="main"):
    found = status(platform, name)
    for each in found.get("containerStatuses", []) + found.get("initContainerStatuses", []):
        if each["name"] == which:
            return each
    return {}


def events(platform, name):
    text = platform.kubectl("get", "events", "--field-selector", f"involvedObject.name={name}",
                            "-o", "json")
    return [(each["type"], each["reason"], each.get("message", ""))
            for each in json.loads(text)["items"]]


def wait_for_event(platform, name, kind, reason, words):
    return wait_for(f"event {reason} {words!r} of {name}", lambda: any(
        t == kind and r == reason and words in m for t, r, m in events(platform, name)), 20)


def wait_for_status(platform, name, wanted, seconds=30):
    return wait_for(f"{name} to be {wanted}", lambda: shown(platform, name)[1:2] == [wanted],
                    seconds)


def wait_for_phase(platform, name, wanted, seconds=30):
    return wait_for(f"{name} to be {wanted} (is {status(platform, name)})",
                    lambda: status(platform, name).get("phase") == wanted, seconds)
