# The pages of docs/guide, typed by a machine: the shell blocks of a page are one session in a home
# of its own; a page whose commands all succeed passes.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
GUIDE = os.path.join(ROOT, "docs/guide")
BINARIES = os.environ.get("MUSTER_BINARIES", os.path.join(ROOT, "build/release/bin"))
PAGE_SECONDS = 240


def pages():
    """In the order of the guide's own list."""
    with open(os.path.join(GUIDE, "README.md")) as file:
        return re.findall(r"\]\((\w+\.md)\)", file.read())


def commands(page):
    with open(os.path.join(GUIDE, page)) as file:
        return "\n".join(re.findall(r"^```sh\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL))


def type_page(page, kubectl):
    home = tempfile.mkdtemp(prefix="muster-guide-")
    path = os.pathsep.join([os.path.dirname(kubectl), BINARIES, os.environ["PATH"]])
    environment = dict(os.environ, HOME=home, PATH=path)
    environment.pop("KUBECONFIG", None)
    environment.pop("MUSTER_DATA", None)
    # The page names the release; what is tried may lie elsewhere.
    script = commands(page).replace("$PWD/build/release/bin", BINARIES)
    try:
        return subprocess.run(["bash", "-c", "set -exo pipefail\n" + script], cwd=ROOT, text=True,
                              env=environment, timeout=PAGE_SECONDS, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    finally:
        subprocess.run([os.path.join(BINARIES, "muster"), "down"], env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(home, ignore_errors=True)


def main():
    kubectl = subprocess.run([os.path.join(ROOT, "tests/peers/tool"), "kubectl"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.strip()
    wanted = sys.argv[1:] or pages()
    passed = failed = 0
    for page in wanted:
        began = time.monotonic()
        try:
            done = type_page(page, kubectl)
            good, text = done.returncode == 0, done.stdout
        except subprocess.TimeoutExpired as error:
            good, text = False, (error.stdout or b"").decode() + "\n(it took too long)"
        passed += good
        failed += not good
        print(f"{'ok     ' if good else 'FAILED '} {page} ({time.monotonic() - began:.1f} s)",
              flush=True)
        if not good:
            print("\n".join(text.splitlines()[-25:]), flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
