# The walk of issue M2: one gang through the whole house, with a real kubectl, kill -9 included.
# Two nodes of four declared GPUs each; a queue with quota for all eight.
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from access import Access  # noqa: E402
from jobs import NAMESPACE, example, gang  # noqa: E402
from platform_under_test import (Platform, condition, expect, holds, run_steps,  # noqa: E402
                                 wait_for)

NODES = ["name=n1,cpu=8,memory=8Gi,nvidia.com/gpu=4", "name=n2,cpu=8,memory=8Gi,nvidia.com/gpu=4"]


def job(platform, name):
    return platform.get("job", name, "-n", NAMESPACE)


def pods(platform, name):
    return platform.items("pods", "-n", NAMESPACE, "-l", f"job-name={name}")


def workload(platform, name):
    for each in platform.items("workloads", "-n", NAMESPACE):
        owners = each["metadata"].get("ownerReferences", [])
        if any(owner["name"] == name for owner in owners):
            return each
    return None


def is_complete(platform, name):
    return holds(job(platform, name), "Complete")


def wait_complete(platform, name):
    wait_for(f"job {name} to complete", lambda: is_complete(platform, name))


def wait_running(platform, name, count):
    def all_run():
        found = pods(platform, name)
        return len(found) == count and all(p["status"].get("phase") == "Running" for p in found)

    wait_for(f"{count} pods of {name} to run", all_run)


def usage(platform):
    queue = platform.get("clusterqueue", "team-a-cluster-queue")
    reserved = queue["status"].get("flavorsReservation", [])
    return {r["name"]: str(r["total"]) for f in reserved for r in f["resources"]}


def delete_job(platform, name):
    platform.kubectl("delete", "job,service", name, "-n", NAMESPACE, "--ignore-not-found")


def trainers():
    """Processes of trainers on this machine, whoever started them."""
    found = subprocess.run(["pgrep", "-x", "muster-trainer"], stdout=subprocess.PIPE, text=True)
    return found.stdout.split()


def expect_nothing_left(platform, name):
    def gone():
        return not job(platform, name) and not pods(platform, name) and not workload(platform, name)

    wait_for(f"everything of {name} to go", gone)
    wait_for("its processes to end", lambda: not trainers())
    wait_for("quota to return", lambda: set(usage(platform).values()) <= {"0"})


