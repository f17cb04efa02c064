# What people do with kubectl, row by row, with the oldest and the newest kubectl we care for.
# Each step has a namespace of its own; they do not depend on one another.
# SPDX-License-Identifier: Apache-2.0
import inspect
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from platform_under_test import (PATIENCE_SECONDS, ROOT, Failed, Platform, expect,  # noqa: E402
                                 wait_for)

import rows_cluster  # noqa: E402
import rows_objects  # noqa: E402
import rows_pods  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("1.33", "1.36")


class Kubectl:
    """One version of kubectl, with a home of its own: caches do not mix."""

    def __init__(self, platform, version):
        self.platform, self.version = platform, version
        found = subprocess.run([os.path.join(ROOT, "tests/peers/tool"), f"kubectl-{version}"],
                               check=True, stdout=subprocess.PIPE, text=True)
        self.path = found.stdout.strip()
        self.home = os.path.join(platform.folder, f"home-{version}")
        os.makedirs(self.home, exist_ok=True)
        self.namespace = ""

    def environment(self):
        return dict(os.environ, KUBECONFIG=self.platform.kubeconfig, HOME=self.home,
                    KUBECACHEDIR=os.path.join(self.home, "cache"), KUBE_EDITOR="sed -i s/old/new/")

    def command(self, words):
        text = words if isinstance(words, list) else words.split()
        return [self.path, "-n", self.namespace, *text]

    def run(self, words, stdin=None):
        """Exit status, and both streams together."""
        done = subprocess.run(self.command(words), input=stdin, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=self.environment(),
                              timeout=PATIENCE_SECONDS)
        return done.returncode, done.stdout

    def __call__(self, words, *wanted, stdin=None, status=0):
        """Runs it, expects the status and each of the wanted words, and answers what it printed."""
        got, said = self.run(words, stdin)
        expect(got == status, f"kubectl {words} ended with {got}: {said}")
        for word in wanted:
            expect(word in said, f"kubectl {words} did not say {word!r}: {said}")
        return said

    def apply(self, text):
        return self("apply -f -", stdin=text)

    def start(self, words):
        return subprocess.Popen(self.command(words), stdout=subprocess.PIPE, text=True,
                                stderr=subprocess.STDOUT, env=self.environment(),
                                stdin=subprocess.DEVNULL)

    def until(self, words, wanted):
        return wait_for(f"{wanted!r} in kubectl {words}",
                        lambda: wanted in (said := self.run(words)[1]) and said, 30)


def not_yet():
    path = os.path.join(HERE, "not_yet.txt")
    if not os.path.exists(path):
        return set()
    with open(path) as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}


def rows():
    """All functions of the modules of rows, in the order in which they are written."""
    for module in (rows_objects, rows_pods, rows_cluster):
        for name, value in vars(module).items():
            if (inspect.isfunction(value) and value.__module__ == module.__name__ and
                    list(inspect.signature(value).parameters) == ["kubectl"]):
                yield name, value


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    platform = Platform(["name=n1,cpu=8,memory=8Gi", "name=n2,cpu=8,memory=8Gi"],
                        finds_kubectl=False)
    platform.up(first=True)
    passed, failed, later = 0, [], not_yet()
    try:
        for version in VERSIONS:
            kubectl = Kubectl(platform, version)
            for number, (name, row) in enumerate(rows()):
                if words and not any(word in f"{version} {name}" for word in words):
                    continue
                began = time.monotonic()
                kubectl.namespace = f"row-{version.replace('.', '-')}-{number}"
                title = f"{version} {name.replace('_', ' ')}"
                try:
                    kubectl(f"create namespace {kubectl.namespace}")
                    row(kubectl)
                    passed += 1
                    print(f"ok      {title} ({time.monotonic() - began:.1f} s)", flush=True)
                except (Failed, subprocess.SubprocessError, ValueError, KeyError) as error:
                    if title in later:
                        print(f"not yet {title}: {error}", flush=True)
                        continue
                    failed.append(title)
                    print(f"FAILED  {title}: {error}", flush=True)
    finally:
        if failed:
            print(platform.log()[-4000:], file=sys.stderr)
        platform.destroy()
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
