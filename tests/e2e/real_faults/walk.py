# Real faults, on real processes: the platform is killed a hundred times while jobs run, a shim dies
# with its pod, the disk fills while jobs are admitted, the clock is set back, and one user submits
# ten thousand jobs while another works. What was acknowledged is there, and everything ends once.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from client import Client, job, jobs_path, pods_path  # noqa: E402
from platform_under_test import (Platform, condition, expect, holds, run_steps,  # noqa: E402
                                 wait_for)

KILLS = 100
FLOOD = 10_000
FLOOD_THREADS = 4
DISK_KILOBYTES = 2_000_000
NODES = ["name=n1,cpu=8,memory=8Gi", "name=n2,cpu=8,memory=8Gi",
         "name=p1,cpu=8,memory=8Gi,runtime=pretend,taints=pretend=yes:NoSchedule"]

STAGE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-a}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-b}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-a}
spec: {clusterQueue: a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-b}
spec: {clusterQueue: b}
"""


class FaultyPlatform(Platform):
    """Its data lie on a small disk of their own, and its clock can be set."""

    def __init__(self):
        super().__init__(NODES)
        os.mkdir(self.data)
        self.has_small_disk = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_KILOBYTES}k", "tmpfs", self.data],
            stderr=subprocess.DEVNULL).returncode == 0
        self.clock = os.path.join(self.folder, "clock")
        self.set_clock(0)
        shift = os.path.join(self.folder, "clock_shift.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock_shift.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shift, source], check=True)
        self.environment = {"LD_PRELOAD": shift, "MUSTER_TEST_CLOCK": self.clock}

    def up(self, first=False, more=()):
        os.environ.update(self.environment)
        try:
            return super().up(first, more)
        finally:
            for name in self.environment:
                del os.environ[name]

    def set_disk(self, kilobytes):
        return subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", self.data],
                              stderr=subprocess.DEVNULL).returncode == 0

    def fill_disk(self):
        """What is there is growing, so that the size has to be tried."""
        def try_it():
            disk = os.statvfs(self.data)
            used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize // 1024
            return self.set_disk(used + 64)
        wait_for("a disk as large as what is on it", try_it, 10)

    def set_clock(self, seconds):
        with open(self.clock + ".new", "w") as file:
            file.write(str(seconds))
        os.rename(self.clock + ".new", self.clock)

    def destroy(self):
        self.down()
        if self.has_small_disk:
            subprocess.run(["umount", "-l", self.data])
        super().destroy()


def it_comes_up(platform):
    platform.up(first=True)
    wait_for("the stage", lambda: "created" in platform.apply(STAGE) or True)
    wait_for("queues", lambda: holds(platform.get("clusterqueue", "b"), "Active"))


def all_complete(client, names):
    done = {each["metadata"]["name"] for each in client.items(jobs_path()) if holds(each, "Complete")}
    failed = [each["metadata"]["name"] for each in client.items(jobs_path()) if holds(each, "Failed")]
    expect(not failed, f"failed: {why_failed(client, failed)}")
    return names <= done


def why_failed(client, names):
    """What their pods say."""
    return [(pod["metadata"]["name"], pod["status"]) for pod in client.items(pods_path())
            if pod["metadata"]["labels"].get("job-name") in names]


def ran_once(client, names, keeps_logs=True):
    """Every job succeeded as often as it should, with one pod and one line of output each time; a
    line that was said while the disk was full is lost."""
    for each in client.items(jobs_path()):
        name, status = each["metadata"]["name"], each["status"]
        if name not in names:
            continue
        expect(status.get("succeeded") == each["spec"]["completions"], f"{name}: {status}")
        expect(status.get("failed", 0) == 0, f"{name} failed: {status}")
    pods = [pod for pod in client.items(pods_path())
            if pod["metadata"]["labels"].get("job-name") in names]
    for pod in pods:
        name = pod["metadata"]["name"]
        status, text = client.ask("GET", f"{pods_path()}/{name}/log")
        expect(status == 200 and (text == "ran\n" or text == "" and not keeps_logs),
               f"{name} said {text!r} ({status})")
        expect(pod["status"]["containerStatuses"][0]["restartCount"] == 0, f"{name} was restarted")
    return len(pods)


def a_hundred_kills_lose_nothing_and_run_nothing_twice(platform):
    dice = random.Random(812)
    names, comes_back = set(), []
    stop = threading.Event()

    def submit():
        client, number = Client(platform), 0
        while not stop.is_set():
            name = f"kill-{number}"
            client.create(jobs_path(), job(name, "echo ran; sleep 0.3", pods=1 + number % 2))
            names.add(name)
            number += 1
            time.sleep(0.15)

    submitter = threading.Thread(target=submit)
    submitter.start()
    try:
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.0, 0.2))
            platform.kill()
            comes_back.append(platform.up())
    finally:
        stop.set()
        submitter.join()
    client = Client(platform)
    there = {each["metadata"]["name"] for each in client.items(jobs_path())}
    expect(names <= there, f"acknowledged and lost: {names - there}")
    wait_for("every job to complete", lambda: all_complete(client, names))
    pods = ran_once(client, names)
    expect(pods == sum(1 + int(name.split("-")[1]) % 2 for name in names), f"{pods} pods")
    comes_back.sort()
    print(f"        {KILLS} kills, {len(names)} jobs, {pods} pods; it comes back in "
          f"{comes_back[KILLS // 2] * 1000:.0f} ms (median), {comes_back[-1] * 1000:.0f} ms (most)")


def pods_of(platform, name):
    return [pod for pod in Client(platform).items(pods_path())
            if pod["metadata"]["labels"].get("job-name") == name]


def is_running(pod):
    return pod["status"].get("phase") == "Running"


def shims_of(uid):
    """The processes that own the pod: those whose command line names it."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if any(uid.encode() in word for word in words) and b"shim" in b" ".join(words):
            found.append(int(entry))
    return found