def expect_ran_once(platform, name, ranks):
    """Each rank's log shows exactly one start and one SUCCESS."""
    for rank in range(ranks):
        found = [p for p in pods(platform, name)
                 if p["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == str(rank)]
        expect(len(found) == 1, f"rank {rank} of {name} has {len(found)} pods")
        log = platform.kubectl("logs", "-n", NAMESPACE, found[0]["metadata"]["name"])
        expect(log.count(f"rank {rank} of {ranks}:") == 1, f"rank {rank} started not once:\n{log}")
        expect(log.count("SUCCESS") == 1, f"rank {rank} did not succeed once:\n{log}")
        if rank > 0:
            expect("at look-up 1\n" in log, f"rank {rank} did not find rank 0 at once:\n{log}")


def the_platform_comes_up_with_two_nodes(platform):
    took = platform.up(first=True)
    print(f"        up after {took * 1000:.0f} ms")
    wait_for("two ready nodes", lambda: platform.kubectl("get", "nodes").count(" Ready ") == 2)


def queues_are_applied_in_both_versions(platform):
    platform.kubectl("create", "namespace", NAMESPACE)
    platform.apply(example("queues_v1beta1.yaml"))
    platform.apply(example("queues.yaml"))
    active = platform.get("clusterqueues.v1beta1.kueue.x-k8s.io", "team-a-cluster-queue")
    expect(active["apiVersion"] == "kueue.x-k8s.io/v1beta1", "v1beta1 is served")
    wait_for("the queue to be active",
             lambda: holds(platform.get("clusterqueue", "team-a-cluster-queue"), "Active"))


def two_ranks_find_each_other_and_succeed(platform):
    platform.apply(example("train.yaml"))
    wait_for("both ranks to have started", lambda: [p["status"].get("phase") for p in pods(
        platform, "train")].count("Pending") == 0 and len(pods(platform, "train")) == 2)
    follow = platform.kubectl("logs", "-f", "-n", NAMESPACE, "job/train")
    expect("SUCCESS" in follow, f"logs -f: {follow}")
    wait_complete(platform, "train")
    expect_ran_once(platform, "train", 2)
    found = workload(platform, "train")
    for name in ("QuotaReserved", "Admitted", "Finished"):
        expect(holds(found, name), f"the workload is not {name}")
    expect(condition(found, "Finished")["reason"] == "Succeeded", "finished as succeeded")
    wait_for("quota to return", lambda: set(usage(platform).values()) <= {"0"})
    table = platform.kubectl("get", "workloads", "-n", NAMESPACE)
    expect("team-a-queue" in table and "True" in table, f"kubectl get workloads: {table}")
    told = platform.kubectl("describe", "workload", "-n", NAMESPACE, found["metadata"]["name"])
    for word in ("QuotaReserved", "Admitted by ClusterQueue team-a-cluster-queue", "Succeeded"):
        expect(word in told, f"describe workload does not say {word}: {told}")
    told = platform.kubectl("describe", "job", "-n", NAMESPACE, "train")
    for word in ("CreatedWorkload", "Started", "SuccessfulCreate", "Completed", "Resumed"):
        expect(word in told, f"describe job does not say {word}: {told}")
    delete_job(platform, "train")
    expect_nothing_left(platform, "train")


def six_workers_where_four_fit_make_no_pod(platform):
    platform.apply(gang("six", workers=6, gpus=2))
    found = wait_for("a reason", lambda: (w := workload(platform, "six")) and
                     condition(w, "QuotaReserved")["status"] == "False" and w)
    told = platform.kubectl("describe", "workload", "-n", NAMESPACE, found["metadata"]["name"])
    expect("nvidia.com/gpu" in told and "default-flavor" in told and "12" in told,
           f"the reason names resource, flavor and amount: {condition(found, 'QuotaReserved')}")
    expect(not pods(platform, "six"), "not one pod is created")
    expect(job(platform, "six")["spec"]["suspend"], "the job stays suspended")
    delete_job(platform, "six")
    expect_nothing_left(platform, "six")


def a_second_job_waits_whole_and_starts_by_itself(platform):
    platform.apply(gang("full", workers=4, gpus=2, arguments=["--pause-milliseconds", "50"]))
    wait_running(platform, "full", 4)
    platform.apply(gang("next", workers=4, gpus=2))
    wait_for("the second to wait with a reason", lambda: condition(
        workload(platform, "next"), "QuotaReserved")["reason"] not in ("", "QuotaReserved"))
    expect(not pods(platform, "next"), "the second has no pod while it waits")
    wait_complete(platform, "full")
    wait_complete(platform, "next")
    expect_ran_once(platform, "next", 4)
    for name in ("full", "next"):
        delete_job(platform, name)
        expect_nothing_left(platform, name)


def two_jobs_that_would_each_get_half_do_not_deadlock(platform):
    platform.apply(gang("left", workers=3, gpus=2) + "\n---\n" + gang("right", workers=3, gpus=2))
    wait_complete(platform, "left")
    wait_complete(platform, "right")
    for name in ("left", "right"):
        delete_job(platform, name)
        expect_nothing_left(platform, name)


def killed_at_any_moment_the_outcome_is_the_same(platform):
    slow = ["--pause-milliseconds", "20"]
    for number, delay in enumerate((0.0, 0.01, 0.03, 0.06, 0.1, 0.2, 0.5, 1.0)):
        name, waiter = f"killed-{number}", f"waiter-{number}"
        platform.apply(gang(name, workers=4, gpus=2, arguments=slow))
        time.sleep(delay)
        platform.kill()

        platform.up()
        platform.apply(gang(waiter, workers=2, gpus=4))
        wait_complete(platform, name)

        expect_ran_once(platform, name, 4)
        platform.kill()
        platform.up()
        wait_complete(platform, waiter)
        expect_ran_once(platform, waiter, 2)
        for each in (name, waiter):
            delete_job(platform, each)
            expect_nothing_left(platform, each)


def running_pods_are_adopted(platform):
    platform.apply(gang("adopted", workers=2, gpus=2, arguments=["--pause-milliseconds", "50"]))
    wait_running(platform, "adopted", 2)
    before = sorted(trainers())
    uids = sorted(p["metadata"]["uid"] for p in pods(platform, "adopted"))
    platform.kill()
    time.sleep(0.3)
    expect(sorted(trainers()) == before, "the processes live on without the platform")
    platform.up()
    wait_complete(platform, "adopted")
    expect(sorted(p["metadata"]["uid"] for p in pods(platform, "adopted")) == uids, "the same pods")
    expect_ran_once(platform, "adopted", 2)
    delete_job(platform, "adopted")
    expect_nothing_left(platform, "adopted")


def deleted_at_any_moment_nothing_is_left(platform):
    kinds = [("job", None), ("workload", None), ("pods", "--all"), ("service", None)]
    for number, delay in enumerate((0.0, 0.03, 0.1, 0.3)):
        for kind, everything in kinds:
            name = f"gone-{number}-{kind}"
            platform.apply(gang(name, workers=2, gpus=1, arguments=["--pause-milliseconds", "30"]))
            time.sleep(delay)
            if kind == "workload":
                target = (workload(platform, name) or {"metadata": {"name": "none"}})
                target = target["metadata"]["name"]
            else:
                target = everything or name
            # The Workload comes again under its name within milliseconds; a kubectl that first sees
            # the old one and then lists the new one would wait for that to go.
            platform.kubectl("delete", kind, target, "-n", NAMESPACE, "--ignore-not-found",
                             "--wait=false")
            delete_job(platform, name)
            expect_nothing_left(platform, name)


def bad_input_gets_a_clear_answer(platform):
    def refused(text, *words):
        said = platform.kubectl("apply", "-f", "-", stdin=text, check=False)
        for word in words:
            expect(word in said, f"expected {word!r} in: {said}")

    refused(gang("bad").replace("parallelism: 2", "parallelism: -1"), "parallelism", "must be")
    refused(gang("bad").replace("parallelism: 2", "parallelism: 99999999999"), "parallelism")
    refused(gang("bad").replace("completions: 2", "complections: 2"), "complections")
    refused(example("queues.yaml").replace("nominalQuota: 8", "nominalQuota: many"), "nominalQuota")
    platform.apply(gang("lost", queue="no-such-queue"))
    wait_for("a reason for the unknown queue", lambda: "no-such-queue" in condition(
        workload(platform, "lost"), "QuotaReserved")["message"])
    platform.apply(gang("huge", workers=1, gpus=5))
    wait_for("a reason for what no node can meet", lambda: condition(
        workload(platform, "huge"), "QuotaReserved")["reason"] not in ("", "QuotaReserved"))
    platform.apply(gang("image").replace("muster.dev/trainer:test", "example.com/other:1"))
    wait_for("ErrImagePull with a way out", lambda: "--host-images" in str(pods(platform, "image")))
    for name in ("lost", "huge", "image", "bad"):
        delete_job(platform, name)
    expect_nothing_left(platform, "image")


def hostile_clients_do_not_stop_it(platform):
    access = Access(platform.kubeconfig)
    status = access.send_endless_body("/api/v1/namespaces/default/configmaps", 100 * 1024 * 1024)
    expect(status == 413, f"a body of 100 MB is answered {status}")
    deaf = access.open_watch_and_never_read("/api/v1/configmaps")
    text = "x" * 200_000
    for number in range(30):
        platform.kubectl("create", "configmap", f"loud-{number}", f"--from-literal=a={text[:90000]}")
    deaf.close()
    for header in ({}, {"Authorization": "Bearer nothing"}):
        expect(access.status("/api/v1/pods", header) == 401, "nobody gets in without a token")
    expect(access.status("/readyz", {}) == 200, "health is for everybody")
    platform.kubectl("delete", "configmaps", "--all")


def everything_can_be_taken_away_again(platform):
    platform.kubectl("delete", "namespace", NAMESPACE)
    platform.kubectl("delete", "clusterqueue", "team-a-cluster-queue")
    platform.kubectl("delete", "resourceflavor", "default-flavor")
    for kind in ("clusterqueues", "resourceflavors", "localqueues", "workloads", "jobs", "pods"):
        expect(not platform.items(kind, "-A"), f"{kind} are left")
    said = platform.down()
    expect(said.returncode == 0, f"muster down: {said.stdout}")
    expect(not trainers(), "no process is left")


if __name__ == "__main__":
    sys.exit(run_steps(Platform(NODES), [
        the_platform_comes_up_with_two_nodes,
        queues_are_applied_in_both_versions,
        two_ranks_find_each_other_and_succeed,
        six_workers_where_four_fit_make_no_pod,
        a_second_job_waits_whole_and_starts_by_itself,
        two_jobs_that_would_each_get_half_do_not_deadlock,
        running_pods_are_adopted,
        killed_at_any_moment_the_outcome_is_the_same,
        deleted_at_any_moment_nothing_is_left,
        bad_input_gets_a_clear_answer,
        hostile_clients_do_not_stop_it,
        everything_can_be_taken_away_again,
    ]))
