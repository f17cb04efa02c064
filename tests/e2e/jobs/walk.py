# batch/v1 Jobs with every policy, and CronJobs: real kubectl, real processes, the words of
# kube-controller-manager.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import (Platform, condition, expect, holds, run_steps,  # noqa: E402
                                 wait_for)

INDEXED = {"completionMode": "Indexed"}


def job(name, script, **spec):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"template": {"spec": {
                "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": "muster.dev/shell",
                                "command": ["sh", "-c", script]}]}}, **spec}}


def create(platform, thing):
    platform.kubectl("create", "-f", "-", stdin=json.dumps(thing))


def ended(platform, name, how):
    wait_for(f"{name} is {how}", lambda: holds(platform.get("job", name), how))
    return platform.get("job", name)


def events(platform, name):
    return {(each["type"], each["reason"], each["message"]) for each in platform.items(
        "events", "--field-selector", f"involvedObject.name={name}")}


def has_event(platform, name, *event):
    wait_for(f"the event {event}", lambda: event in events(platform, name))


def an_index_fails_and_the_others_go_on(platform):
    platform.up(first=True)
    create(platform, job("per-index", 'test "$JOB_COMPLETION_INDEX" != 1', **INDEXED,
                         completions=3, parallelism=3, backoffLimitPerIndex=0))
    status = ended(platform, "per-index", "Failed")["status"]
    expect(status["completedIndexes"] == "0,2" and status["failedIndexes"] == "1", status)
    expect((status["succeeded"], status["failed"]) == (2, 1), status)
    failed = condition({"status": status}, "Failed")
    expect((failed["reason"], failed["message"]) == ("FailedIndexes", "Job has failed indexes"),
           failed)
    has_event(platform, "per-index", "Warning", "FailedIndexes", "Job has failed indexes")
    for pod in platform.items("pods", "-l", "job-name=per-index"):
        annotations = pod["metadata"]["annotations"]
        expect(annotations["batch.kubernetes.io/job-index-failure-count"] == "0", annotations)


def an_index_is_tried_again(platform):
    create(platform, job("again", 'test "$JOB_COMPLETION_INDEX" = 0 || test -e /tmp/nowhere',
                         **INDEXED, completions=2, parallelism=2, backoffLimitPerIndex=1))
    status = ended(platform, "again", "Failed")["status"]
    expect(status["failedIndexes"] == "1" and status["failed"] == 2, status)
    counts = sorted(pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"]
                    for pod in platform.items("pods", "-l", "job-name=again"))
    expect(counts == ["0", "0", "1"], counts)


def an_exit_code_ends_the_job(platform):
    rule = {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In",
                                                 "values": [42]}}
    create(platform, job("fatal", "exit 42", backoffLimit=6, podFailurePolicy={"rules": [rule]}))
    thing = ended(platform, "fatal", "Failed")
    pod = platform.items("pods", "-l", "job-name=fatal")[0]["metadata"]["name"]
    message = (f"Container main for pod default/{pod} failed with exit code 42 matching FailJob "
               "rule at index 0")
    for kind in ("FailureTarget", "Failed"):
        found = condition(thing, kind)
        expect((found["reason"], found["message"]) == ("PodFailurePolicy", message), found)
    expect(thing["spec"]["podReplacementPolicy"] == "Failed", "only failed pods are replaced")
    has_event(platform, "fatal", "Warning", "PodFailurePolicy", message)


def an_eviction_is_ignored(platform):
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    create(platform, job("patient", "sleep 3600", backoffLimit=0,
                         podFailurePolicy={"rules": [rule]}))

    def running():
        return [each["metadata"] for each in
                platform.items("pods", "-l", "job-name=patient")
                if each["status"]["phase"] == "Running"
                and "deletionTimestamp" not in each["metadata"]]
    first = wait_for("the pod", running)[0]
    name = first["name"]
    platform.kubectl("create", "--raw", f"/api/v1/namespaces/default/pods/{name}/eviction",
                     "-f", "-", stdin=json.dumps({
                         "apiVersion": "policy/v1", "kind": "Eviction",
                         "metadata": {"name": name, "namespace": "default"}}))
    wait_for("another pod", lambda: [each for each in running() if each["uid"] != first["uid"]])
    thing = platform.get("job", "patient")
    expect(not holds(thing, "Failed") and "failed" not in thing["status"], thing["status"])
    platform.kubectl("delete", "job", "patient")


