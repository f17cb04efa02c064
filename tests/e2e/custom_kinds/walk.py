# Kinds that users define, with a real kubectl; and the installers of the systems that Muster
# replaces, applied and deleted again while jobs run.
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from installers import KUEUE, MPI, SYSTEMS, manifest  # noqa: E402
from platform_under_test import (Failed, Platform, condition, expect, holds,  # noqa: E402
                                 run_steps, wait_for)

WIDGET = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: What the widget should be.
            properties:
              size: {type: integer, default: 3, minimum: 1, description: How large it is.}
              color: {type: string}
"""
ONE_WIDGET = """
apiVersion: acme.io/v1
kind: Widget
metadata: {name: a, namespace: default}
spec: {color: red}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: default}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: busybox, command: ["true"]}
"""


def a_definition_is_established_and_its_kind_is_served(platform):
    platform.apply(WIDGET)
    platform.kubectl("wait", "--for=condition=Established", "crd/widgets.acme.io", "--timeout=20s")
    platform.apply(ONE_WIDGET)
    shown = platform.kubectl("get", "wd")
    expect("SIZE" in shown and "3" in shown, f"get shows {shown}")
    expect("widgets.acme.io" in platform.kubectl("api-resources", "--api-group=acme.io", "-o", "name"),
           "api-resources does not have it")


def explain_knows_the_fields(platform):
    text = platform.kubectl("explain", "widget.spec")
    expect("What the widget should be." in text and "size\t<integer>" in text, text)
    text = platform.kubectl("explain", "widget.spec.size")
    expect("How large it is." in text, text)
    text = platform.kubectl("explain", "pod.spec.containers", "--recursive")
    expect("containerPort" in text, text)


def a_bad_object_is_refused_in_the_words_of_the_peer(platform):
    try:
        platform.apply(ONE_WIDGET.replace("color: red", "size: 0"))
    except Failed as refused:
        expect("spec.size in body should be greater than or equal to 1" in str(refused), refused)
        return
    raise Failed("a widget of size 0 was accepted")


def a_restart_keeps_the_kind(platform):
    platform.kill()
    platform.up()
    wait_for("the widget", lambda: platform.get("widget", "a"))


def deletion_takes_the_instances_along(platform):
    platform.kubectl("delete", "crd", "widgets.acme.io")
    shown = platform.kubectl("get", "--raw", "/apis/acme.io", check=False)
    expect("NotFound" in shown or "not find" in shown, f"the group is still there: {shown}")


def run_a_job(platform, name):
    platform.apply(JOB.replace("NAME", name))
    wait_for(f"job {name}", lambda: holds(platform.get("job", name), "Complete"))
    platform.kubectl("delete", "job", name)


def check_harmless(platform, name):
    for system in SYSTEMS:
        for deployment in system.deployments:
            platform.kubectl("rollout", "status", f"deployment/{deployment}", "-n",
                             system.namespace, "--timeout=20s")
    service = platform.get("apiservice", "v1beta2.visibility.kueue.x-k8s.io")
    expect(condition(service, "Available")["status"] == "True", f"{service}")
    run_a_job(platform, name)


def check_gone(platform, name):
    run_a_job(platform, name)
    platform.kubectl("get", "clusterqueues,resourceflavors")


def without_crds_of_another(system):
    """Two of the systems bring the same kind; kubectl create refuses the second."""
    return manifest(system, without="CustomResourceDefinition" if system is MPI else "")


def installers_that_are_created_are_harmless(platform):
    for system in SYSTEMS:
        said = platform.kubectl("create", "-f", "-", stdin=without_crds_of_another(system))
        expect(system is MPI or "Warning: " in said, f"{system.name}: no warning in {said}")
    check_harmless(platform, "beside-installers")


def a_definition_of_ours_has_no_effect(platform):
    platform.kubectl("wait", "--for=condition=Established", "crd/clusterqueues.kueue.x-k8s.io",
                     "--timeout=20s")
    definition = platform.get("crd", "clusterqueues.kueue.x-k8s.io")
    marks = definition["metadata"].get("annotations", {})
    expect("muster.dev/superseded" in marks, f"{marks}")


def created_installers_can_be_deleted(platform):
    for system in reversed(SYSTEMS):
        platform.kubectl("delete", "--ignore-not-found", "-f", "-",
                         stdin=without_crds_of_another(system))
    check_gone(platform, "after-installers")


def installers_that_are_applied_are_harmless(platform):
    for attempt in range(2):
        for system in SYSTEMS:
            platform.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-",
                             stdin=manifest(system))
    check_harmless(platform, "beside-applied")


def the_configuration_of_kueue_can_be_edited(platform):
    platform.kubectl("patch", "configmap", "kueue-manager-config", "-n", KUEUE.namespace,
                     "--type=merge", "-p", '{"data":{"note":"edited"}}')
    found = platform.get("configmap", "kueue-manager-config", "-n", KUEUE.namespace)
    expect(found["data"]["note"] == "edited", f"{found}")


def applied_installers_can_be_deleted(platform):
    for system in reversed(SYSTEMS):
        platform.kubectl("delete", "--ignore-not-found", "-f", "-", stdin=manifest(system))
    check_gone(platform, "after-applied")


STEPS = [
    a_definition_is_established_and_its_kind_is_served,
    explain_knows_the_fields,
    a_bad_object_is_refused_in_the_words_of_the_peer,
    a_restart_keeps_the_kind,
    deletion_takes_the_instances_along,
    installers_that_are_created_are_harmless,
    a_definition_of_ours_has_no_effect,
    created_installers_can_be_deleted,
    installers_that_are_applied_are_harmless,
    the_configuration_of_kueue_can_be_edited,
    applied_installers_can_be_deleted,
]


def main():
    platform = Platform(["name=n1,cpu=4,memory=4Gi"])
    platform.up(first=True)
    return run_steps(platform, STEPS)


if __name__ == "__main__":
    sys.exit(main())
