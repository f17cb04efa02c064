# A chart of ours through Helm's life: install, list, upgrade, history, rollback, test of its
# secrets, uninstall.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from access import Access  # noqa: E402
from platform_under_test import ROOT, Failed, Platform, expect, run_steps  # noqa: E402

CHART = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chart")
NAMESPACE = "charts"


def helm(platform, *arguments):
    tool = subprocess.run([os.path.join(ROOT, "tests/peers/tool"), "helm"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    home = os.path.join(platform.folder, "home")
    done = subprocess.run([tool, "-n", NAMESPACE, *arguments], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=120,
                          env=dict(os.environ, KUBECONFIG=platform.kubeconfig, HOME=home))
    if done.returncode != 0:
        raise Failed(f"helm {' '.join(arguments)}: {done.stdout}")
    return done.stdout


def get(platform, path):
    """The object at a path of the API, or None."""
    return Access(platform.kubeconfig).get(path)


def in_namespace(kind, name, group="api/v1"):
    return f"/{group}/namespaces/{NAMESPACE}/{kind}/{name}"


def the_platform_comes_up(platform):
    platform.up(first=True)


def a_chart_is_installed(platform):
    helm(platform, "install", "team", CHART, "--create-namespace", "--wait", "--timeout=60s")
    expect(get(platform, in_namespace("configmaps", "team-settings"))["data"] ==
           {"workers": "2", "queueing": "yes"}, "its ConfigMap, and that it knows our groups")
    job = get(platform, in_namespace("jobs", "team-train", "apis/batch/v1"))
    expect(job["spec"]["parallelism"] == 2, "its job")
    expect(get(platform, "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/team"), "its queue")
    listed = json.loads(helm(platform, "list", "-o", "json"))
    expect([(each["name"], each["status"]) for each in listed] == [("team", "deployed")], "listed")
    expect("STATUS: deployed" in helm(platform, "status", "team"), "its status")
    expect("kind: ClusterQueue" in helm(platform, "get", "manifest", "team"), "its manifest")


def it_is_upgraded(platform):
    helm(platform, "upgrade", "team", CHART, "--set", "workers=3,gpus=8")
    expect(get(platform, in_namespace("configmaps", "team-settings"))["data"]["workers"] == "3",
           "the new value")
    queue = get(platform, "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/team")
    quota = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"]
    expect(str(quota) == "8", f"the new quota: {quota}")
    expect(get(platform, in_namespace("configmaps", "team-before"))["data"]["revision"] == "2",
           "the hook ran again")


def it_is_rolled_back(platform):
    helm(platform, "rollback", "team", "1")
    expect(get(platform, in_namespace("configmaps", "team-settings"))["data"]["workers"] == "2",
           "the old value")
    history = json.loads(helm(platform, "history", "team", "-o", "json"))
    expect([each["revision"] for each in history] == [1, 2, 3], f"its history: {history}")


def a_dry_run_asks_the_server(platform):
    said = helm(platform, "upgrade", "team", CHART, "--dry-run=server", "--set", "workers=9")
    expect('workers: "9"' in said, "what would be")
    expect(get(platform, in_namespace("configmaps", "team-settings"))["data"]["workers"] == "2",
           "and is not")


def it_is_removed(platform):
    helm(platform, "uninstall", "team", "--wait", "--timeout=60s")
    for path in (in_namespace("configmaps", "team-settings"),
                 in_namespace("jobs", "team-train", "apis/batch/v1"),
                 "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/team"):
        expect(get(platform, path) is None, f"{path} is gone")
    expect(json.loads(helm(platform, "list", "-o", "json")) == [], "nothing is listed")


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=8Gi"], finds_kubectl=False), [
        the_platform_comes_up,
        a_chart_is_installed,
        it_is_upgraded,
        it_is_rolled_back,
        a_dry_run_asks_the_server,
        it_is_removed,
    ]))
