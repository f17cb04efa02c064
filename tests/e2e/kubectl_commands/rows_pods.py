# The rows about pods: logs, exec, attach, cp, port-forward, debug, describe, events.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import socket
import time

from platform_under_test import expect, free_port, wait_for

POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {app: p}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox:1
    command: [sh, -c, "COMMAND"]
"""


def pod(name, command):
    return POD.replace("NAME", name).replace("COMMAND", command)


def running(kubectl, name, command="echo hello from here; echo second; sleep 600"):
    kubectl.apply(pod(name, command))
    kubectl(f"wait pod/{name} --for=jsonpath={{.status.phase}}=Running --timeout=30s")


def logs(kubectl):
    running(kubectl, "p")
    kubectl.until("logs p", "second")
    expect(kubectl("logs p --tail=1") == "second\n", "the tail")
    kubectl("logs p -c main --limit-bytes=5", "hello")
    expect(re.match(r"\d{4}-\d\d-\d\dT", kubectl("logs p --timestamps")), "timestamps")
    kubectl("logs p --since=1h", "hello")
    kubectl("logs -l app=p --prefix", "[pod/p/main] hello")
    kubectl("logs p -c nope", "container nope is not valid for pod p", status=1)
    kubectl("logs nope", "not found", status=1)
    kubectl("logs p --previous", "previous terminated container", status=1)
    kubectl.apply(pod("short", "echo a; sleep 1; echo b"))
    kubectl("wait pod/short --for=jsonpath={.status.phase}=Running --timeout=30s")
    expect(kubectl("logs -f short") == "a\nb\n", "following ends with the pod")


def exec_in_pods(kubectl):
    running(kubectl, "p")
    expect(kubectl("exec p -- echo one two") == "one two\n", "exec")
    expect(kubectl("exec -i p -- cat", stdin="from stdin\n") == "from stdin\n", "exec -i")
    kubectl(["exec", "p", "--", "sh", "-c", "exit 3"], "exit code 3", status=3)
    kubectl(["exec", "p", "--", "sh", "-c", "echo on stderr >&2"], "on stderr")
    kubectl("exec p -c nope -- true", status=1)
    kubectl("exec nope -- true", "not found", status=1)
    large = "x" * 70 + "\n"
    expect(kubectl("exec -i p -- cat", stdin=large * 3000) == large * 3000, "200 KB and back")


def copy_files(kubectl):
    running(kubectl, "p")
    there = "/tmp/carried"  # the pod has its own
    here = os.path.join(kubectl.home, "here-" + kubectl.namespace)
    with open(here, "w") as file:
        file.write("carried\n" * 1000)
    kubectl(f"cp {here} p:{there}")
    kubectl(f"cp p:{there} {here}.back")
    with open(here + ".back") as file:
        expect(file.read() == "carried\n" * 1000, "the file came back as it went")


def attach(kubectl):
    running(kubectl, "p", "while true; do echo tick; sleep 0.2; done")
    attached = kubectl.start("attach p")
    lines = [attached.stdout.readline() for _ in range(3)]
    attached.kill()
    expect(any("tick" in line for line in lines), f"attach: {lines}")


def forward_ports(kubectl):
    there, here = free_port(), free_port()
    running(kubectl, "p", f"python3 -m http.server {there} --bind 127.0.0.1")
    forward = kubectl.start(f"port-forward pod/p {here}:{there}")
    expect("Forwarding from" in forward.stdout.readline(), "it says that it forwards")

    def page():
        with socket.create_connection(("127.0.0.1", here), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = b""
            while piece := client.recv(65536):
                answer += piece
        return b"200 OK" in answer

    try:
        wait_for("a page through the forwarded port", page, 20)
    finally:
        forward.kill()


def debug(kubectl):
    running(kubectl, "p")
    kubectl("debug p --image=busybox:1 --container=dbg --attach=false -- sleep 60")
    expect(kubectl("get pod p -o jsonpath={.spec.ephemeralContainers[0].name}") == "dbg", "it is there")


def describe(kubectl):
    running(kubectl, "p")
    said = kubectl("describe pod p", "Name:", "Status:", "Running", "busybox:1", "Events:")
    expect("Node:" in said, "where it runs")
    kubectl("describe node n1", "Allocatable:", "Lease:", "HolderIdentity")
    kubectl(f"describe namespace {kubectl.namespace}", "Status:", "Active")
    kubectl("describe cm nope", "not found", status=1)


def events(kubectl):
    running(kubectl, "p")
    kubectl.until("events", "Pod/p")
    kubectl("events --for pod/p", "Pod/p")
    kubectl("get events", "LAST SEEN", "pod/p")
    kubectl("get events.events.k8s.io", "pod/p")


def run_and_delete(kubectl):
    said = kubectl("run r --image=busybox:1 --restart=Never --command -- sleep 600", "pod/r created")
    expect(said, "it is there")
    kubectl("wait pod/r --for=condition=Ready --timeout=30s", "condition met")
    kubectl("get pod r", "1/1", "Running")
    began = time.monotonic()
    kubectl("delete pod r --grace-period=1", "deleted")
    expect(time.monotonic() - began < 20, "it goes within its grace")
    kubectl("get pod r", "not found", status=1)
    kubectl("run r2 --image=busybox:1 --restart=Never --command -- sleep 600", "pod/r2 created")
    kubectl("delete pod r2 --force", "force deleted")
