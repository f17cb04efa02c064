# Programs in pods call the API with what every pod has: the address in their environment, the
# token and the certificate below /var/run/secrets. Files of volumes follow what they are made of.
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from platform_under_test import Platform, expect, run_steps, wait_for  # noqa: E402

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"

# What client-go's and Python's in-cluster configuration do, without either of them.
CALLS = """
import json, os, ssl, sys, time, urllib.error, urllib.request
FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
def read(name):
    with open(f"{FOLDER}/{name}") as file:
        return file.read()
HOST = os.environ["KUBERNETES_SERVICE_HOST"] + ":" + os.environ["KUBERNETES_SERVICE_PORT"]
CONTEXT = ssl.create_default_context(cafile=f"{FOLDER}/ca.crt")
def call(path, host=HOST, method="GET", body=None):
    request = urllib.request.Request(f"https://{host}{path}", method=method, data=body,
                                     headers={"Authorization": f"Bearer {read('token')}",
                                              "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, context=CONTEXT) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
"""

CALLER = CALLS + """
code, review = call("/apis/authentication.k8s.io/v1/selfsubjectreviews", method="POST", body=b'''
  {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}''')
print("who", code, review["status"]["userInfo"]["username"])
print("pod", review["status"]["userInfo"]["extra"]["authentication.kubernetes.io/pod-name"][0])
print("pods", call(f"/api/v1/namespaces/{read('namespace')}/pods")[0])
print("secrets", call(f"/api/v1/namespaces/{read('namespace')}/secrets")[0])
print("nodes", call("/api/v1/nodes")[1]["message"])
print("name", call("/version", "kubernetes.default.svc")[0])
time.sleep(3600)
"""

ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: pod-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: pod-reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pod-reader}
subjects: [{kind: ServiceAccount, name: reader}]
"""


def pod(name, command, container=None, **spec):
    return json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "x"}},
        "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, **spec,
                 "containers": [{"name": "main", "image": "muster.dev/python",
                                 "command": ["python3", "-u", "-c", command],
                                 **(container or {})}]}})


def phase(platform, name):
    return (platform.get("pod", name) or {}).get("status", {}).get("phase")


def start(platform, name, text):
    platform.apply(text)
    wait_for(name, lambda: phase(platform, name) == "Running")


def log_has(platform, name, line):
    wait_for(f"{line!r} in the log of {name}",
             lambda: line in platform.kubectl("logs", name, check=False).splitlines())


def the_server_is_a_service(platform):
    platform.up(first=True)
    service = platform.get("service", "kubernetes")
    expect(service["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"},
           f"its labels are {service['metadata']['labels']}")
    port = service["spec"]["ports"][0]
    expect(port["name"] == "https", f"its port is {port}")
    if not service["spec"]["clusterIP"].startswith("127."):
        ends = platform.get("endpointslice", "kubernetes")
        expect(ends["endpoints"][0]["addresses"] == [service["spec"]["clusterIP"]],
               f"its endpoints are {ends['endpoints']}")
        platform.kubectl("delete", "endpointslice", "kubernetes")
        wait_for("its endpoints again", lambda: platform.get("endpointslice", "kubernetes"))


def every_namespace_knows_the_authority(platform):
    platform.kubectl("create", "namespace", "other")
    wait_for("kube-root-ca.crt", lambda: platform.get("cm", "kube-root-ca.crt", "-n", "other"))
    platform.kubectl("delete", "cm", "kube-root-ca.crt", "-n", "other")
    wait_for("it again", lambda: platform.get("cm", "kube-root-ca.crt", "-n", "other"))


def a_program_in_a_pod_calls_the_api(platform):
    platform.apply(ACCOUNT)
    start(platform, "caller", pod("caller", CALLER, serviceAccountName="reader"))
    for line in ("who 201 system:serviceaccount:default:reader", "pod caller", "pods 200",
                 "secrets 403", "name 200"):
        log_has(platform, "caller", line)
    log_has(platform, "caller", 'nodes nodes is forbidden: User "system:serviceaccount:default:reader" '
            'cannot list resource "nodes" in API group "" at the cluster scope')
    volumes = platform.get("pod", "caller")["spec"]["volumes"]
    expect(volumes[0]["name"].startswith("kube-api-access-"), f"its volumes are {volumes}")


def its_token_ends_with_it(platform):
    token = platform.kubectl("exec", "caller", "--", "cat", f"{FOLDER}/token")
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    expect(claims["kubernetes.io"]["pod"]["name"] == "caller", f"its claims are {claims}")
    review = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
                         "spec": {"token": token}})
    asked = json.loads(platform.kubectl("create", "-f", "-", "-o", "json", "--validate=false", stdin=review))
    expect(asked["status"].get("authenticated"), f"the token is {asked['status']}")
    platform.kubectl("delete", "pod", "caller", "--now")
    asked = json.loads(platform.kubectl("create", "-f", "-", "-o", "json", "--validate=false", stdin=review))
    expect(not asked["status"].get("authenticated"), "the token outlived its pod")


def who_wants_no_token_has_none(platform):
    start(platform, "alone", pod("alone", f"import os, time; print(os.path.exists('{FOLDER}')); "
                                 "time.sleep(3600)", automountServiceAccountToken=False))
    log_has(platform, "alone", "False")
    expect("volumes" not in platform.get("pod", "alone")["spec"], "it has volumes")


def secrets_and_config_maps_become_files_and_variables(platform):
    platform.kubectl("create", "secret", "generic", "s", "--from-literal=key=one")
    platform.kubectl("create", "configmap", "m", "--from-literal=key=one")
    text = pod("files", "import os, time; print(os.environ['KEY'], os.environ['P_key']); "
               "time.sleep(3600)",
               volumes=[{"name": "s", "secret": {"secretName": "s", "defaultMode": 0o400}},
                        {"name": "both", "projected": {"sources": [
                            {"secret": {"name": "s", "items": [{"key": "key", "path": "a/s"}]}},
                            {"configMap": {"name": "m", "items": [{"key": "key", "path": "a/m"}]}},
                            {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {
                                "fieldPath": "metadata.labels"}}]}}]}}],
               container={
                   "env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {
                       "name": "s", "key": "key"}}}],
                   "envFrom": [{"prefix": "P_", "secretRef": {"name": "s"}}],
                   "volumeMounts": [{"name": "s", "mountPath": "/etc/s"},
                                    {"name": "both", "mountPath": "/etc/both"}]})
    start(platform, "files", text)
    log_has(platform, "files", "one one")
    seen = platform.kubectl("exec", "files", "--", "sh", "-c",
                            "cat /etc/s/key /etc/both/a/s /etc/both/a/m /etc/both/labels; "
                            "stat -L -c %a /etc/s/key; readlink /etc/s/key")
    expect(seen == 'oneoneoneapp="x"400\n..data/key\n', f"it sees {seen!r}")


def files_follow_what_they_are_made_of(platform):
    def shows(path, text):
        wait_for(f"{path} to become {text!r}",
                 lambda: platform.kubectl("exec", "files", "--", "cat", path) == text)
    platform.kubectl("patch", "secret", "s", "-p", '{"stringData": {"key": "two", "new": "x"}}')
    shows("/etc/s/key", "two")
    shows("/etc/s/new", "x")
    platform.kubectl("patch", "configmap", "m", "-p", '{"data": {"key": "three"}}')
    shows("/etc/both/a/m", "three")
    platform.kubectl("label", "pod", "files", "app=y", "--overwrite")
    shows("/etc/both/labels", 'app="y"')
    platform.kill()
    platform.up()
    platform.kubectl("patch", "configmap", "m", "-p", '{"data": {"key": "four"}}')
    shows("/etc/both/a/m", "four")


def a_missing_secret_holds_the_pod(platform):
    platform.apply(pod("waits", "import time; time.sleep(3600)",
                       volumes=[{"name": "v", "secret": {"secretName": "later"}}],
                       container={"volumeMounts": [{"name": "v", "mountPath": "/v"}]}))
    wait_for("the event", lambda: any(
        each["reason"] == "FailedMount" and each["message"] ==
        'MountVolume.SetUp failed for volume "v" : secret "later" not found'
        for each in platform.items("events", "--field-selector", "involvedObject.name=waits")))
    platform.kubectl("create", "secret", "generic", "later", "--from-literal=a=b")
    wait_for("the pod", lambda: phase(platform, "waits") == "Running")


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=2,memory=2Gi"]), [
        the_server_is_a_service, every_namespace_knows_the_authority,
        a_program_in_a_pod_calls_the_api, its_token_ends_with_it, who_wants_no_token_has_none,
        secrets_and_config_maps_become_files_and_variables, files_follow_what_they_are_made_of,
        a_missing_secret_holds_the_pod]))
