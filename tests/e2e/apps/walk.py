# Deployments, ReplicaSets and StatefulSets as people use them: rolled out, scaled, undone, adopted
# and removed; and the endpoints of Services that follow their pods.
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import services  # noqa: E402
from platform_under_test import Platform, condition, expect, run_steps, wait_for  # noqa: E402

STATEFUL_SET = """
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432, name: pg}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: m, image: busybox, command: [sh, -c, "hostname; exec sleep 1000"]}]
"""
REPLICA_SET = """
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: x}
spec:
  replicas: 2
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: m, image: busybox, command: [sleep, "1000"]}]
"""


def pods(platform, label):
    return {p["metadata"]["name"]: p for p in platform.items("pods", "-l", label)}


def owners(pod):
    return [o["name"] for o in pod["metadata"].get("ownerReferences", [])]


def addresses(platform, service):
    return sorted(a for s in platform.items("endpointslices", "-l",
                                            f"kubernetes.io/service-name={service}")
                  for e in s.get("endpoints") or [] if e["conditions"]["ready"]
                  for a in e["addresses"])


def a_deployment_is_rolled_out(platform):
    platform.up(first=True)
    platform.kubectl("create", "deployment", "web", "--image=busybox", "--replicas=3", "--",
                     "sleep", "1000")
    out = platform.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    expect("successfully rolled out" in out, out)
    expect(len(pods(platform, "app=web")) == 3, "there are three pods")
    platform.kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=10s")


def its_service_knows_where_the_pods_are(platform):
    platform.kubectl("expose", "deployment", "web", "--port=80", "--target-port=8080",
                     "--cluster-ip=None")
    there = sorted(p["status"]["podIP"] for p in pods(platform, "app=web").values())
    wait_for("the addresses", lambda: addresses(platform, "web") == there)
    subset = platform.get("endpoints", "web")["subsets"][0]
    expect([a["ip"] for a in subset["addresses"]] and subset["ports"][0]["port"] == 8080, subset)


def a_new_template_is_rolled_out_and_undone(platform):
    before = set(pods(platform, "app=web"))
    platform.kubectl("set", "env", "deployment/web", "A=b")
    platform.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    wait_for("new pods alone", lambda: len(pods(platform, "app=web")) == 3 and not before & set(
        pods(platform, "app=web")))
    history = platform.kubectl("rollout", "history", "deployment/web")
    expect("\n1 " in history and "\n2 " in history, history)
    platform.kubectl("rollout", "undo", "deployment/web")
    platform.kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    sets = platform.items("replicasets", "-l", "app=web")
    expect(sorted(s["spec"]["replicas"] for s in sets) == [0, 3], sets)
    revision = platform.get("deployment", "web")["metadata"]["annotations"]
    expect(revision["deployment.kubernetes.io/revision"] == "3", revision)


def it_is_scaled_and_keeps_its_number(platform):
    platform.kubectl("scale", "deployment/web", "--replicas=1")
    last = wait_for("one pod", lambda: len(pods(platform, "app=web")) == 1 and list(
        pods(platform, "app=web"))[0])
    platform.kubectl("delete", "pod", last, "--wait=false")
    wait_for("another one", lambda: any(
        name != last and p["status"].get("phase") == "Running"
        for name, p in pods(platform, "app=web").items()))


def it_goes_with_all_that_is_its_own(platform):
    platform.kubectl("delete", "deployment", "web")
    wait_for("nothing", lambda: not pods(platform, "app=web") and not platform.items(
        "replicasets", "-l", "app=web"))
    wait_for("no address", lambda: addresses(platform, "web") == [])


def a_replica_set_adopts_and_lets_go(platform):
    platform.kubectl("run", "lone", "--image=busybox", "--labels=app=x", "--", "sleep", "1000")
    platform.apply(REPLICA_SET)
    wait_for("one more", lambda: len(pods(platform, "app=x")) == 2)
    wait_for("the adoption", lambda: owners(platform.get("pod", "lone")) == ["x"])
    platform.kubectl("label", "pod", "lone", "app=debug", "--overwrite")
    wait_for("a replacement", lambda: len(pods(platform, "app=x")) == 2)
    expect(owners(platform.get("pod", "lone")) == [], "it is nobody's")
    platform.kubectl("delete", "rs", "x")


def a_stateful_set_comes_in_order(platform):
    platform.apply(STATEFUL_SET)
    platform.kubectl("rollout", "status", "sts/db", "--timeout=60s")
    there = pods(platform, "app=db")
    expect(sorted(there) == ["db-0", "db-1", "db-2"], sorted(there))
    made = [there[f"db-{i}"]["metadata"]["creationTimestamp"] for i in range(3)]
    expect(made == sorted(made), made)
    expect(platform.kubectl("logs", "db-1").strip() == "db-1", "its host name is its name")


