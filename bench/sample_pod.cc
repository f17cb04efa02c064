// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_pod.h"

#include <fmt/format.h>

namespace muster::bench {

namespace {

constexpr std::string_view metadata =
    R"("metadata":{"name":"llama-pretrain-workers-0-17-x8v2k","generateName":"llama-pretrain-workers-0-17-",)"
    R"("namespace":"research","uid":"6f3a1c52-9a0b-4c6e-8a53-0d7f4b6ad9f1","resourceVersion":"8123456",)"
    R"("creationTimestamp":"2026-11-15T03:21:07Z","labels":{"app.kubernetes.io/name":"llama-pretrain",)"
    R"("batch.kubernetes.io/job-completion-index":"17","batch.kubernetes.io/job-name":"llama-pretrain-workers-0",)"
    R"("jobset.sigs.k8s.io/jobset-name":"llama-pretrain","jobset.sigs.k8s.io/replicatedjob-name":"workers",)"
    R"("kueue.x-k8s.io/podset":"workers","kueue.x-k8s.io/queue-name":"team-a"},)"
    R"("annotations":{"batch.kubernetes.io/job-completion-index":"17","jobset.sigs.k8s.io/job-index":"0",)"
    R"("prometheus.io/port":"9090","prometheus.io/scrape":"true","kueue.x-k8s.io/workload":"jobset-llama-pretrain-41f2c"},)"
    R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"llama-pretrain-workers-0",)"
    R"("uid":"b1f0a7a4-6a3e-4c2f-90be-e8a9a1a7d3aa","controller":true,"blockOwnerDeletion":true}],)"
    R"("finalizers":["batch.kubernetes.io/job-tracking"]})";

constexpr std::string_view container_rest =
    R"("ports":[{"name":"metrics","containerPort":9090,"protocol":"TCP"}],)"
    R"("env":[{"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":{"apiVersion":"v1",)"
    R"("fieldPath":"metadata.labels['batch.kubernetes.io/job-completion-index']"}}},)"
    R"({"name":"MASTER_ADDR","value":"llama-pretrain-workers-0-0.llama-pretrain"},{"name":"MASTER_PORT","value":"29500"},)"
    R"({"name":"NCCL_DEBUG","value":"WARN"},{"name":"NCCL_IB_HCA","value":"mlx5_0,mlx5_1,mlx5_2,mlx5_3"},)"
    R"({"name":"HF_TOKEN","valueFrom":{"secretKeyRef":{"name":"huggingface","key":"token","optional":true}}}],)"
    R"("resources":{"limits":{"cpu":"96","memory":"1900Gi","nvidia.com/gpu":"8","rdma/hca":"1"},)"
    R"("requests":{"cpu":"96","memory":"1900Gi","nvidia.com/gpu":"8","rdma/hca":"1"}},)"
    R"("volumeMounts":[{"name":"checkpoints","mountPath":"/checkpoints"},{"name":"dshm","mountPath":"/dev/shm"},)"
    R"({"name":"kube-api-access-7xk2p","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
    R"("livenessProbe":{"httpGet":{"path":"/healthz","port":9090,"scheme":"HTTP"},"initialDelaySeconds":60,)"
    R"("timeoutSeconds":5,"periodSeconds":30,"successThreshold":1,"failureThreshold":10},)"
    R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"FallbackToLogsOnError",)"
    R"("imagePullPolicy":"IfNotPresent","securityContext":{"capabilities":{"add":["IPC_LOCK"]},"privileged":false})";

constexpr std::string_view spec_rest =
    R"("restartPolicy":"Never","terminationGracePeriodSeconds":120,"dnsPolicy":"ClusterFirst",)"
    R"("serviceAccountName":"trainer","serviceAccount":"trainer","nodeName":"gpu-a3-04-017","hostname":"llama-pretrain-workers-0-17",)"
    R"("subdomain":"llama-pretrain","securityContext":{"fsGroup":2000,"runAsUser":1000},"schedulerName":"default-scheduler",)"
    R"("tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"},)"
    R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
    R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],)"
    R"("priorityClassName":"training","priority":100000,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority")";

constexpr std::string_view volumes =
    R"("volumes":[{"name":"checkpoints","persistentVolumeClaim":{"claimName":"llama-checkpoints"}},)"
    R"({"name":"dshm","emptyDir":{"medium":"Memory","sizeLimit":"256Gi"}},{"name":"kube-api-access-7xk2p",)"
    R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"
    R"({"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},)"
    R"({"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],)"
    R"("defaultMode":420}}])";

constexpr std::string_view status_rest =
    R"("hostIP":"10.128.4.17","hostIPs":[{"ip":"10.128.4.17"}],"podIP":"10.4.17.9","podIPs":[{"ip":"10.4.17.9"}],)"
    R"("startTime":"2026-11-15T03:21:09Z","qosClass":"Guaranteed")";

std::string container(std::string_view name, std::string_view command) {
  return fmt::format(
      R"({{"name":"{}","image":"registry.example.com/research/llama:2026.11.3",{},{}}})", name,
      command, container_rest);
}

std::string condition(std::string_view type) {
  return fmt::format(
      R"({{"type":"{}","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-11-15T03:21:09Z"}})",
      type);
}

std::string container_status(std::string_view name) {
  return fmt::format(
      R"({{"name":"{}","state":{{"running":{{"startedAt":"2026-11-15T03:22:31Z"}}}},"lastState":{{}},"ready":true,)"
      R"("restartCount":0,"image":"registry.example.com/research/llama:2026.11.3",)"
      R"("imageID":"registry.example.com/research/llama@sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270",)"
      R"("containerID":"containerd://93f0c8ed8b0e7f1df8b5e2d1fd6a5ec0a2a9e7cf4d","started":true}})",
      name);
}

}  // namespace

std::string sample_pod() {
  const std::string trainer = container(
      "trainer",
      R"("command":["torchrun","--nnodes=32","--nproc-per-node=8","train.py"],"args":["--config","configs/70b.yaml","--resume","auto"])");
  const std::string reporter = container(
      "reporter", R"("command":["/bin/sh","-c","exec reporter --every 30s > /dev/null 2>&1"])");
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod",{},"spec":{{{},"containers":[{},{}],{}}},"status":{{"phase":"Running","conditions":[{},{},{},{}],"containerStatuses":[{},{}],{}}}}})",
      metadata, volumes, trainer, reporter, spec_rest, condition("PodScheduled"),
      condition("Initialized"), condition("ContainersReady"), condition("Ready"),
      container_status("reporter"), container_status("trainer"), status_rest);
}

}  // namespace muster::bench
