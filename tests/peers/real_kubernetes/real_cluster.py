# A real Kubernetes control plane in a folder of its own, with `muster controller` beside it.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))
from platform_under_test import MUSTER, Cluster, Failed  # noqa: E402

TOOL = os.environ.get("MUSTER_REAL_KUBERNETES", "")
BUILT = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")),
                     "real-kubernetes")
PORTS = 6  # that the tool takes from --port on
HOLD = "test.muster.dev/hold"  # a pod with this annotation runs until it is taken away


def free_ports():
    """The first of some ports in a row that nobody uses."""
    for first in range(23400, 32000, 10):
        probes = [socket.socket() for _ in range(PORTS)]
        try:
            for offset, probe in enumerate(probes):
                probe.bind(("127.0.0.1", first + offset))
            return first
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()
    raise Failed("no ports are free")


def stages_that_hold():
    """kwok's own stages, but a Job's pod completes only once nothing holds it."""
    with open(os.path.join(BUILT, "kwok-stages.yaml")) as file:
        stages = file.read().split("---\n")
    place = "    matchExpressions:\n"
    condition = f"    - key: '.metadata.annotations[\"{HOLD}\"]'\n      operator: 'DoesNotExist'\n"
    return "---\n".join(stage.replace(place, place + condition, 1)
                        if "name: pod-complete\n" in stage else stage for stage in stages)


class RealCluster(Cluster):
    """etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok, all unmodified."""

    def __init__(self, nodes):
        super().__init__("peers")
        self.nodes = nodes
        self.port = None
        self.cluster = os.path.join(self.folder, "cluster")
        self.binaries = os.path.join(self.folder, "binaries")
        self.controller = None
        self.controller_kubeconfig = os.path.join(self.folder, "controller.kubeconfig")
        self.controller_log = os.path.join(self.folder, "controller.log")

    def tool(self, *arguments):
        """Not through a pipe: the cluster's processes would hold its other end for good."""
        path = os.path.join(self.folder, "tool.log")
        with open(path, "w") as log:
            status = subprocess.call([TOOL, *arguments], stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=subprocess.STDOUT)
        if status != 0:
            with open(path) as log:
                raise Failed(f"{TOOL} {' '.join(arguments)}: {log.read()}")

    def up(self):
        """The first time an empty one; after down() the same one with all its objects."""
        if self.port is None:
            self.port = free_ports()
            self.tool("build")
            os.mkdir(self.binaries)
            os.symlink(os.path.join(BUILT, "bin"), os.path.join(self.binaries, "bin"))
            with open(os.path.join(self.binaries, "kwok-stages.yaml"), "w") as file:
                file.write(stages_that_hold())
            self.kubeconfig = os.path.join(self.cluster, "kubeconfig")
        self.tool("up", "--full", "--nodes", str(self.nodes), "--port", str(self.port),
                  "--dir", self.cluster, "--binaries", self.binaries)

    def down(self):
        self.tool("down", "--dir", self.cluster)

    def install_kinds(self):
        crds = subprocess.run([MUSTER, "crds"], check=True, stdout=subprocess.PIPE, text=True)
        self.kubectl("apply", "--server-side", "-f", "-", stdin=crds.stdout)

    def install_identity(self):
        """The controller may do what it needs, no more, and shows a token for it."""
        self.kubectl("apply", "-f", os.path.join(HERE, "identity.yaml"))
        token = self.kubectl("create", "token", "muster-controller", "-n", "muster-system")
        config = json.loads(self.kubectl("config", "view", "--raw", "-o", "json"))
        config["users"][0]["user"] = {"token": token.strip()}
        with open(self.controller_kubeconfig, "w") as file:
            json.dump(config, file)

    def start_controller(self):
        """Two may run, one of which leads: nothing but the newest one's metrics is served."""
        command = [MUSTER, "controller", "--kubeconfig", self.controller_kubeconfig,
                   "--metrics-bind-address", "127.0.0.1:0"]
        with open(self.controller_log, "a") as log:
            self.controller = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                               stderr=subprocess.STDOUT)

    def kill_controller(self):
        self.controller.send_signal(signal.SIGKILL)
        self.controller.wait()

    def leader(self):
        return self.get("lease", "muster-controller", "-n", "kube-system")["spec"]["holderIdentity"]

    def stop_controller(self):
        """As a person does; answers its exit status."""
        self.controller.send_signal(signal.SIGTERM)
        return self.controller.wait(timeout=20)

    def refusals(self):
        """What the server refused of the kinds that Muster writes, conflicts and absence aside."""
        return [line for line in self.kubectl("get", "--raw", "/metrics").splitlines()
                if re.match(r'apiserver_request_total.*code="(400|401|403|405|413|415|422|500)".*'
                            r'group="(kueue\.x-k8s\.io|batch)"', line)]

    def destroy(self):
        if self.controller is not None and self.controller.poll() is None:
            self.kill_controller()
        if os.path.isdir(os.path.join(self.cluster, "pids")):
            self.tool("down", "--dir", self.cluster, "--delete")
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        if not os.path.exists(self.controller_log):
            return ""
        with open(self.controller_log, errors="replace") as file:
            return file.read()
