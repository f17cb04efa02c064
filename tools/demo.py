#!/usr/bin/env python3
# The live demo of ./start: plays one gang through a platform that is up, over its API, so that it
# needs no kubectl; each step says what kubectl would show it.
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

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                        "examples/one_gang")
NAMESPACE = "team-a"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
IN_NAMESPACE = f"/namespaces/{NAMESPACE}"
PATHS = {
    "ResourceFlavor": f"{KUEUE}/resourceflavors",
    "ClusterQueue": f"{KUEUE}/clusterqueues",
    "LocalQueue": f"{KUEUE}{IN_NAMESPACE}/localqueues",
    "Service": f"/api/v1{IN_NAMESPACE}/services",
    "Job": f"/apis/batch/v1{IN_NAMESPACE}/jobs",
}
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PATIENCE_SECONDS = 60


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
            self.send("POST", PATHS[kind], document, fine=fine)

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


def workload_of(api, job):
    for each in api.get(f"{KUEUE}{IN_NAMESPACE}/workloads")["items"]:
        if any(o["name"] == job for o in each["metadata"].get("ownerReferences", [])):
            return each
    return {}


def pods_of(api, job):
    return api.get(f"/api/v1{IN_NAMESPACE}/pods?labelSelector=job-name%3D{job}")["items"]


def wait(what, question):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if question():
            return
        time.sleep(0.02)
    raise SystemExit(f"demo: waited {PATIENCE_SECONDS} s in vain for {what}")


def wait_done(api, job):
    wait(f"job {job} to complete",
         lambda: condition(api.get(f"{PATHS['Job']}/{job}"), "Complete")["status"] == "True")


def forget(api, job):
    api.delete(f"{PATHS['Job']}/{job}")
    api.delete(f"{PATHS['Service']}/{job}")
    wait(f"{job} to go", lambda: not pods_of(api, job) and not workload_of(api, job))


def gang(name, workers, seconds=0):
    with open(os.path.join(EXAMPLES, "train.yaml")) as file:
        text = file.read()
    text = re.sub(r"\btrain\b", name, text).replace("--size, \"2\"", f'--size, "{workers}"')
    text = text.replace("train-0.", f"{name}-0.")
    pause = str(int(seconds * 1000 / 60))
    text = text.replace('"60"]', f'"60", --pause-milliseconds, "{pause}"]')
    return text.replace("completions: 2", f"completions: {workers}").replace(
        "parallelism: 2", f"parallelism: {workers}")


def logs(api, job):
    for pod in sorted(pods_of(api, job), key=lambda p: p["metadata"]["name"]):
        name = pod["metadata"]["name"]
        with api.open("GET", f"/api/v1{IN_NAMESPACE}/pods/{name}/log?follow=true") as stream:
            for line in stream:
                say(f"    {name}: {line.decode().rstrip()}")


def one_gang(api):
    step("A job of two ranks, two GPUs each; they find each other by name and train together.",
         "apply -f examples/one_gang/train.yaml")
    began = time.monotonic()
    api.create(gang("train", 2))
    wait("both ranks to start", lambda: len([p for p in pods_of(api, "train") if p["status"].get(
        "phase") in ("Running", "Succeeded")]) == 2)
    say(f"    submitted, admitted, placed and started in {time.monotonic() - began:.2f} s")
    api.table(f"/api/v1{IN_NAMESPACE}/pods", ["Name", "Ready", "Status", "IP", "Node"])
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
    api.table(f"{KUEUE}{IN_NAMESPACE}/workloads", ["Name", "Queue", "Reserved in", "Admitted"])
    say(f"    {condition(workload_of(api, 'second'), 'QuotaReserved')['message']}")
    wait_done(api, "first")
    wait_done(api, "second")
    say("    both are complete")


def main():
    api = Api(sys.argv[1])
    step("Two nodes of this machine. Their GPUs are declared: simulated devices.", "get nodes")
    api.table("/api/v1/nodes", ["Name", "Status", "Age", "Version"])
    step("A team, its quota and its queue.", "apply -f examples/one_gang/queues.yaml")
    api.send("POST", "/api/v1/namespaces",
             f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {NAMESPACE}}}\n", fine=(409,))
    with open(os.path.join(EXAMPLES, "queues.yaml")) as file:
        api.create(file.read())
    for job in ("train", "six", "first", "second"):
        forget(api, job)
    one_gang(api)
    six_where_four_fit(api)
    one_after_the_other(api)
    for job in ("first", "second"):
        forget(api, job)
    api.table(PATHS["Job"], ["Name", "Status", "Completions", "Duration"])


if __name__ == "__main__":
    main()