def a_leader_is_enough(platform):
    create(platform, job("leader", 'test "$JOB_COMPLETION_INDEX" = 0 || sleep 3600', **INDEXED,
                         completions=3, parallelism=3,
                         successPolicy={"rules": [{"succeededIndexes": "0"}]}))
    thing = ended(platform, "leader", "Complete")
    met = condition(thing, "SuccessCriteriaMet")
    expect((met["reason"], met["message"]) == ("SuccessPolicy", "Matched rules at index 0"), met)
    status = thing["status"]
    expect(status["succeeded"] == 1 and "failed" not in status and "active" not in status, status)
    expect(condition(thing, "Complete")["reason"] == "SuccessPolicy", status)
    has_event(platform, "leader", "Normal", "Completed", "Job completed")


def a_pod_whose_label_changes_is_let_go(platform):
    create(platform, job("labels", "sleep 3600"))
    pods = wait_for("a pod", lambda: platform.items("pods", "-l", "job-name=labels"))
    name = pods[0]["metadata"]["name"]
    platform.kubectl("label", "pod", name, "batch.kubernetes.io/controller-uid-")
    wait_for("it is nobody's", lambda: "ownerReferences" not in
             platform.get("pod", name)["metadata"])
    wait_for("another one", lambda: len(platform.items("pods", "-l", "job-name=labels")) == 2)
    platform.kubectl("delete", "job", "labels")
    platform.kubectl("delete", "pod", name)


def refused_pods_are_told(platform):
    platform.kubectl("create", "quota", "none", "--hard=pods=0")
    create(platform, job("walled", "true"))
    wait_for("the event", lambda: any(
        reason == "FailedCreate" and message.startswith('Error creating: pods "walled-') and
        "is forbidden: exceeded quota: none" in message
        for _, reason, message in events(platform, "walled")))
    platform.kubectl("delete", "quota", "none")
    ended(platform, "walled", "Complete")


def a_cron_job_runs_every_minute(platform):
    create(platform, {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
        "spec": {"schedule": "* * * * *", "timeZone": "Europe/Berlin",
                 "jobTemplate": {"spec": job("x", "echo tick")["spec"]}}})
    thing = wait_for("a job", lambda: [each for each in platform.items("jobs") if each[
        "metadata"]["name"].startswith("tick-")], 75)[0]
    name = thing["metadata"]["name"]
    stamp = thing["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    expect(stamp.endswith("+01:00") or stamp.endswith("+02:00"), stamp)
    ended(platform, name, "Complete")
    status = wait_for("its status", lambda: [each for each in [
        platform.get("cronjob", "tick")["status"]] if "lastSuccessfulTime" in each])[0]
    minutes = int(name.rsplit("-", 1)[1])
    scheduled = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(minutes * 60))
    expect(status["lastScheduleTime"] == scheduled and "active" not in status, status)
    has_event(platform, "tick", "Normal", "SuccessfulCreate", f"Created job {name}")
    has_event(platform, "tick", "Normal", "SawCompletedJob",
              f"Saw completed job: {name}, condition: Complete")
    platform.kubectl("patch", "cronjob", "tick", "-p", '{"spec": {"suspend": true}}')


def a_job_is_made_from_a_cron_job_by_hand(platform):
    platform.kubectl("create", "job", "by-hand", "--from=cronjob/tick")
    ended(platform, "by-hand", "Complete")
    owner = platform.get("job", "by-hand")["metadata"]["ownerReferences"][0]
    expect((owner["kind"], owner["controller"]) == ("CronJob", True), owner)
    platform.kubectl("delete", "cronjob", "tick")
    wait_for("its jobs go with it", lambda: platform.get("job", "by-hand") is None)


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=2Gi"]), [
        an_index_fails_and_the_others_go_on, an_index_is_tried_again, an_exit_code_ends_the_job,
        an_eviction_is_ignored, a_leader_is_enough, a_pod_whose_label_changes_is_let_go,
        refused_pods_are_told, a_cron_job_runs_every_minute,
        a_job_is_made_from_a_cron_job_by_hand]))
