# What a pod may ask of its node: init containers and sidecars, restarts with their pauses, probes,
# hooks, last words.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import Platform, condition, expect, run_steps, wait_for  # noqa: E402
import machine  # noqa: E402
import named_nodes  # noqa: E402
import volumes  # noqa: E402
import walls  # noqa: E402
from pods import (container, container_status, create, events, pod, shown, status,  # noqa: E402
                  wait_for_event, wait_for_phase, wait_for_status)


def init_containers_run_one_after_the_other(platform):
    create(platform, pod("init", [container("main", "cat /work/steps")],
                         initContainers=[
        container("one", "sleep 1; echo one >> /work/steps",
                  volumeMounts=[{"name": "work", "mountPath": "/work"}]),
        container("two", "sleep 1; echo two >> /work/steps",
                  volumeMounts=[{"name": "work", "mountPath": "/work"}])],
        volumes=[{"name": "work", "emptyDir": {}}]))
    wait_for_status(platform, "init", "Init:0/2")
    found = condition(platform.get("pod", "init"), "Initialized")
    expect(found["status"] == "False" and found["reason"] == "ContainersNotInitialized",
           f"Initialized is {found}")
    expect(found["message"] == "containers with incomplete status: [one two]", found["message"])
    main = container_status(platform, "init")
    expect(main["state"] == {"waiting": {"reason": "PodInitializing"}}, str(main))
    wait_for_status(platform, "init", "Init:1/2")
    wait_for_phase(platform, "init", "Failed")  # it has no mount of the volume


def init_containers_hand_over_to_the_main_one(platform):
    mount = {"volumeMounts": [{"name": "work", "mountPath": "/work"}]}
    create(platform, pod("handed", [container("main", "cat /work/steps", **mount)],
                         initContainers=[container("one", "echo one >> /work/steps", **mount),
                                         container("two", "echo two >> /work/steps", **mount)],
                         volumes=[{"name": "work", "emptyDir": {}}]))
    wait_for_phase(platform, "handed", "Succeeded")
    expect(platform.kubectl("logs", "handed", "-c", "main") == "one\ntwo\n", "its log")
    for name in ("one", "two"):
        each = container_status(platform, "handed", name)
        expect(each["ready"] and each["state"]["terminated"]["reason"] == "Completed", str(each))
    found = condition(platform.get("pod", "handed"), "Initialized")
    expect(found["status"] == "True" and found["reason"] == "PodCompleted", str(found))
    expect(all(kind == "Normal" for kind, _, _ in events(platform, "handed")), "nothing failed")


def an_init_container_that_fails_fails_the_pod(platform):
    create(platform, pod("badinit", [container("main", "echo never")],
                         initContainers=[container("one", "exit 7")]))
    wait_for_phase(platform, "badinit", "Failed")
    expect(shown(platform, "badinit")[:2] == ["0/1", "Init:Error"], str(shown(platform, "badinit")))
    main = container_status(platform, "badinit")
    expect(main["state"] == {"waiting": {"reason": "PodInitializing"}}, str(main))
    expect(platform.kubectl("logs", "badinit", "-c", "one") == "", "the log of an init container")


def an_init_container_is_run_again(platform):
    create(platform, pod("again", [container("main", "echo never")], restartPolicy="OnFailure",
                         initContainers=[container("one", "exit 7")]))
    wait_for_status(platform, "again", "Init:CrashLoopBackOff")
    one = container_status(platform, "again", "one")
    expect(one["restartCount"] >= 1 and one["lastState"]["terminated"]["exitCode"] == 7, str(one))
    wait_for_event(platform, "again", "Warning", "BackOff",
                   "Back-off restarting failed container one in pod again_default(")
    platform.kubectl("delete", "pod", "again", "--wait=false")
    wait_for("it to go", lambda: platform.get("pod", "again") is None)


def a_sidecar_serves_and_does_not_hold_the_pod(platform):
    mount = {"volumeMounts": [{"name": "work", "mountPath": "/work"}]}
    side = container("side", "trap 'echo bye; exit 0' TERM; touch /work/up; while :; do sleep 0.1; "
                     "done", restartPolicy="Always",
                     startupProbe={"exec": {"command": ["test", "-f", "/work/up"]},
                                   "periodSeconds": 1}, **mount)
    create(platform, pod("served", [container("main", "test -f /work/up && sleep 2", **mount)],
                         initContainers=[side], volumes=[{"name": "work", "emptyDir": {}}]))
    wait_for("both to be ready", lambda: shown(platform, "served")[:2] == ["2/2", "Running"])
    wait_for_phase(platform, "served", "Succeeded")
    end = container_status(platform, "served", "side")
    expect(end["state"]["terminated"]["exitCode"] == 0, str(end))
    expect(platform.kubectl("logs", "served", "-c", "side") == "bye\n", "it was asked to end")
    expect(shown(platform, "served")[1] == "Completed", str(shown(platform, "served")))


