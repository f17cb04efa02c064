# The Kubernetes client for Python (python3-kubernetes): CRUD, watch, patches, logs, exec, the
# dynamic client. Run by Debian's own Python, for which it is packaged.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from kubernetes import client, config, dynamic, watch  # noqa: E402
from kubernetes.client.rest import ApiException  # noqa: E402
from kubernetes.stream import stream  # noqa: E402
from platform_under_test import Platform, expect, run_steps, wait_for  # noqa: E402

NAMESPACE = "python"


def refused(status, call):
    try:
        call()
    except ApiException as error:
        expect(error.status == status, f"{error.status} came, not {status}: {error.body}")
        return error
    raise AssertionError(f"nothing refused it with {status}")


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"app": "x"}), data=data)


def the_platform_comes_up(platform):
    platform.up(first=True)
    config.load_kube_config(platform.kubeconfig)
    platform.core = client.CoreV1Api()
    platform.core.create_namespace({"metadata": {"name": NAMESPACE}})
    found = client.VersionApi().get_code()
    expect(found.major == "1", f"the version: {found}")


def objects_are_created_read_replaced_patched_and_deleted(platform):
    core = platform.core
    made = core.create_namespaced_config_map(NAMESPACE, config_map("a", k="v"))
    expect(made.metadata.uid and made.data == {"k": "v"}, f"created: {made}")
    refused(409, lambda: core.create_namespaced_config_map(NAMESPACE, config_map("a")))
    made.data = {"k": "w"}
    core.replace_namespaced_config_map("a", NAMESPACE, made)
    refused(409, lambda: core.replace_namespaced_config_map("a", NAMESPACE, made))
    core.patch_namespaced_config_map("a", NAMESPACE, {"data": {"l": "m"}})
    core.patch_namespaced_config_map("a", NAMESPACE, [{"op": "remove", "path": "/data/k"}])
    expect(core.read_namespaced_config_map("a", NAMESPACE).data == {"l": "m"}, "patched")
    listed = core.list_namespaced_config_map(NAMESPACE, label_selector="app=x", limit=1)
    expect([each.metadata.name for each in listed.items] == ["a"], "listed")
    core.delete_namespaced_config_map("a", NAMESPACE)
    refused(404, lambda: core.read_namespaced_config_map("a", NAMESPACE))
    error = refused(422, lambda: core.create_namespaced_config_map(NAMESPACE, config_map("Bad_")))
    expect("RFC 1123" in error.body, f"the reason: {error.body}")


def jobs_services_and_secrets(platform):
    batch = client.BatchV1Api()
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(
        restart_policy="Never", containers=[client.V1Container(name="c", image="i:1")]))
    job = client.V1Job(metadata=client.V1ObjectMeta(name="j"),
                       spec=client.V1JobSpec(template=template, suspend=True))
    batch.create_namespaced_job(NAMESPACE, job)
    expect(batch.read_namespaced_job_status("j", NAMESPACE).spec.parallelism == 1, "its defaults")
    batch.delete_namespaced_job("j", NAMESPACE, propagation_policy="Background")
    platform.core.create_namespaced_service(NAMESPACE, client.V1Service(
        metadata=client.V1ObjectMeta(name="s"),
        spec=client.V1ServiceSpec(cluster_ip="None", selector={"a": "b"})))
    secret = client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"k": "v"})
    made = platform.core.create_namespaced_secret(NAMESPACE, secret)
    expect(made.data == {"k": "dg=="}, f"a secret: {made.data}")
    expect(len(platform.core.list_node().items) == 1, "the node")


def a_watch_sees_what_happens(platform):
    core, seen = platform.core, []
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def follow():
        for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE,
                                          resource_version=start, timeout_seconds=20):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                return

    thread = threading.Thread(target=follow)
    thread.start()
    core.create_namespaced_config_map(NAMESPACE, config_map("w"))
    core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"a": "b"}})
    core.delete_namespaced_config_map("w", NAMESPACE)
    thread.join(timeout=30)
    expect(seen == [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")], f"the watch saw {seen}")


def start_pod(platform, name):
    platform.core.create_namespaced_pod(NAMESPACE, {
        "metadata": {"name": name}, "spec": {
            "restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [{
                "name": "c", "image": "busybox:1", "command": ["sh", "-c", "echo hello; sleep 600"]}]}})
    wait_for(f"{name} to run", lambda: platform.core.read_namespaced_pod(
        name, NAMESPACE).status.phase == "Running")


def a_pod_runs_and_its_log_is_read(platform):
    start_pod(platform, "p")
    wait_for("its log", lambda: platform.core.read_namespaced_pod_log("p", NAMESPACE) == "hello\n")
    expect(platform.core.read_namespaced_pod_log("p", NAMESPACE, tail_lines=1) == "hello\n", "tail")


def commands_run_in_a_pod(platform):
    start_pod(platform, "e")
    core = platform.core
    said = stream(core.connect_get_namespaced_pod_exec, "e", NAMESPACE, command=["echo", "hi"],
                  stdout=True, stderr=True, stdin=False, tty=False)
    expect(said == "hi\n", f"exec said {said!r}")
    talk = stream(core.connect_get_namespaced_pod_exec, "e", NAMESPACE, command=["sh"], stdin=True,
                  stdout=True, stderr=True, tty=False, _preload_content=False)
    talk.write_stdin("echo one; echo two >&2; exit 7\n")
    talk.run_forever(timeout=20)
    expect(talk.read_stdout() == "one\n" and talk.read_stderr() == "two\n", "both streams")
    expect(talk.returncode == 7, f"the exit code: {talk.returncode}")


def the_dynamic_client_finds_kinds_by_itself(platform):
    everything = dynamic.DynamicClient(client.api_client.ApiClient())
    maps = everything.resources.get(api_version="v1", kind="ConfigMap")
    maps.create({"metadata": {"name": "d"}, "data": {"k": "v"}}, namespace=NAMESPACE)
    maps.patch({"metadata": {"name": "d"}, "data": {"k": "w"}}, namespace=NAMESPACE,
               content_type="application/merge-patch+json")
    expect(maps.get(name="d", namespace=NAMESPACE).data.k == "w", "patched")
    maps.delete(name="d", namespace=NAMESPACE)
    queues = everything.resources.get(api_version="kueue.x-k8s.io/v1beta2", kind="ResourceFlavor")
    queues.create({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor",
                   "metadata": {"name": "python"}})
    expect([each.metadata.name for each in queues.get().items] == ["python"], "a custom kind")


def the_namespace_goes(platform):
    platform.core.delete_namespace(NAMESPACE)

    def gone():
        try:
            platform.core.read_namespace(NAMESPACE)
            return False
        except ApiException as error:
            return error.status == 404

    wait_for("the namespace to go", gone)


if __name__ == "__main__":
    sys.exit(run_steps(Platform(["name=n1,cpu=8,memory=8Gi"], finds_kubectl=False), [
        the_platform_comes_up,
        objects_are_created_read_replaced_patched_and_deleted,
        jobs_services_and_secrets,
        a_watch_sees_what_happens,
        a_pod_runs_and_its_log_is_read,
        commands_run_in_a_pod,
        the_dynamic_client_finds_kinds_by_itself,
        the_namespace_goes,
    ]))
