#!/usr/bin/env python3
# The live demo of ./start: plays one gang, and then two teams that share the cluster, through a
# platform that is up, over its API, so that it needs no kubectl; each step says what kubectl would
# show it.
#
#   tools/demo.py KUBECONFIG
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import re
import ssl
import sys
import time
import urllib.error
import urllib.request

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
NAMESPACE = "team-a"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
KINDS = {  # the path of the group, the plural
    "Namespace": ("/api/v1", "namespaces"),
    "Service": ("/api/v1", "services"),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims"),
    "Pod": ("/api/v1", "pods"),
    "Job": ("/apis/batch/v1", "jobs"),
    "ResourceFlavor": (KUEUE, "resourceflavors"),
    "Cohort": (KUEUE, "cohorts"),
    "ClusterQueue": (KUEUE, "clusterqueues"),
    "LocalQueue": (KUEUE, "localqueues"),
    "Workload": (KUEUE, "workloads"),
    "WorkloadPriorityClass": (KUEUE, "workloadpriorityclasses"),
}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PATIENCE_SECONDS = 60


def path_of(kind, namespace=None):
    group, plural = KINDS[kind]
    return f"{group}/namespaces/{namespace}/{plural}" if namespace else f"{group}/{plural}"


def example(name):
    with open(os.path.join(EXAMPLES, name)) as file:
        return file.read()


class Api:
    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            text = file.read()

        def field(name):
            return re.search(rf"{name}: *\"?([^\"\n]+)", text).group(1)

        self.server = field("server")
        self.token = field("token")
        authority = base64.b64decode(field("certificate-authority-data")).decode()
        self.context = ssl.create_default_context(cadata=authority)

    def open(self, method, path, body=None, accept="application/json", kind="application/yaml"):
        request = urllib.request.Request(self.server + path, method=method, data=body)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", accept)
        if body is not None:
            request.add_header("Content-Type", kind)
        return urllib.request.urlopen(request, context=self.context, timeout=PATIENCE_SECONDS)

    def get(self, path, accept="application/json"):
        with self.open("GET", path, accept=accept) as answer:
            return json.load(answer)

    def send(self, method, path, body, kind="application/yaml", fine=()):
        try:
            with self.open(method, path, body.encode(), kind=kind) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code in fine:
                return None
            raise SystemExit(f"demo: {method} {path}: {error.read().decode()}") from error

    def create(self, manifest, fine=(409,)):
        for document in re.split(r"^---$", manifest, flags=re.MULTILINE):
            kind = re.search(r"^kind: (\w+)", document, flags=re.MULTILINE).group(1)
            namespace = re.search(r"^  namespace: (\S+)", document, flags=re.MULTILINE)
            self.send("POST", path_of(kind, namespace and namespace.group(1)), document, fine=fine)

    def delete(self, path):
        self.send("DELETE", path, '{"propagationPolicy":"Background"}', "application/json", (404,))

    def table(self, path, columns):
        """The server's own table, as `kubectl get` prints it."""
        answer = self.get(path, TABLE)
        names = [c["name"] for c in answer["columnDefinitions"]]
        kept = [names.index(name) for name in columns]
        rows = [[name.upper() for name in columns]]
        rows += [[str(row["cells"][i]) for i in kept] for row in answer["rows"]]
        widths = [max(len(row[i]) for row in rows) for i in range(len(kept))]
        for row in rows:
            print("    " + "   ".join(cell.ljust(width) for cell, width in zip(row, widths)))


def say(text):
    print(text, flush=True)


def step(text, command=None):
    say(f"\n• {text}" + (f"    [kubectl {command}]" if command else ""))


def condition(thing, name):
    for each in thing.get("status", {}).get("conditions", []):
        if each["type"] == name:
            return each
    return {"status": "", "message": ""}


def workload_of(api, job, namespace=NAMESPACE):
    for each in api.get(path_of("Workload", namespace))["items"]:
        if any(o["name"] == job for o in each["metadata"].get("ownerReferences", [])):
            return each
    return {}


def pods_of(api, job, namespace=NAMESPACE):
    return api.get(f"{path_of('Pod', namespace)}?labelSelector=job-name%3D{job}")["items"]


def running(api, job, namespace=NAMESPACE):
    return [p for p in pods_of(api, job, namespace) if p["status"].get("phase") == "Running"]


