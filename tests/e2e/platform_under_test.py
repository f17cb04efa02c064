# What every end-to-end walk needs: a platform of its own, a real kubectl, and checks that count.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARIES = os.environ.get("MUSTER_BINARIES", os.path.join(ROOT, "build/release/bin"))
MUSTER = os.path.join(BINARIES, "muster")
PATIENCE_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_alive(process):
    """Not so of one whose threads have all ended and that nobody has waited for yet."""
    try:
        with open(f"/proc/{process}/stat") as file:
            is_ended = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        return not is_ended or len(os.listdir(f"/proc/{process}/task")) > 1
    except OSError:
        return False


class Failed(Exception):
    pass


class Cluster:
    """A kubectl that talks to some API, and a folder for what belongs to it."""

    def __init__(self, kind, finds_kubectl=True):
        self.folder = tempfile.mkdtemp(prefix=f"muster-{kind}-")
        self.kubeconfig = os.path.join(self.folder, "kubeconfig")
        self.kubectl_path = subprocess.run(
            [os.path.join(ROOT, "tests/peers/tool"), "kubectl"], check=True, stdout=subprocess.PIPE,
            text=True
        ).stdout.strip() if finds_kubectl else None

    def kubectl(self, *arguments, stdin=None, check=True):
        environment = dict(os.environ, KUBECONFIG=self.kubeconfig,
                           KUBECACHEDIR=os.path.join(self.folder, "cache"))
        done = subprocess.run([self.kubectl_path, *arguments], input=stdin, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                              timeout=2 * PATIENCE_SECONDS)
        if check and done.returncode != 0:
            raise Failed(f"kubectl {' '.join(arguments)}: {done.stdout}")
        return done.stdout

    def apply(self, text):
        return self.kubectl("apply", "-f", "-", stdin=text)

    def get(self, *arguments):
        """One object or a list, as Python sees JSON; None where there is no such thing."""
        text = self.kubectl("get", *arguments, "-o", "json", "--ignore-not-found", check=False)
        if text.startswith("Error") or "refused" in text:
            raise Failed(text)
        text = "".join(line for line in text.splitlines(True) if not line.startswith("Warning: "))
        return json.loads(text) if text.strip() else None

    def items(self, *arguments):
        found = self.get(*arguments)
        return found["items"] if found else []


class Platform(Cluster):
    """One `muster up` in a folder of its own."""

    def __init__(self, nodes, host_images="muster.dev/*,busybox*", finds_kubectl=True):
        super().__init__("e2e", finds_kubectl)
        self.data = os.path.join(self.folder, "data")
        self.port = free_port()
        self.nodes = nodes
        self.host_images = host_images

    def up(self, first=False, more=()):
        command = [MUSTER, "up", "--data", self.data, *more]
        if first:
            command += ["--listen", f"127.0.0.1:{self.port}", "--kubeconfig", self.kubeconfig]
            command += ["--host-images", self.host_images]
            for node in self.nodes:
                command += ["--node", node]
        began = time.monotonic()
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed(f"muster up: {done.stdout}")
        return time.monotonic() - began

    def pid(self):
        with open(os.path.join(self.data, "pid")) as file:
            return int(file.read())

    def kill(self):
        process = self.pid()
        os.kill(process, signal.SIGKILL)
        while is_alive(process):
            time.sleep(0.001)

    def down(self):
        return subprocess.run([MUSTER, "down", "--data", self.data], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def destroy(self):
        self.down()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        with open(os.path.join(self.data, "log"), errors="replace") as file:
            return file.read()


def condition(thing, name):
    for each in (thing or {}).get("status", {}).get("conditions", []):
        if each["type"] == name:
            return each
    return {"status": "", "reason": "", "message": ""}


def holds(thing, name):
    return condition(thing, name)["status"] == "True"


def wait_for(what, question, seconds=PATIENCE_SECONDS):
    """Asks until the answer is true; what it asked for is the message of its failure."""
    deadline = time.monotonic() + seconds
    last = None
    while time.monotonic() < deadline:
        try:
            answer = question()
            if answer:
                return answer
            last = answer
        except (Failed, subprocess.TimeoutExpired) as error:
            last = error
        time.sleep(0.05)
    raise Failed(f"waited {seconds} s in vain for {what} (last: {last})")


def expect(truth, sentence):
    if not truth:
        raise Failed(sentence)


def run_steps(platform, steps, later=()):
    """Runs the steps in order, prints one line each and the line that ./test counts. Those of
    later may fail: they are what the platform does not do yet."""
    passed = failed = 0
    for step in steps:
        began = time.monotonic()
        name = step.__name__.replace("_", " ")
        try:
            step(platform)
            passed += 1
            print(f"ok      {name} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception as error:  # noqa: BLE001: a step may fail in any way, the next ones still run
            if step in later:
                print(f"not yet {name}: {error}", flush=True)
                continue
            failed += 1
            print(f"FAILED  {name}: {error}", flush=True)
            print(platform.log()[-6000:], file=sys.stderr, flush=True)
    platform.destroy()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
