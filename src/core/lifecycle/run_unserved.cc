// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_unserved.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/draft.h"
#include "core/loose_pod.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Resource;
using objects::Value;
namespace resources = objects::resources;

namespace {

constexpr const char* reason = "NotServed";

constexpr std::array kinds = {
    horizontal_pod_autoscalers,
    ingresses,
    network_policies,
    job_sets,
    Resource{"kubeflow.org", "v1", "jaxjobs", "JAXJob"},
    Resource{"kubeflow.org", "v2beta1", "mpijobs", "MPIJob"},
    Resource{"kubeflow.org", "v1", "paddlejobs", "PaddleJob"},
    Resource{"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"},
    Resource{"kubeflow.org", "v1", "tfjobs", "TFJob"},
    Resource{"kubeflow.org", "v1", "xgboostjobs", "XGBoostJob"},
    Resource{"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"},
    Resource{"batch.volcano.sh", "v1alpha1", "jobs", "Job"},
    Resource{"flow.volcano.sh", "v1alpha1", "jobflows", "JobFlow"},
    Resource{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"},
    Resource{"ray.io", "v1", "rayclusters", "RayCluster"},
    Resource{"ray.io", "v1", "rayjobs", "RayJob"},
    Resource{"ray.io", "v1", "rayservices", "RayService"},
};

std::string sentence_for(const Resource& resource) {
  if (resource == horizontal_pod_autoscalers) {
    return "Muster has no autoscaler: the number of replicas stays as it is; change it with "
           "kubectl scale, or use an elastic job";
  }
  if (resource == ingresses) {
    return "Muster has no ingress controller: nothing leads to this Ingress; use kubectl "
           "port-forward, or a Service of type NodePort";
  }
  if (resource == network_policies) {
    return "Muster does not enforce network policies: every pod still reaches every other pod and "
           "this machine";
  }
  return fmt::format(
      "Muster has no operator for kind {} of {} yet: nothing makes its pods, and it waits in no "
      "queue; a batch/v1 Job with completionMode: Indexed runs as a gang here",
      resource.kind, resource.group);
}

Edit warning(const Resource& resource, const Value& object, const std::string& sentence) {
  return Edit::record({.resource = resource,
                       .about = object,
                       .warning = true,
                       .reason = reason,
                       .message = sentence,
                       .component = "muster"});
}

// Whoever reads it finds AbleToScale where the peer has it.
Value with_status(const Value& autoscaler, const std::string& sentence, Instant now) {
  Value next = objects::with_condition(
      autoscaler, {.type = "AbleToScale", .status = "False", .reason = reason, .message = sentence},
      now);
  Draft draft(next);
  for (const std::string_view count : {"currentReplicas", "desiredReplicas"}) {
    if (!next["status"][count]) draft.set({"status", count}, Value::integer(0));
  }
  return draft.value();
}

// In an Event alone: its status is what its own scheduler writes, as a client of Kubernetes
// expects.
std::vector<Edit> run_pod(const Value& pod) {
  const bool waits = pod["spec"]["nodeName"].string_or("").empty() &&
                     pod["status"]["phase"].string_or("Pending") == "Pending";
  if (!waits || !is_loose_pod(pod) || !names_other_scheduler(pod)) return {};
  return {warning(
      resources::pods, pod,
      fmt::format("no scheduler named {} runs in Muster: the pod waits until something of that "
                  "name binds it; Muster places pods that have no schedulerName, and pods and jobs "
                  "with a queue name",
                  pod["spec"]["schedulerName"].string_or("")))};
}

}  // namespace

std::span<const Resource> unserved_kinds() {
  return kinds;
}

std::vector<Edit> run_unserved(const Resource& resource, const Value& object, Instant now) {
  if (!object["metadata"]["deletionTimestamp"].is_absent()) return {};
  if (resource == resources::pods) return run_pod(object);
  const std::string sentence = sentence_for(resource);
  std::vector<Edit> edits;
  if (resource == horizontal_pod_autoscalers) {
    const Value next = with_status(object, sentence, now);
    if (next.view() == object.view()) return {};
    edits.push_back(Edit::update_status(resource, next));
  }
  edits.push_back(warning(resource, object, sentence));
  return edits;
}

}  // namespace muster::core
