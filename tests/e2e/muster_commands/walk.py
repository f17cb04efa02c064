# muster get, describe, apply, delete, logs, wait and events against a platform of their own, with
# kubectl's habits: what scripts compare is compared here.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import MUSTER, PATIENCE_SECONDS, Platform, expect, run_steps  # noqa: E402

CONFIG_MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: cm, labels: {app: x}}
data: {a: old, b: "2"}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers: [{name: c, image: "busybox:1", command: [sh, -c, "echo hello; sleep 600"]}]
"""


def muster(platform, words, *wanted, stdin=None, status=0):
    """What it printed; the status and the wanted words are expected."""
    command = [MUSTER, *(words if isinstance(words, list) else words.split())]
    done = subprocess.run(command, input=stdin, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE_SECONDS,
                          env=dict(os.environ, KUBECONFIG=platform.kubeconfig))
    expect(done.returncode == status, f"{words} ended with {done.returncode}: {done.stdout}")
    for word in wanted:
        expect(word in done.stdout, f"{words} did not say {word!r}: {done.stdout}")
    return done.stdout


def the_platform_comes_up(platform):
    platform.up(first=True)


def manifests_are_applied(platform):
    muster(platform, "apply -f -", "configmap/cm created", stdin=CONFIG_MAP)
    muster(platform, "apply -f -", "configmap/cm unchanged", stdin=CONFIG_MAP)
    muster(platform, "apply -f -", "configmap/cm configured", stdin=CONFIG_MAP.replace(
        ', b: "2"', ""))
    expect(muster(platform, "get cm cm -o jsonpath={.data}") == '{"a":"old"}', "what is gone is gone")
    muster(platform, "apply --dry-run=server -f -", "created (server dry run)",
           stdin=CONFIG_MAP.replace("name: cm", "name: dry"))
    muster(platform, "get cm dry", "NotFound", status=1)
    muster(platform, "apply -f -", "foo", status=1, stdin=CONFIG_MAP + "foo: bar\n")
    muster(platform, "apply -f -", "no matches for kind", status=1, stdin=CONFIG_MAP.replace(
        "ConfigMap", "Nonsense"))
    folder = os.path.join(platform.folder, "manifests")
    os.mkdir(folder)
    for name in ("one", "two"):
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(CONFIG_MAP.replace("name: cm", f"name: {name}"))
    muster(platform, f"apply -f {folder}", "configmap/one created", "configmap/two created")


def objects_are_shown_in_all_forms(platform):
    said = muster(platform, "get cm cm")
    expect(said.split()[:4] == ["NAME", "DATA", "AGE", "cm"], f"the table: {said}")
    muster(platform, "get configmaps -l app=x --no-headers", "cm")
    muster(platform, "get cm --field-selector metadata.name=cm -o name", "configmap/cm")
    muster(platform, "get cm -A", "NAMESPACE", "default")
    muster(platform, "get cm cm -o yaml", "kind: ConfigMap", "a: old")
    expect(json.loads(muster(platform, "get cm cm -o json"))["data"] == {"a": "old"}, "json")
    expect(len(json.loads(muster(platform, "get cm -o json"))["items"]) >= 3, "a list as json")
    muster(platform, "get cm -o custom-columns=N:.metadata.name,A:.data.a", "N", "cm", "old")
    muster(platform, "get nodes -o wide", "INTERNAL-IP", "n1")
    muster(platform, "get node/n1 cm/cm", "node/n1", "configmap/cm")
    muster(platform, "get secrets -n nowhere", "No resources found in nowhere namespace.")
    muster(platform, "get nonsense", "error: the server doesn't have a resource type", status=1)
    muster(platform, "get cm nope", 'Error from server (NotFound): configmaps "nope" not found',
           status=1)
    muster(platform, "get cm nope --ignore-not-found")
    muster(platform, "get clusterqueues.v1beta1.kueue.x-k8s.io", "No resources found")
    muster(platform, "describe cm cm", "Name:         cm", "Kind:         ConfigMap", "Events:")


def what_happens_is_followed(platform):
    watch = subprocess.Popen([MUSTER, "get", "cm", "-w", "-l", "app=w"], stdout=subprocess.PIPE,
                             text=True, env=dict(os.environ, KUBECONFIG=platform.kubeconfig))
    time.sleep(1)
    muster(platform, "apply -f -", stdin=CONFIG_MAP.replace("name: cm", "name: w").replace(
        "app: x", "app: w"))
    muster(platform, "delete cm w", 'configmap "w" deleted')
    lines = [watch.stdout.readline().split()[:2] for _ in range(3)]
    watch.kill()
    expect(lines == [["NAME", "DATA"], ["w", "2"], ["w", "2"]], f"the watch printed {lines}")


def pods_are_waited_for_and_their_logs_read(platform):
    muster(platform, "apply -f -", "pod/p created", stdin=POD)
    muster(platform, "wait pod/p --for condition=Ready --timeout 30s", "pod/p condition met")
    muster(platform, ["wait", "pod/p", "--for", "jsonpath={.status.phase}=Running"], "condition met")
    muster(platform, "wait pod/p --for condition=Never --timeout 1s",
           "error: timed out waiting for the condition on pods/p", status=1)
    expect(muster(platform, "logs p") == "hello\n", "its log")
    expect(muster(platform, "logs pod/p -c c --tail 1") == "hello\n", "the tail of its log")
    muster(platform, "logs p -c nope", "container nope is not valid for pod p", status=1)
    expect(muster(platform, "exec p -- echo one two") == "one two\n", "a command in it")
    expect(muster(platform, "exec -i p -- cat", stdin="given\n") == "given\n", "with input")
    muster(platform, ["exec", "p", "--", "sh", "-c", "exit 3"], status=3)
    muster(platform, "exec nope -- true", "NotFound", status=1)
    muster(platform, "events", "LAST SEEN", "pod/p")
    muster(platform, "events --for pod/p", "pod/p")
    muster(platform, "delete pod p --grace-period 0", 'pod "p" deleted')


def objects_are_deleted(platform):
    muster(platform, "delete cm one", 'configmap "one" deleted')
    muster(platform, "delete cm/two cm/nope", 'configmap "two" deleted', "NotFound", status=1)
    muster(platform, "delete cm nope --ignore-not-found")
    muster(platform, "delete cm", "no name was specified", status=1)
    muster(platform, "delete -f -", 'configmap "cm" deleted', stdin=CONFIG_MAP)
    muster(platform, "apply -f -", stdin=CONFIG_MAP)
    muster(platform, "delete cm --all", 'configmap "cm" deleted')


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=8Gi"], finds_kubectl=False), [
        the_platform_comes_up,
        manifests_are_applied,
        objects_are_shown_in_all_forms,
        what_happens_is_followed,
        pods_are_waited_for_and_their_logs_read,
        objects_are_deleted,
    ]))
