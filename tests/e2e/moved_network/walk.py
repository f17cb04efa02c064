# The bridge goes with `muster down` and with a reboot. Two folders can have been given the same
# network meanwhile: the later one moves to another, with all its addresses, and everything works.
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import Platform, expect, run_steps, wait_for  # noqa: E402

NODES = ["name=n1,cpu=4,memory=4Gi", "name=n2,cpu=4,memory=4Gi"]
SERVE = """
apiVersion: v1
kind: Pod
metadata: {name: server, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: m, image: busybox, workingDir: /tmp,
     command: [sh, -c, 'echo hello > here; exec python3 -m http.server 8080']}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
"""
GANG = """
apiVersion: v1
kind: Service
metadata: {name: gang}
spec: {clusterIP: None, selector: {job-name: gang}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: gang}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 0
  template:
    spec:
      subdomain: gang
      restartPolicy: Never
      containers:
      - {name: m, image: busybox, command: [sh, -c,
         'getent hosts gang-0.gang && getent hosts gang-1.gang && getent hosts web']}
"""
ASK = "import urllib.request; print(urllib.request.urlopen('http://%s/here', timeout=5).read())"


def network_file(platform):
    return os.path.join(platform.data, "network")


def network(platform):
    """"10.88." of "10.88.0.0/16"."""
    with open(network_file(platform)) as file:
        return ".".join(file.read().split(".")[:2]) + "."


def addresses(platform):
    """Every address that an object has, by what it is."""
    found = {}
    for node in platform.items("nodes"):
        found[node["metadata"]["name"]] = node["spec"]["podCIDR"]
        found[node["metadata"]["name"] + "'s own"] = node["status"]["addresses"][0]["address"]
    for service in platform.items("services"):
        found["service " + service["metadata"]["name"]] = service["spec"]["clusterIP"]
    found["pod server"] = platform.get("pod", "server")["status"]["podIP"]
    return {what: address for what, address in found.items() if address != "None"}


def web_answers(platform):
    platform.kubectl("wait", "--for=condition=Ready", "pod/server", "--timeout=30s")
    for host in ["web", platform.get("service", "web")["spec"]["clusterIP"]]:
        wait_for(f"an answer of {host}", lambda host=host: "hello" in platform.kubectl(
            "exec", "server", "--", "python3", "-c", ASK % host, check=False))


def gang_runs(platform):
    platform.kubectl("delete", "job,service", "gang", "--ignore-not-found")
    platform.apply(GANG)
    platform.kubectl("wait", "--for=condition=Complete", "job/gang", "--timeout=60s")


def the_first_network_is_kept_in_the_folder(platform):
    platform.up(first=True)
    platform.apply(SERVE)
    web_answers(platform)
    gang_runs(platform)
    seen = addresses(platform)
    expect(all(a.startswith(network(platform)) for a in seen.values()), seen)


def down_and_up_keep_every_address(platform):
    before = addresses(platform)
    platform.down()
    platform.up()
    web_answers(platform)
    expect(addresses(platform) == before, f"{before} and now {addresses(platform)}")


def a_folder_whose_network_is_taken_moves_to_another(platform):
    before, former = addresses(platform), network(platform)
    platform.down()
    os.makedirs(platform.other.data, mode=0o700)
    with open(network_file(platform.other), "w") as file:
        file.write(former + "0.0/16\n")
    platform.other.up(first=True)
    expect(network(platform.other) == former, "the other one has no free network of its folder")
    platform.up()
    present = network(platform)
    expect(present != former, "both have one network")
    moved = {what: address.replace(former, present, 1) for what, address in before.items()}
    wait_for("every address in its place in the other network",
             lambda: addresses(platform) == moved)
    expect("addresses changed with the network" in platform.log(), "the log does not say so")
    web_answers(platform)
    gang_runs(platform)


def renew_web(platform):
    """So that it has not been restarted yet, and the next restart comes at once."""
    platform.kubectl("delete", "pod", "server")
    platform.apply(SERVE)
    web_answers(platform)


def it_stays_there_when_the_former_one_is_free_again(platform):
    platform.other.destroy()
    renew_web(platform)
    present = addresses(platform)
    platform.down()
    platform.up()
    web_answers(platform)
    gang_runs(platform)
    expect(addresses(platform) == present, f"{present} and now {addresses(platform)}")


def nodes_that_are_declared_in_another_order_keep_theirs(platform):
    renew_web(platform)
    ranges = {n["metadata"]["name"]: n["spec"]["podCIDR"] for n in platform.items("nodes")}
    platform.down()
    nodes = ["name=n0,cpu=4,memory=4Gi", *reversed(NODES)]
    platform.up(more=[word for node in nodes for word in ("--node", node)])
    now = {n["metadata"]["name"]: n["spec"]["podCIDR"] for n in platform.items("nodes")}
    expect({k: now[k] for k in ranges} == ranges, f"{ranges} and now {now}")
    expect(now["n0"] not in ranges.values(), now)
    web_answers(platform)


def bridges_whose_folder_is_gone_make_room(platform):
    """As 64 platforms leave them that were killed and whose folders were removed."""
    if shutil.which("ip") is None:
        return
    made = []
    try:
        for number in range(64, 128):
            name = f"musterdead{number}"
            done = subprocess.run(["ip", "link", "add", name, "type", "bridge"], capture_output=True)
            expect(done.returncode == 0, done.stderr)
            made.append(name)
            subprocess.run(["ip", "address", "add", f"10.{number}.0.1/16", "dev", name], check=True)
            subprocess.run(["ip", "link", "set", name, "alias", "/nowhere/at/all"], check=True)
        crowded = Platform(NODES)
        try:
            crowded.up(first=True)
            expect(network(crowded).startswith("10."), f"it has {network(crowded)}")
        finally:
            crowded.destroy()
        left = [name for name in made if os.path.exists(f"/sys/class/net/{name}")]
        expect(not left, f"{len(left)} of them are still there")
        web_answers(platform)
    finally:
        for name in made:
            subprocess.run(["ip", "link", "delete", name], capture_output=True)


def has_bridges():
    """Whether this machine lets platforms have networks of their own."""
    probe = Platform(NODES)
    probe.up(first=True)
    bridged = network(probe).startswith("10.")
    probe.destroy()
    return bridged


if __name__ == "__main__":
    if not has_bridges():
        print("skipped: pods share this machine's network")
        print("0 passed, 0 failed")
        sys.exit(0)
    walked = Platform(NODES)
    walked.other = Platform(NODES)
    status = run_steps(walked, [
        the_first_network_is_kept_in_the_folder,
        down_and_up_keep_every_address,
        a_folder_whose_network_is_taken_moves_to_another,
        it_stays_there_when_the_former_one_is_free_again,
        nodes_that_are_declared_in_another_order_keep_theirs,
        bridges_whose_folder_is_gone_make_room,
    ])
    walked.other.destroy()
    sys.exit(status)