def a_gang_whose_shim_is_killed_is_made_whole_again(platform):
    client = Client(platform)
    client.create(jobs_path(), job("shim", "echo ran; sleep 4", pods=2, backoff=3))
    pods = wait_for("both to run", lambda: [p for p in pods_of(platform, "shim") if is_running(p)]
                    if sum(map(is_running, pods_of(platform, "shim"))) == 2 else None)
    victim = pods[0]
    shims = shims_of(victim["metadata"]["uid"])
    expect(shims, "the pod has a shim")
    for each in shims:
        os.kill(each, signal.SIGKILL)

    def is_told():
        for pod in pods_of(platform, "shim"):
            if pod["metadata"]["uid"] == victim["metadata"]["uid"]:
                return pod if pod["status"]["phase"] == "Failed" else None
        return victim
    told = wait_for("the pod to fail", is_told)
    status = told["status"]
    state = (status.get("containerStatuses") or [{}])[0].get("state", {}).get("terminated", {})
    print(f"        the pod says {status.get('reason', '')} {status.get('message', '')} "
          f"{state.get('reason', '')} {state.get('exitCode', '')} {state.get('message', '')}")
    expect(status.get("reason") or state.get("reason"), f"a reason: {status}")
    wait_for("the job to complete", lambda: holds(platform.get("job", "shim", "-n", "team-a"),
                                                  "Complete"))
    expect(platform.get("job", "shim", "-n", "team-a")["status"]["succeeded"] == 2, "both ranks")


def a_full_disk_while_jobs_are_admitted_delays_them_and_no_more(platform):
    if not platform.has_small_disk:
        print("skipped: this user may not mount a small disk")
        return
    client = Client(platform)
    names = {f"full-{n}" for n in range(40)}
    for name in sorted(names)[:20]:
        client.create(jobs_path(), job(name, "echo ran; sleep 0.3", cpu="500m"))
    platform.fill_disk()
    refused = ""
    for n in range(400):
        status, text = client.ask_once(
            "POST", jobs_path(), job(f"refused-{n}", "true " + "x" * 50_000, queue="nowhere"))
        if status not in (201, 409):
            refused = f"{status} {json.loads(text)['message'] if text.startswith('{') else text}"
            break
    expect(refused.startswith(("500", "503", "507")), f"a full disk says {refused!r}")
    print(f"        a full disk says {refused[:100]}")
    expect(len(client.items(jobs_path())) > 0, "reads go on")
    expect(platform.set_disk(DISK_KILOBYTES), "a large disk again")
    for name in sorted(names)[20:]:
        client.create(jobs_path(), job(name, "echo ran; sleep 0.3", cpu="500m"))
    wait_for("every job to complete", lambda: all_complete(client, names))
    ran_once(client, names, keeps_logs=False)


