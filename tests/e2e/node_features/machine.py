# What pods have of their machine: its network, its ports, its shared memory, a part of its processors
# and of its disk.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import urllib.request

from platform_under_test import expect, wait_for
from pods import container, create, events, pod, status

BUSY = """
import time
end = time.monotonic() + 1.5
while time.monotonic() < end: pass
print(round(time.process_time(), 2))
"""
ANSWER = """
import http.server
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "5")
        self.end_headers(); self.wfile.write(b"hello")
    def log_message(self, *a): pass
http.server.HTTPServer(("0.0.0.0", 8080), Answer).serve_forever()
"""


def program(text, **more):
    return {"name": "main", "image": "busybox", "command": ["python3", "-c", text], **more}


def runs(platform, name):
    wait_for(f"{name} runs", lambda: status(platform, name).get("phase") == "Running")


def processors_are_limited(platform):
    create(platform, pod("slow", [program(BUSY, resources={"limits": {"cpu": "200m"}})]))
    wait_for("its end", lambda: status(platform, "slow").get("phase") == "Succeeded")
    used = float(platform.kubectl("logs", "slow"))
    expect(used < 0.7, f"{used} s of 1.5 s with a fifth of a processor")


def a_pod_has_the_network_of_its_machine(platform):
    create(platform, pod("host", [container("main", "cat /proc/net/dev; exec sleep 1000")],
                         hostNetwork=True))
    runs(platform, "host")
    seen = status(platform, "host")
    expect(seen["podIP"] == seen["hostIP"] and seen["podIPs"] == seen["hostIPs"], seen)
    links = wait_for("its links", lambda: platform.kubectl("logs", "host"))
    with open("/proc/net/dev") as file:
        here = {line.split(":")[0].strip() for line in file.readlines()[2:]}
    there = {line.split(":")[0].strip() for line in links.splitlines()[2:]}
    expect("lo" in there and there & (here - {"lo"}), f"{there} are not of {here}")


def pods_share_the_memory_of_their_machine(platform):
    ours = "/dev/shm/muster-walk"
    with open(ours, "w") as file:
        file.write("from the machine")
    try:
        create(platform, pod("shares", [container(
            "main", f"cat {ours}; readlink /proc/self/ns/ipc; exec sleep 1000")], hostIPC=True))
        create(platform, pod("alone", [container(
            "main", "ls /dev/shm; readlink /proc/self/ns/ipc; exec sleep 1000")]))
        here = os.readlink("/proc/self/ns/ipc")
        for name, is_shared in (("shares", True), ("alone", False)):
            runs(platform, name)
            said = wait_for("its words", lambda: platform.kubectl("logs", name))
            expect((here in said) == is_shared, f"{name} is in {said}, the machine in {here}")
            expect(("from the machine" in said) == is_shared, said)
            expect(is_shared or "muster-walk" not in said, said)
    finally:
        os.unlink(ours)


def a_port_of_the_machine_leads_to_a_pod(platform):
    create(platform, pod("web", [program(ANSWER, ports=[{"containerPort": 8080,
                                                         "hostPort": 18080}])]))
    runs(platform, "web")
    address = status(platform, "web")["hostIP"]

    def answer():
        try:
            return urllib.request.urlopen(f"http://{address}:18080", timeout=2).read() == b"hello"
        except OSError:
            return False
    wait_for("an answer", answer)
    conditions = [c["type"] for c in status(platform, "web")["conditions"]]
    expect("muster.dev/FieldsIgnored" not in conditions, conditions)
    platform.kubectl("delete", "pod", "web", "host", "--wait=false")


def a_folder_that_grows_too_large_ends_its_pod(platform):
    create(platform, pod("big", [container(
        "main", "dd if=/dev/zero of=/cache/x bs=1M count=4; exec sleep 1000",
        volumeMounts=[{"name": "cache", "mountPath": "/cache"}])],
        volumes=[{"name": "cache", "emptyDir": {"sizeLimit": "2Mi"}}]))
    wait_for("its end", lambda: status(platform, "big").get("phase") == "Failed")
    seen = status(platform, "big")
    expect((seen["reason"], seen["message"]) == (
        "Evicted", 'Usage of EmptyDir volume "cache" exceeds the limit "2Mi". '), seen)
    wait_for("an event", lambda: any("exceeds the limit" in json.dumps(e)
                                     for e in events(platform, "big")))


def a_terminal_has_a_name(platform):
    create(platform, pod("typed", [container("main", "tty", tty=True, stdin=True)]))
    wait_for("its end", lambda: status(platform, "typed").get("phase") == "Succeeded")
    expect("/dev/" in platform.kubectl("logs", "typed"), platform.kubectl("logs", "typed"))


STEPS = [
    processors_are_limited,
    a_pod_has_the_network_of_its_machine,
    pods_share_the_memory_of_their_machine,
    a_port_of_the_machine_leads_to_a_pod,
    a_folder_that_grows_too_large_ends_its_pod,
    a_terminal_has_a_name,
]
