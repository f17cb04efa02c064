# Steps 2 to 5 of the walk (tests/e2e/one_gang) where the API server, the Job controller, the
# scheduler and the garbage collector are Kubernetes' own, and Muster only queues and admits.
# Three nodes of eight GPUs, two of them in the pool of the flavor; quota for eight.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import time

from real_cluster import HOLD, ROOT, RealCluster

sys.path.insert(0, os.path.join(ROOT, "tests/e2e/one_gang"))
import jobs  # noqa: E402
from jobs import NAMESPACE, example  # noqa: E402
from platform_under_test import condition, expect, holds, run_steps, wait_for  # noqa: E402
from walk import (delete_job, job, pods, usage, wait_complete, wait_running, workload)  # noqa: E402

POOL = "test.muster.dev/pool"
POOLED = ("node-0", "node-1")
FLAVOR_OF_THE_POOL = f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: default-flavor}}
spec: {{nodeLabels: {{{POOL}: gangs}}}}
"""
# More quota than the pool has: here it is the nodes that say no.
WIDE_QUEUE = f"""
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: wide-cluster-queue}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu, memory, nvidia.com/gpu]
    flavors:
    - name: default-flavor
      resources:
      - {{name: cpu, nominalQuota: 1000}}
      - {{name: memory, nominalQuota: 1000Gi}}
      - {{name: nvidia.com/gpu, nominalQuota: 1000}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: wide-queue, namespace: {NAMESPACE}}}