def reason_to_wait(api, job, namespace=NAMESPACE):
    """The sentence on a workload that waits; empty while there is none."""
    found = condition(workload_of(api, job, namespace), "QuotaReserved")
    return found["message"] if found["status"] == "False" else ""


def wait(what, question):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if question():
            return
        time.sleep(0.02)
    raise SystemExit(f"demo: waited {PATIENCE_SECONDS} s in vain for {what}")


def has_started(api, job, ranks):
    """Ends the demo at once where this machine cannot start a process for a pod, and says why."""
    pods = pods_of(api, job)
    for pod in pods:
        for container in pod["status"].get("containerStatuses", []):
            ended = container.get("state", {}).get("terminated", {})
            if ended.get("reason") == "StartError":
                raise SystemExit(f"demo: pod {pod['metadata']['name']} cannot start: {ended['message']}")
    return len([p for p in pods if p["status"].get("phase") in ("Running", "Succeeded")]) == ranks


def wait_done(api, job, namespace=NAMESPACE):
    path = f"{path_of('Job', namespace)}/{job}"
    wait(f"job {job} to complete",
         lambda: condition(api.get(path), "Complete")["status"] == "True")


def forget(api, job, namespace=NAMESPACE):
    api.delete(f"{path_of('Job', namespace)}/{job}")
    api.delete(f"{path_of('Service', namespace)}/{job}")
    wait(f"{job} to go",
         lambda: not pods_of(api, job, namespace) and not workload_of(api, job, namespace))


def gang(name, workers, seconds=0):
    text = example("one_gang/train.yaml")
    text = re.sub(r"\btrain\b", name, text).replace("--size, \"2\"", f'--size, "{workers}"')
    text = text.replace("train-0.", f"{name}-0.")
    pause = str(int(seconds * 1000 / 60))
    text = text.replace('"60"]', f'"60", --pause-milliseconds, "{pause}"]')
    return text.replace("completions: 2", f"completions: {workers}").replace(
        "parallelism: 2", f"parallelism: {workers}")


def logs(api, job):
    for pod in sorted(pods_of(api, job), key=lambda p: p["metadata"]["name"]):
        name = pod["metadata"]["name"]
        with api.open("GET", f"{path_of('Pod', NAMESPACE)}/{name}/log?follow=true") as stream:
            for line in stream:
                say(f"    {name}: {line.decode().rstrip()}")


def one_gang(api):
    step("A job of two ranks, two GPUs each; they find each other by name and train together.",
         "apply -f examples/one_gang/train.yaml")
    began = time.monotonic()
    api.create(gang("train", 2))
    wait("both ranks to start", lambda: has_started(api, "train", 2))
    say(f"    submitted, admitted, placed and started in {time.monotonic() - began:.2f} s")
    api.table(path_of("Pod", NAMESPACE), ["Name", "Ready", "Status", "IP", "Node"])
    logs(api, "train")
    wait_done(api, "train")
    found = workload_of(api, "train")
    for name in ("QuotaReserved", "Admitted", "Finished"):
        say(f"    {name}: {condition(found, name)['message']}")


def six_where_four_fit(api):
    step("A job of six such workers where four fit: not one pod is made, and it says why.",
         "describe workload")
    api.create(gang("six", 6))
    wait("a reason", lambda: condition(workload_of(api, "six"), "QuotaReserved")["message"])
    say(f"    {condition(workload_of(api, 'six'), 'QuotaReserved')['message']}")
    say(f"    pods: {len(pods_of(api, 'six'))}")
    forget(api, "six")


def one_after_the_other(api):
    step("A job that fills everything, and a second one: it waits whole, and starts by itself.",
         "get workloads -w")
    api.create(gang("first", 4, seconds=2))
    wait("the first to run", lambda: len(pods_of(api, "first")) == 4)
    api.create(gang("second", 4))
    wait("the second to wait",
         lambda: condition(workload_of(api, "second"), "QuotaReserved")["status"] == "False")
    api.table(path_of("Workload", NAMESPACE), ["Name", "Queue", "Reserved in", "Admitted"])
    say(f"    {condition(workload_of(api, 'second'), 'QuotaReserved')['message']}")
    wait_done(api, "first")
    wait_done(api, "second")
    say("    both are complete")