def a_container_that_crashes_waits_longer_each_time(platform):
    create(platform, pod("crash", [container("main", "exit 3")], restartPolicy="Always"))
    wait_for_status(platform, "crash", "CrashLoopBackOff")
    main = container_status(platform, "crash")
    expect("back-off 10s restarting failed container=main pod=crash_default(" in
           main["state"]["waiting"]["message"], str(main))
    expect(main["lastState"]["terminated"]["exitCode"] == 3, str(main))
    wait_for("a second restart", lambda: container_status(platform, "crash")["restartCount"] >= 2)


def counts_survive_the_platform(platform):
    before = container_status(platform, "crash")["restartCount"]
    platform.kill()
    platform.up()
    time.sleep(1)
    after = container_status(platform, "crash")["restartCount"]
    expect(after in (before, before + 1), f"{before} became {after}")
    wait_for_status(platform, "crash", "CrashLoopBackOff")
    platform.kubectl("delete", "pod", "crash", "--wait=false")


def a_probe_decides_about_readiness(platform):
    create(platform, pod("ready", [container(
        "main", "sleep 2; touch /tmp/ok; sleep 2; rm /tmp/ok; sleep 60",
        readinessProbe={"exec": {"command": ["cat", "/tmp/ok"]}, "periodSeconds": 1,
                        "failureThreshold": 1})]))
    wait_for("it to run", lambda: shown(platform, "ready")[:2] == ["0/1", "Running"])
    found = condition(platform.get("pod", "ready"), "Ready")
    expect(found["reason"] == "ContainersNotReady" and
           found["message"] == "containers with unready status: [main]", str(found))
    wait_for("it to be ready", lambda: shown(platform, "ready")[:1] == ["1/1"])
    wait_for("it to be unready", lambda: shown(platform, "ready")[:1] == ["0/1"])
    wait_for_event(platform, "ready", "Warning", "Unhealthy",
                   "Readiness probe failed: cat: /tmp/ok: No such file or directory")
    platform.kubectl("delete", "pod", "ready", "--wait=false")


def a_container_that_is_not_alive_is_killed(platform):
    create(platform, pod("alive", [container(
        "main", "sleep 600",
        livenessProbe={"tcpSocket": {"port": 9}, "periodSeconds": 1, "failureThreshold": 2})],
        restartPolicy="Always", terminationGracePeriodSeconds=1))
    wait_for_event(platform, "alive", "Warning", "Unhealthy", "Liveness probe failed: dial tcp ")
    wait_for_event(platform, "alive", "Normal", "Killing",
                   "Container main failed liveness probe, will be restarted")
    wait_for("a restart", lambda: container_status(platform, "alive")["restartCount"] >= 1)
    end = container_status(platform, "alive")["lastState"]["terminated"]
    expect(end["exitCode"] in (137, 143), str(end))
    platform.kubectl("delete", "pod", "alive", "--wait=false")


SERVER = """
import http.server
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response({"/well": 200, "/moved": 302}.get(self.path, 503))
        if self.path == "/moved": self.send_header("Location", "/well")
        self.end_headers()
http.server.HTTPServer(("", 8080), Answer).serve_forever()
"""


def http_is_asked(platform):
    def server(name, path):
        return {"name": name, "image": "muster.dev/python", "command": ["python3", "-c", SERVER],
                "ports": [{"name": "web", "containerPort": 8080}],
                "readinessProbe": {"httpGet": {"path": path, "port": "web"}, "periodSeconds": 1}}
    create(platform, pod("web", [server("main", "/moved")]))
    create(platform, pod("sick", [server("main", "/sick")]))
    wait_for("it to be ready", lambda: shown(platform, "web")[:1] == ["1/1"])
    wait_for_event(platform, "sick", "Warning", "Unhealthy",
                   "Readiness probe failed: HTTP probe failed with statuscode: 503")
    for name in ("web", "sick"):
        platform.kubectl("delete", "pod", name, "--wait=false")


