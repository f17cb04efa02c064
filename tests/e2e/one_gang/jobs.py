# The jobs of the walk, as manifests.
# SPDX-License-Identifier: Apache-2.0
import os

from platform_under_test import ROOT

NAMESPACE = "team-a"
QUEUE = "team-a-queue"


def example(name):
    with open(os.path.join(ROOT, "examples/one_gang", name)) as file:
        return file.read()


def gang(name, workers=2, gpus=2, arguments=(), queue=QUEUE, steps=60, grace=5):
    """An Indexed Job with a headless Service of the same name."""
    words = ["muster-trainer", "--size", str(workers), "--master", f"{name}-0.{name}",
             "--steps", str(steps), *arguments]
    command = ", ".join(f'"{word}"' for word in words)
    return f"""
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {NAMESPACE}}}
spec:
  clusterIP: None
  selector: {{job-name: {name}}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  namespace: {NAMESPACE}
  labels: {{kueue.x-k8s.io/queue-name: {queue}}}
spec:
  completionMode: Indexed
  completions: {workers}
  parallelism: {workers}
  backoffLimit: 0
  template:
    spec:
      subdomain: {name}
      restartPolicy: Never
      terminationGracePeriodSeconds: {grace}
      containers:
      - name: trainer
        image: muster.dev/trainer:test
        command: [{command}]
        resources:
          requests: {{cpu: 500m, memory: 64Mi}}
          limits: {{nvidia.com/gpu: {gpus}}}
"""
