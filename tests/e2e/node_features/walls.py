# Who a container is and what it cannot do: users, rights, and ways out that are none
# (performance-and-reliability.md §D.3).
# SPDX-License-Identifier: Apache-2.0
import os
import time

from platform_under_test import expect, wait_for
from pods import (container, container_status, create, pod, wait_for_event, wait_for_phase)


def logs(platform, name):
    return platform.kubectl("logs", name, "-c", "main")


def attempt(platform, name, script, **more):
    """Runs a script to its end, and gives what it printed."""
    create(platform, pod(name, [container("main", script, **more)]))
    wait_for(f"{name} to end", lambda: (platform.get("pod", name) or {}).get("status", {}).get(
        "phase") in ("Succeeded", "Failed"), 60)
    return logs(platform, name)


def a_container_is_who_it_is_told_to_be(platform):
    create(platform, pod("who", [container(
        "main", "id -u; id -g; id -G; touch /v/x && stat -c %g /v/x",
        volumeMounts=[{"name": "v", "mountPath": "/v"}],
        securityContext={"runAsUser": 1000, "runAsGroup": 3000})],
        securityContext={"fsGroup": 2000, "supplementalGroups": [4000]},
        volumes=[{"name": "v", "emptyDir": {}}]))
    wait_for_phase(platform, "who", "Succeeded")
    said = logs(platform, "who").splitlines()
    expect(said[:2] == ["1000", "3000"], str(said))
    expect(set(said[2].split()) == {"3000", "2000", "4000"}, str(said))
    expect(said[3] == "2000", str(said))


def root_is_refused_to_who_must_not_be_root(platform):
    create(platform, pod("root", [container("main", "id")], securityContext={"runAsNonRoot": True}))
    wait_for_event(platform, "root", "Warning", "Failed",
                   "container has runAsNonRoot and image will run as root")
    state = container_status(platform, "root")["state"]
    expect(state["waiting"]["reason"] == "CreateContainerConfigError", str(state))
    platform.kubectl("delete", "pod", "root", "--force")


def nobody_has_rights_over_the_machine(platform):
    create(platform, pod("strong", [container("main", "id",
                                              securityContext={"privileged": True})]))
    wait_for_event(platform, "strong", "Warning", "Failed", "securityContext.privileged")
    platform.kubectl("delete", "pod", "strong", "--force")


def a_root_may_be_sealed(platform):
    said = attempt(platform, "readonly", "touch /tmp/x 2>&1; touch /workspace/x 2>&1; touch /x 2>&1",
                   securityContext={"readOnlyRootFilesystem": True})
    expect(said.count("Read-only file system") == 3, said)


def a_neighbour_cannot_be_traced_or_seen(platform):
    create(platform, pod("neighbour", [container("main", "exec sleep 4711")]))
    wait_for_phase(platform, "neighbour", "Running")
    said = attempt(platform, "spy", "ps ax | grep -c 'sleep 471[1]'; ls /proc | grep -c '^[0-9]'; "
                   "python3 -c 'import ctypes; print(ctypes.CDLL(None, use_errno=True).ptrace(16, "
                   "1, 0, 0))'")
    lines = said.splitlines()
    expect(lines[0] == "0", said)
    expect(int(lines[1]) < 10, said)
    expect(lines[2] == "-1", said)


def a_token_of_another_pod_is_not_to_be_found(platform):
    uid = platform.get("pod", "neighbour")["metadata"]["uid"]
    said = attempt(platform, "thief", f"ls {platform.data} | wc -l; cat {platform.data}/pods/{uid}/"
                   "volumes/*/token 2>&1 | head -1; cat " + platform.kubeconfig + " 2>&1 | wc -c")
    lines = said.splitlines()
    expect(lines[0] == "0" and "No such file" in lines[1] and lines[2] in ("0", "1") or
           "No such file" in said, said)
    expect("eyJ" not in said and "client-key" not in said, said)


def the_platform_cannot_be_killed(platform):
    before = platform.pid()
    attempt(platform, "killer", f"kill -9 {before} 2>&1; kill -9 -1 2>&1; true")
    expect(platform.pid() == before and os.path.exists(f"/proc/{before}"), "it was killed")


def the_api_asks_for_a_token(platform):
    said = attempt(platform, "anonymous",
                   "python3 -c '\nimport ssl, os, urllib.request, urllib.error\n"
                   "c = ssl._create_unverified_context()\n"
                   "u = \"https://%s:%s/api/v1/secrets\" % (os.environ[\"KUBERNETES_SERVICE_HOST\"],"
                   " os.environ[\"KUBERNETES_SERVICE_PORT\"])\n"
                   "try:\n  print(urllib.request.urlopen(u, context=c).status)\n"
                   "except urllib.error.HTTPError as e:\n  print(e.code)\n'")
    expect(said.strip() in ("401", "403"), said)


def processes_are_counted(platform):
    began = time.monotonic()
    create(platform, pod("bomb", [container(
        "main", "python3 -c '\nimport os\nn = 0\ntry:\n  while n < 100000:\n"
        "    if os.fork() == 0:\n      import time; time.sleep(600)\n    n += 1\n"
        "except OSError as e:\n  print(\"stopped\", n < 100000)\n'")]))
    wait_for("the bomb to end", lambda: (platform.get("pod", "bomb") or {}).get(
        "status", {}).get("phase") in ("Succeeded", "Failed"), 120)
    expect("stopped True" in logs(platform, "bomb"), logs(platform, "bomb"))
    expect(time.monotonic() - began < 120, "the platform still answers")


def what_leaves_its_session_dies_with_its_pod(platform):
    create(platform, pod("ghost", [container(
        "main", "setsid sh -c '(sleep 48151623 &)'; sleep 1; exit 0")]))
    wait_for_phase(platform, "ghost", "Succeeded")
    expect(os.system("ps ax | grep -q 'sleep 4815162[3]'") != 0, "it lives on")


def memory_is_limited(platform):
    create(platform, pod("greedy", [container(
        "main", "python3 -c 'x = bytearray(400 << 20)'",
        resources={"limits": {"memory": "32Mi"}})]))
    wait_for_phase(platform, "greedy", "Failed")
    end = container_status(platform, "greedy")["state"]["terminated"]
    expect(end["reason"] == "OOMKilled" and end["exitCode"] == 137, str(end))


STEPS = [
    a_container_is_who_it_is_told_to_be,
    root_is_refused_to_who_must_not_be_root,
    nobody_has_rights_over_the_machine,
    a_root_may_be_sealed,
    a_neighbour_cannot_be_traced_or_seen,
    a_token_of_another_pod_is_not_to_be_found,
    the_platform_cannot_be_killed,
    the_api_asks_for_a_token,
    processes_are_counted,
    what_leaves_its_session_dies_with_its_pod,
    memory_is_limited,
]