ENCRYPTED = """
import http.server, ssl, subprocess
subprocess.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k -out /tmp/c -days 1 "
               "-subj /CN=x", shell=True, check=True)
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
server = http.server.HTTPServer(("", 8443), Answer)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/tmp/c", "/tmp/k")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def https_is_asked_without_looking_at_certificates(platform):
    create(platform, pod("secure", [{
        "name": "main", "image": "muster.dev/python", "command": ["python3", "-c", ENCRYPTED],
        "readinessProbe": {"httpGet": {"path": "/", "port": 8443, "scheme": "HTTPS"},
                           "periodSeconds": 1, "timeoutSeconds": 2}}]))
    wait_for("it to be ready", lambda: shown(platform, "secure")[:1] == ["1/1"])
    platform.kubectl("delete", "pod", "secure", "--wait=false")


def what_does_not_start_in_time_is_restarted(platform):
    create(platform, pod("slow", [container(
        "main", "sleep 600", startupProbe={"exec": {"command": ["false"]}, "periodSeconds": 1,
                                           "failureThreshold": 2})],
        restartPolicy="Always", terminationGracePeriodSeconds=1))
    wait_for_event(platform, "slow", "Normal", "Killing",
                   "Container main failed startup probe, will be restarted")
    expect(container_status(platform, "slow")["started"] is False, "it has not started")
    platform.kubectl("delete", "pod", "slow", "--wait=false")


def hooks_come_first_and_last(platform):
    create(platform, pod("hooks", [container(
        "main", "trap 'cat /workspace/said; exit 0' TERM; while :; do sleep 0.1; done",
        lifecycle={"postStart": {"exec": {"command": ["sh", "-c", "echo hello >> /workspace/said"]}},
                   "preStop": {"exec": {"command": ["sh", "-c", "echo bye >> /workspace/said"]}}})],
        terminationGracePeriodSeconds=10))
    wait_for_phase(platform, "hooks", "Running")
    # Until it is gone its log can be read.
    platform.kubectl("patch", "pod", "hooks", "--type=merge", "-p",
                     '{"metadata":{"finalizers":["example.com/keep"]}}')
    platform.kubectl("delete", "pod", "hooks", "--wait=false")
    wait_for_phase(platform, "hooks", "Succeeded")
    expect(platform.kubectl("logs", "hooks") == "hello\nbye\n", platform.kubectl("logs", "hooks"))
    platform.kubectl("patch", "pod", "hooks", "--type=merge", "-p",
                     '{"metadata":{"finalizers":null}}')


def a_first_hook_that_fails_ends_the_container(platform):
    create(platform, pod("badhook", [container(
        "main", "sleep 600", lifecycle={"postStart": {"exec": {"command": ["false"]}}})],
        terminationGracePeriodSeconds=1))
    wait_for_event(platform, "badhook", "Warning", "FailedPostStartHook", "PostStartHook failed")
    wait_for_phase(platform, "badhook", "Failed")


def last_words_are_told(platform):
    create(platform, pod("words", [container("main", "echo sorry > /dev/termination-log; exit 4")]))
    create(platform, pod("logged", [container(
        "main", "echo 'no such rank'; exit 5", terminationMessagePolicy="FallbackToLogsOnError")]))
    wait_for_phase(platform, "words", "Failed")
    wait_for_phase(platform, "logged", "Failed")
    end = container_status(platform, "words")["state"]["terminated"]
    expect(end["message"] == "sorry\n" and end["exitCode"] == 4, str(end))
    end = container_status(platform, "logged")["state"]["terminated"]
    expect(end["message"] == "no such rank\n", str(end))


def a_deadline_ends_the_pod(platform):
    create(platform, pod("late", [container("main", "sleep 600")], activeDeadlineSeconds=2))
    wait_for_phase(platform, "late", "Failed")
    found = status(platform, "late")
    expect(found["reason"] == "DeadlineExceeded", str(found))
    expect(found["message"] == "Pod was active on the node longer than the specified deadline",
           found["message"])


def a_grace_is_kept_exactly(platform):
    create(platform, pod("deaf", [container("main", "trap '' TERM; while :; do sleep 0.1; done")],
                         terminationGracePeriodSeconds=2))
    wait_for_phase(platform, "deaf", "Running")
    time.sleep(0.5)
    began = time.monotonic()
    platform.kubectl("delete", "pod", "deaf")
    took = time.monotonic() - began
    expect(1.5 < took < 5, f"it took {took:.1f} s")


STEPS = [
    init_containers_run_one_after_the_other,
    init_containers_hand_over_to_the_main_one,
    an_init_container_that_fails_fails_the_pod,
    an_init_container_is_run_again,
    a_sidecar_serves_and_does_not_hold_the_pod,
    a_container_that_crashes_waits_longer_each_time,
    counts_survive_the_platform,
    a_probe_decides_about_readiness,
    a_container_that_is_not_alive_is_killed,
    http_is_asked,
    https_is_asked_without_looking_at_certificates,
    what_does_not_start_in_time_is_restarted,
    hooks_come_first_and_last,
    a_first_hook_that_fails_ends_the_container,
    last_words_are_told,
    a_deadline_ends_the_pod,
    a_grace_is_kept_exactly,
]


def main():
    platform = Platform(["name=n1,cpu=8,memory=16Gi", "name=n2,cpu=8,memory=16Gi"])
    platform.shared = os.path.join(platform.folder, "shared")
    platform.up(first=True, more=["--host-path", platform.shared])
    only = sys.argv[1:]
    steps = STEPS
    for part in (volumes, walls, machine, named_nodes):
        steps = steps + part.STEPS
    return run_steps(platform, [step for step in steps if not only or step.__name__ in only])


if __name__ == "__main__":
    sys.exit(main())