def last_line(api, job, namespace, words):
    """The newest line of rank 0 that has one of the words."""
    for pod in pods_of(api, job, namespace):
        if pod["metadata"]["name"].startswith(f"{job}-0-"):
            path = f"{path_of('Pod', namespace)}/{pod['metadata']['name']}/log"
            try:
                with api.open("GET", path) as answer:
                    lines = [line for line in answer.read().decode().splitlines()
                             if any(word in line for word in words)]
                return lines[-1] if lines else ""
            except urllib.error.HTTPError:
                return ""
    return ""


def gpus_of(api, queue):
    usage = api.get(f"{path_of('ClusterQueue')}/{queue}")["status"]["flavorsUsage"][0]["resources"]
    return next(each for each in usage if each["name"] == "nvidia.com/gpu")


def borrow(api):
    step("Two teams with four GPUs each, in one cohort.", "apply -f examples/two_teams/teams.yaml")
    api.create(example("two_teams/teams.yaml"))
    for job, namespace in (("long", "vision"), ("owner", "speech"), ("urgent", "vision")):
        forget(api, job, namespace)
    api.delete(f"{path_of('PersistentVolumeClaim', 'vision')}/checkpoints")
    wait("the old claim to go", lambda: not api.get(
        path_of("PersistentVolumeClaim", "vision"))["items"])
    step("Team vision trains on eight: four of its own, four borrowed from speech, who uses none.",
         "apply -f examples/two_teams/long.yaml")
    api.create(example("two_teams/long.yaml"))
    wait("four ranks", lambda: len(running(api, "long", "vision")) == 4)
    wait("a first checkpoint", lambda: last_line(api, "long", "vision", ["step 20 "]))
    wait("the queue to tell of it", lambda: gpus_of(api, "vision")["total"] != "0")
    gpus = gpus_of(api, "vision")
    say(f"    GPUs of vision: {gpus['total']} in use, {gpus['borrowed']} of them borrowed")


def reclaim(api):
    step("Speech wants its own back: the borrower is told to end, keeps a checkpoint, and waits.",
         "apply -f examples/two_teams/owner.yaml")
    began = time.monotonic()
    api.create(example("two_teams/owner.yaml"))
    wait("speech to run", lambda: len(running(api, "owner", "speech")) == 2)
    say(f"    both ranks of speech run {time.monotonic() - began:.2f} s after they were submitted")
    say(f"    long: {condition(workload_of(api, 'long', 'vision'), 'Evicted')['message']}")
    wait("a reason", lambda: reason_to_wait(api, "long", "vision"))
    say(f"    long: {reason_to_wait(api, 'long', 'vision')}")
    wait_done(api, "owner", "speech")
    step("Speech is done; the borrower comes back by itself and goes on from its checkpoint.",
         "logs -n vision -l batch.kubernetes.io/job-name=long")
    wait("long to go on", lambda: last_line(api, "long", "vision", ["goes on"]))
    say(f"    {last_line(api, 'long', 'vision', ['goes on'])}")


def preempt(api):
    step("Inside a team, priority decides: an urgent job goes before the long one.",
         "apply -f examples/two_teams/urgent.yaml")
    wait("long to run", lambda: len(running(api, "long", "vision")) == 4)
    api.create(example("two_teams/urgent.yaml"))
    wait_done(api, "urgent", "vision")
    say(f"    long: {condition(workload_of(api, 'long', 'vision'), 'Preempted')['message']}")
    wait_done(api, "long", "vision")
    say(f"    {last_line(api, 'long', 'vision', ['goes on'])}")
    say(f"    {last_line(api, 'long', 'vision', ['SUCCESS'])}")
    api.table(path_of("Workload", "vision"), ["Name", "Queue", "Admitted", "Finished"])


def main():
    api = Api(sys.argv[1])
    step("Two nodes of this machine. Their GPUs are declared: simulated devices.", "get nodes")
    api.table("/api/v1/nodes", ["Name", "Status", "Age", "Version"])
    step("A team, its quota and its queue.", "apply -f examples/one_gang/queues.yaml")
    api.send("POST", "/api/v1/namespaces",
             f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {NAMESPACE}}}\n", fine=(409,))
    api.create(example("one_gang/queues.yaml"))
    for job in ("train", "six", "first", "second"):
        forget(api, job)
    one_gang(api)
    six_where_four_fit(api)
    one_after_the_other(api)
    for job in ("first", "second"):
        forget(api, job)
    api.table(path_of("Job", NAMESPACE), ["Name", "Status", "Completions", "Duration"])
    borrow(api)
    reclaim(api)
    preempt(api)


if __name__ == "__main__":
    main()
