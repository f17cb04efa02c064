# An HTTPS client that is quick enough to be a load, and asks again when the platform died.
# SPDX-License-Identifier: Apache-2.0
import http.client
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from access import Access  # noqa: E402
from platform_under_test import Failed  # noqa: E402

NAMESPACE = "team-a"
QUEUE_NAME = "kueue.x-k8s.io/queue-name"


class Client:
    """One kept connection; a new one after a mishap."""

    def __init__(self, platform):
        self.access = Access(platform.kubeconfig)
        self.connection = None

    def ask_once(self, method, path, body=None):
        if self.connection is None:
            self.connection = http.client.HTTPSConnection(
                self.access.host, self.access.port, context=self.access.context, timeout=30)
        headers = {"Authorization": f"Bearer {self.access.token}", "Content-Type": "application/json"}
        try:
            self.connection.request(method, path, body=body and json.dumps(body), headers=headers)
            answer = self.connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            return 0, "no answer"

    def ask(self, method, path, body=None, seconds=60):
        """Until there is an answer that another try would not change."""
        deadline = time.monotonic() + seconds
        while True:
            status, text = self.ask_once(method, path, body)
            if status not in (0, 429, 500, 503, 507) or time.monotonic() > deadline:
                return status, text
            time.sleep(0.02)

    def create(self, path, body):
        """Created: now, or by a try whose answer was lost."""
        status, text = self.ask("POST", path, body)
        if status not in (201, 409):
            raise Failed(f"{path}: {status} {text}")

    def items(self, path):
        status, text = self.ask("GET", path)
        if status != 200:
            raise Failed(f"{path}: {status} {text}")
        return json.loads(text)["items"]


def jobs_path(name_space=NAMESPACE):
    return f"/apis/batch/v1/namespaces/{name_space}/jobs"


def pods_path(name_space=NAMESPACE):
    return f"/api/v1/namespaces/{name_space}/pods"


def job(name, command, pods=1, queue="main", cpu="100m", backoff=0, image="busybox"):
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": name, "labels": {QUEUE_NAME: queue}},
        "spec": {
            "completions": pods, "parallelism": pods, "completionMode": "Indexed",
            "backoffLimit": backoff,
            "template": {"spec": {
                "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                "containers": [{"name": "main", "image": image, "command": ["sh", "-c", command],
                                "resources": {"requests": {"cpu": cpu}}}]}}}}