spec: {{clusterQueue: wide-cluster-queue}}
"""


def gang(name, hold=False, **options):
    """Without a webhook nobody suspends a job for its author. A held one runs until release()."""
    place = "  completionMode:"
    text = jobs.gang(name, **options).replace(place, "  suspend: true\n" + place)
    if hold:
        text = text.replace("  template:\n", "  template:\n    metadata: {annotations: {"
                            f'{HOLD}: "yes"' + "}}\n", 1)
    return text


def release(cluster, name):
    cluster.kubectl("annotate", "pods", "-n", NAMESPACE, "-l", f"job-name={name}", f"{HOLD}-")


def expect_nothing_left(cluster, name):
    def gone():
        return not job(cluster, name) and not pods(cluster, name) and not workload(cluster, name)

    wait_for(f"everything of {name} to go", gone)
    wait_for("quota to return", lambda: set(usage(cluster).values()) <= {"0"})


def reason_to_wait(cluster, name):
    """The condition that says why a workload waits, once there is one."""
    def told():
        found = condition(workload(cluster, name), "QuotaReserved")
        return found["status"] == "False" and found["message"] and found

    return wait_for(f"a reason why {name} waits", told)


def expect_no_pod(cluster, name):
    expect(not pods(cluster, name), f"{name} has a pod")
    expect(job(cluster, name)["spec"]["suspend"], f"{name} is not suspended")


def made_once(cluster, name, count):
    """The Job controller made each pod of the job once: no start was taken back."""
    said = cluster.items("events", "-n", NAMESPACE, "--field-selector",
                         f"involvedObject.name={name},involvedObject.kind=Job")
    made = sum(event.get("count") or 1 for event in said if event["reason"] == "SuccessfulCreate")
    expect(made == count, f"{made} pods were made for {name}, not {count}")


def the_cluster_comes_up_and_takes_our_kinds(cluster):
    cluster.up()
    for node in POOLED:
        cluster.kubectl("label", "node", node, f"{POOL}=gangs")
    cluster.kubectl("create", "namespace", NAMESPACE)
    cluster.install_identity()
    cluster.start_controller()
    wait_for("the controller to say what it lacks",
             lambda: "muster crds | kubectl apply --server-side -f - resource=workloads" in
             cluster.log())
    cluster.install_kinds()
    wait_for("the controller to follow everything", lambda: "have synced" in cluster.log())


def queues_are_applied_in_both_versions(cluster):
    cluster.apply(example("queues_v1beta1.yaml"))
    cluster.apply(example("queues.yaml"))
    cluster.apply(FLAVOR_OF_THE_POOL)
    older = cluster.get("clusterqueues.v1beta1.kueue.x-k8s.io", "team-a-cluster-queue")
    expect(older["apiVersion"] == "kueue.x-k8s.io/v1beta1", "v1beta1 is served")
    for kind, name in (("clusterqueue", "team-a-cluster-queue"), ("localqueue", jobs.QUEUE)):
        wait_for(f"the {kind} to be active",
                 lambda: holds(cluster.get(kind, name, "-n", NAMESPACE), "Active"))


def a_gang_is_admitted_runs_in_its_pool_and_finishes(cluster):
    cluster.apply(gang("train", workers=2, gpus=2, hold=True))
    wait_running(cluster, "train", 2)
    wait_for("the queue to say what is reserved",
             lambda: usage(cluster).get("nvidia.com/gpu") == "4")
    spec = job(cluster, "train")["spec"]
    expect(not spec["suspend"], "the job runs")
    expect(spec["template"]["spec"]["nodeSelector"] == {POOL: "gangs"}, "the flavor's selection")
    for pod in pods(cluster, "train"):
        expect(pod["spec"]["nodeName"] in POOLED, f"a pod is on {pod['spec']['nodeName']}")
    release(cluster, "train")
    wait_complete(cluster, "train")
    found = wait_for("the workload to finish", lambda: (w := workload(cluster, "train")) and
                     holds(w, "Finished") and w)
    for name in ("QuotaReserved", "Admitted"):
        expect(holds(found, name), f"the workload is not {name}")
    expect(condition(found, "Finished")["reason"] == "Succeeded", "finished as succeeded")
    wait_for("quota to return", lambda: set(usage(cluster).values()) <= {"0"})
    made_once(cluster, "train", 2)
    table = cluster.kubectl("get", "workloads", "-n", NAMESPACE)
    expect(jobs.QUEUE in table and "True" in table, f"kubectl get workloads: {table}")
    for kind, name, words in (
            ("workload", found["metadata"]["name"], ("QuotaReserved", "Succeeded",
             "Admitted by ClusterQueue team-a-cluster-queue")),
            ("job", "train", ("CreatedWorkload", "Started", "FinishedWorkload", "Completed"))):
        told = cluster.kubectl("describe", kind, "-n", NAMESPACE, name)
        for word in words:
            expect(word in told, f"describe {kind} does not say {word}: {told}")
    delete_job(cluster, "train")
    expect_nothing_left(cluster, "train")


def six_workers_where_four_fit_make_no_pod(cluster):
    cluster.apply(gang("six", workers=6, gpus=2))
    said = reason_to_wait(cluster, "six")["message"]
    for word in ("nvidia.com/gpu", "default-flavor", "12"):
        expect(word in said, f"the reason does not name {word}: {said}")
    expect_no_pod(cluster, "six")
    delete_job(cluster, "six")
    expect_nothing_left(cluster, "six")


def quota_that_the_nodes_do_not_have_makes_no_pod(cluster):
    cluster.apply(WIDE_QUEUE)
    cluster.apply(gang("wide", workers=3, gpus=8, queue="wide-queue"))
    said = reason_to_wait(cluster, "wide")["message"]
    expect("2 out of 3" in said, f"the reason does not say how many pods fit: {said}")
    expect_no_pod(cluster, "wide")
    cluster.kubectl("label", "node", "node-2", f"{POOL}=gangs")  # and now they have it
    wait_complete(cluster, "wide")
    cluster.kubectl("label", "node", "node-2", f"{POOL}-")
    delete_job(cluster, "wide")
    expect_nothing_left(cluster, "wide")


def a_second_job_waits_whole_and_starts_by_itself(cluster):
    cluster.apply(gang("full", workers=4, gpus=2, hold=True))
    wait_running(cluster, "full", 4)
    cluster.apply(gang("next", workers=4, gpus=2))
    reason_to_wait(cluster, "next")
    expect_no_pod(cluster, "next")
    release(cluster, "full")
    for name in ("full", "next"):
        wait_complete(cluster, name)
        made_once(cluster, name, 4)
        delete_job(cluster, name)
        expect_nothing_left(cluster, name)


def two_jobs_that_would_each_get_half_do_not_deadlock(cluster):
    halves = ("left", "right")
    cluster.apply("\n---\n".join(gang(name, workers=3, gpus=2) for name in halves))
    for name in halves:
        wait_complete(cluster, name)
    for name in halves:
        made_once(cluster, name, 3)
        delete_job(cluster, name)
        expect_nothing_left(cluster, name)


def a_job_that_nobody_suspended_is_stopped_before_it_is_admitted(cluster):
    manifest = gang("hasty", workers=2, gpus=2, hold=True)
    cluster.apply(manifest.replace("suspend: true", "suspend: false"))
    wait_for("hasty to be admitted", lambda: holds(workload(cluster, "hasty"), "Admitted"))
    wait_running(cluster, "hasty", 2)
    for pod in pods(cluster, "hasty"):
        expect(pod["spec"]["nodeSelector"] == {POOL: "gangs"}, "a pod of before is left")
    release(cluster, "hasty")
    wait_complete(cluster, "hasty")
    delete_job(cluster, "hasty")
    expect_nothing_left(cluster, "hasty")


def a_running_gang_is_stopped_and_started_again(cluster):
    def switch(is_active):
        name = workload(cluster, "paused")["metadata"]["name"]
        cluster.kubectl("patch", "workload", name, "-n", NAMESPACE, "--type", "merge",
                        "-p", f'{{"spec": {{"active": {is_active}}}}}')

    cluster.apply(gang("paused", workers=4, gpus=2, hold=True))
    wait_running(cluster, "paused", 4)
    switch("false")
    wait_for("its pods to go", lambda: not pods(cluster, "paused"))
    wait_for("quota to return", lambda: set(usage(cluster).values()) <= {"0"})
    expect_no_pod(cluster, "paused")
    expect("nodeSelector" not in job(cluster, "paused")["spec"]["template"]["spec"],
           "the flavor's selection is left on the stopped job")
    switch("true")
    wait_running(cluster, "paused", 4)
    release(cluster, "paused")
    wait_complete(cluster, "paused")
    delete_job(cluster, "paused")
    expect_nothing_left(cluster, "paused")


def killed_at_any_moment_the_outcome_is_the_same(cluster):
    for number, delay in enumerate((0.0, 0.02, 0.05, 0.1, 0.2, 0.5)):
        name, waiter = f"killed-{number}", f"waiter-{number}"
        cluster.apply(gang(name, workers=4, gpus=2, hold=True))
        time.sleep(delay)
        cluster.kill_controller()
        cluster.apply(gang(waiter, workers=2, gpus=4))
        cluster.start_controller()
        wait_running(cluster, name, 4)
        cluster.kill_controller()
        release(cluster, name)  # it completes while nobody looks
        wait_complete(cluster, name)
        cluster.start_controller()
        wait_complete(cluster, waiter)
        made_once(cluster, name, 4)
        made_once(cluster, waiter, 2)
        for each in (name, waiter):
            delete_job(cluster, each)
            expect_nothing_left(cluster, each)


def deleted_at_any_moment_nothing_is_left(cluster):
    for number, delay in enumerate((0.0, 0.1, 0.5)):
        for kind in ("job", "workload", "pods"):
            name = f"gone-{number}-{kind}"
            cluster.apply(gang(name, workers=2, gpus=1, hold=True))
            time.sleep(delay)
            found = workload(cluster, name)
            target = {"job": [name], "pods": ["--all"],
                      "workload": [found["metadata"]["name"]] if found else ["none"]}[kind]
            cluster.kubectl("delete", kind, *target, "-n", NAMESPACE, "--ignore-not-found")
            if kind == "workload":
                wait_running(cluster, name, 2)  # made anew, as a whole
            delete_job(cluster, name)
            expect_nothing_left(cluster, name)


def the_server_refuses_nothing_but_conflicts(cluster):
    expect(not cluster.refusals(), f"refused: {cluster.refusals()}")


def the_controller_outlives_a_restart_of_the_cluster(cluster):
    cluster.apply(gang("before", workers=4, gpus=2, hold=True))
    wait_running(cluster, "before", 4)
    cluster.apply(gang("after", workers=4, gpus=2))
    reason_to_wait(cluster, "after")
    cluster.down()
    cluster.up()
    expect(cluster.controller.poll() is None, "the controller has ended")
    release(cluster, "before")
    for name in ("before", "after"):
        wait_complete(cluster, name)
        made_once(cluster, name, 4)
        delete_job(cluster, name)
        expect_nothing_left(cluster, name)


def a_second_controller_takes_over(cluster):
    first, leader = cluster.controller, cluster.leader()
    cluster.start_controller()
    cluster.apply(gang("led", workers=4, gpus=2))
    wait_complete(cluster, "led")
    expect(cluster.leader() == leader, "the second one leads beside the first")
    first.kill()
    first.wait()
    cluster.apply(gang("followed", workers=4, gpus=2))
    wait_complete(cluster, "followed")
    expect(cluster.leader() != leader, "nobody followed")
    for name in ("led", "followed"):
        made_once(cluster, name, 4)
        delete_job(cluster, name)
        expect_nothing_left(cluster, name)


def everything_can_be_taken_away_again(cluster):
    cluster.kubectl("delete", "namespace", NAMESPACE)
    cluster.kubectl("delete", "clusterqueue", "--all")
    cluster.kubectl("delete", "resourceflavor", "default-flavor")
    for kind in ("clusterqueues", "resourceflavors", "localqueues", "workloads", "jobs", "pods"):
        expect(not cluster.items(kind, "-A"), f"{kind} are left")
    expect(cluster.stop_controller() == 0, "the controller ends when it is asked to")


if __name__ == "__main__":
    sys.exit(run_steps(RealCluster(nodes=3), [
        the_cluster_comes_up_and_takes_our_kinds,
        queues_are_applied_in_both_versions,
        a_gang_is_admitted_runs_in_its_pool_and_finishes,
        six_workers_where_four_fit_make_no_pod,
        quota_that_the_nodes_do_not_have_makes_no_pod,
        a_second_job_waits_whole_and_starts_by_itself,
        two_jobs_that_would_each_get_half_do_not_deadlock,
        a_job_that_nobody_suspended_is_stopped_before_it_is_admitted,
        a_running_gang_is_stopped_and_started_again,
        killed_at_any_moment_the_outcome_is_the_same,
        deleted_at_any_moment_nothing_is_left,
        the_server_refuses_nothing_but_conflicts,
        the_controller_outlives_a_restart_of_the_cluster,
        a_second_controller_takes_over,
        everything_can_be_taken_away_again,
    ]))