def a_member_comes_back_under_its_name(platform):
    uid = platform.get("pod", "db-1")["metadata"]["uid"]
    platform.kubectl("delete", "pod", "db-1", "--wait=false")
    wait_for("db-1 again", lambda: (platform.get("pod", "db-1") or {"metadata": {"uid": uid}})[
        "metadata"]["uid"] != uid)
    platform.kubectl("rollout", "status", "sts/db", "--timeout=60s")


def its_rollout_goes_from_the_highest_down(platform):
    platform.kubectl("set", "env", "sts/db", "A=b")
    platform.kubectl("rollout", "status", "sts/db", "--timeout=60s")
    revisions = {p["metadata"]["labels"]["controller-revision-hash"]
                 for p in pods(platform, "app=db").values()}
    status = platform.get("sts", "db")["status"]
    expect(revisions == {status["updateRevision"]} == {status["currentRevision"]}, status)


def it_survives_the_platform(platform):
    before = {n: p["metadata"]["uid"] for n, p in pods(platform, "app=db").items()}
    platform.kill()
    platform.up()
    wait_for("the same members", lambda: {n: p["metadata"]["uid"] for n, p in pods(
        platform, "app=db").items()} == before)
    platform.kubectl("scale", "sts/db", "--replicas=1")
    wait_for("one", lambda: list(pods(platform, "app=db")) == ["db-0"])
    platform.kubectl("delete", "sts", "db")


def claims_go_as_the_policy_says(platform):
    platform.apply(STATEFUL_SET.replace("replicas: 3", "replicas: 2") + """
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
""")
    platform.kubectl("rollout", "status", "sts/db", "--timeout=60s")

    def claims():
        return sorted(c["metadata"]["name"] for c in platform.items("pvc"))
    expect(claims() == ["data-db-0", "data-db-1"], claims())
    platform.kubectl("scale", "sts/db", "--replicas=1")
    wait_for("one claim", lambda: claims() == ["data-db-0"])
    platform.kubectl("delete", "sts/db", "service/db")
    wait_for("no claim", lambda: not claims())


UNSERVED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {}, policyTypes: [Ingress]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: door}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: more}
spec:
  minReplicas: 1
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere}
spec:
  schedulerName: volcano
  containers: [{name: m, image: busybox, command: ["true"]}]
"""


def what_nothing_serves_says_so(platform):
    platform.apply(UNSERVED)
    for kind, name, words in [("NetworkPolicy", "closed", "does not enforce network policies"),
                              ("Ingress", "door", "has no ingress controller"),
                              ("HorizontalPodAutoscaler", "more", "has no autoscaler"),
                              ("Pod", "elsewhere", "no scheduler named volcano")]:
        wait_for(f"an event about the {kind}", lambda kind=kind, name=name, words=words: words in
                 platform.kubectl("events", "--for", f"{kind}/{name}"))
    able = condition(platform.get("hpa", "more"), "AbleToScale")
    expect(able["status"] == "False" and able["reason"] == "NotServed", able)
    platform.kubectl("delete", "networkpolicy/closed", "ingress/door", "hpa/more",
                     "pod/elsewhere")


TIGHT = """
apiVersion: v1
kind: Namespace
metadata: {name: tight}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: two, namespace: tight}
spec: {hard: {pods: "2"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: tight}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: m, image: busybox, command: [sleep, "1000"]}]
"""


def what_a_quota_refuses_is_told(platform):
    platform.apply(TIGHT)

    def web():
        return platform.get("deployment", "web", "-n", "tight")

    wait_for("the two pods that fit to count",
             lambda: web()["status"].get("readyReplicas") == 2)
    wait_for("the Deployment to say what is refused",
             lambda: "exceeded quota: two" in condition(web(), "ReplicaFailure")["message"])
    expect(condition(web(), "ReplicaFailure")["reason"] == "FailedCreate", web())
    platform.kubectl("delete", "quota", "two", "-n", "tight")
    wait_for("all pods", lambda: web()["status"].get("readyReplicas") == 4)
    wait_for("the refusal to be forgotten",
             lambda: condition(web(), "ReplicaFailure")["status"] == "")
    platform.kubectl("delete", "namespace", "tight")


STEPS = [
    a_deployment_is_rolled_out,
    its_service_knows_where_the_pods_are,
    a_new_template_is_rolled_out_and_undone,
    it_is_scaled_and_keeps_its_number,
    it_goes_with_all_that_is_its_own,
    a_replica_set_adopts_and_lets_go,
    a_stateful_set_comes_in_order,
    a_member_comes_back_under_its_name,
    its_rollout_goes_from_the_highest_down,
    it_survives_the_platform,
    claims_go_as_the_policy_says,
    what_a_quota_refuses_is_told,
    what_nothing_serves_says_so,
    *services.STEPS,
]

if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=4Gi"]), STEPS))