def a_clock_that_is_set_back_and_forth_disturbs_nobody(platform):
    client = Client(platform)
    client.create(jobs_path(), job("clock-long", "echo ran; sleep 8", cpu="500m"))
    for shift in (-7200, 3600, -600, 0):
        platform.set_clock(shift)
        name = f"clock{shift}".replace("-", "-minus-")
        client.create(jobs_path(), job(name, "echo ran; sleep 0.3", cpu="500m"))
        stamp = json.loads(client.ask("GET", f"{jobs_path()}/{name}")[1])
        created = stamp["metadata"]["creationTimestamp"]
        wait_for(f"a job in a clock set by {shift} s",
                 lambda: holds(platform.get("job", name, "-n", "team-a"), "Complete"))
        told = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + shift))
        expect(created[:13] == told[:13], f"created {created}, the clock said {told}")
        expect(all(holds(node, "Ready") for node in platform.items("nodes")), "nodes are ready")
    wait_for("the job that ran all the time",
             lambda: holds(platform.get("job", "clock-long", "-n", "team-a"), "Complete"))
    ran_once(client, {"clock-long"})


def ten_thousand_jobs_of_one_do_not_stop_another(platform):
    submitted = [0] * FLOOD_THREADS

    def flood(part):
        client = Client(platform)
        for number in range(part, FLOOD, FLOOD_THREADS):
            body = job(f"flood-{number}", "true", cpu="1")
            body["spec"]["template"]["spec"]["nodeSelector"] = {"nowhere": "yes"}
            client.create(jobs_path(), body)
            submitted[part] += 1

    began = time.monotonic()
    threads = [threading.Thread(target=flood, args=(part,)) for part in range(FLOOD_THREADS)]
    for thread in threads:
        thread.start()
    client, starts = Client(platform), []
    wait_for("the flood to be under way", lambda: sum(submitted) > FLOOD // 20)
    number = 0
    while any(thread.is_alive() for thread in threads) or number < 3:
        name = f"mine-{number}"
        client.create(jobs_path("team-b"), job(name, "sleep 0.2"))
        asked = time.monotonic()
        wait_for(f"{name} to run", lambda: [
            pod for pod in client.items(pods_path("team-b") + f"?labelSelector=job-name%3D{name}")
            if pod["status"].get("phase") in ("Running", "Succeeded")])
        starts.append(time.monotonic() - asked)
        number += 1
        time.sleep(0.5)
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    starts.sort()
    print(f"        {FLOOD} jobs in {took:.1f} s ({FLOOD / took:.0f}/s) by one user; meanwhile "
          f"{len(starts)} jobs of another start after {starts[len(starts) // 2]:.2f} s (median), "
          f"{starts[-1]:.2f} s (most)")
    expect(sum(submitted) == FLOOD, "all of them were taken")
    waiting = wait_for("a reason for the last of them", lambda: [
        each for each in client.items("/apis/kueue.x-k8s.io/v1beta2/namespaces/team-a/workloads"
                                      f"?limit=50")
        if "flood" in each["metadata"]["name"] and condition(each, "QuotaReserved")["message"]])
    print(f"        they wait because {condition(waiting[0], 'QuotaReserved')['message'][:120]}")


if __name__ == "__main__":
    sys.exit(run_steps(FaultyPlatform(), [
        it_comes_up,
        a_hundred_kills_lose_nothing_and_run_nothing_twice,
        a_gang_whose_shim_is_killed_is_made_whole_again,
        a_full_disk_while_jobs_are_admitted_delays_them_and_no_more,
        a_clock_that_is_set_back_and_forth_disturbs_nobody,
        ten_thousand_jobs_of_one_do_not_stop_another,
    ]))
