// SPDX-License-Identifier: Apache-2.0
#include "server/queue_context.h"

#include <cstddef>

#include "core/queueing/job_queue.h"
#include "objects/metadata.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t owners_max = 10;

// A kind that may stand in a queue with what it makes; without an integration it only stands
// between such a kind and its pods.
struct QueuedKind {
  std::string_view api_version;
  std::string_view kind;
  std::string_view integration;
};

const QueuedKind* find_queued_kind(View owner) {
  static constexpr QueuedKind kinds[] = {
      {"batch/v1", "Job", "batch/job"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet", "jobset.x-k8s.io/jobset"},
      {"kubeflow.org/v1", "PyTorchJob", "kubeflow.org/pytorchjob"},
      {"kubeflow.org/v1", "TFJob", "kubeflow.org/tfjob"},
      {"kubeflow.org/v1", "XGBoostJob", "kubeflow.org/xgboostjob"},
      {"kubeflow.org/v1", "PaddleJob", "kubeflow.org/paddlejob"},
      {"kubeflow.org/v1", "JAXJob", "kubeflow.org/jaxjob"},
      {"kubeflow.org/v2beta1", "MPIJob", "kubeflow.org/mpijob"},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob", "trainer.kubeflow.org/trainjob"},
      {"ray.io/v1", "RayJob", "ray.io/rayjob"},
      {"ray.io/v1", "RayCluster", "ray.io/raycluster"},
      {"ray.io/v1", "RayService", "ray.io/rayservice"},
      {"apps/v1", "Deployment", "deployment"},
      {"apps/v1", "StatefulSet", "statefulset"},
      {"apps/v1", "ReplicaSet", ""},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
       "leaderworkerset.x-k8s.io/leaderworkerset"},
      {"workload.codeflare.dev/v1beta2", "AppWrapper", "workload.codeflare.dev/appwrapper"},
      {"v1", "Pod", "pod"},
  };
  for (const QueuedKind& each : kinds) {
    if (each.api_version == owner["apiVersion"].string_or("") &&
        each.kind == owner["kind"].string_or("")) {
      return &each;
    }
  }
  return nullptr;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

Value find_owner(Context& context, std::string_view name_space, View owner) {
  const auto kind = context.registry.find(group_of(owner["apiVersion"].string_or("")),
                                          owner["kind"].string_or(""));
  const CachedObject* found =
      kind == nullptr ? nullptr
                      : context.cache.find(*kind, name_space, owner["name"].string_or(""));
  if (found == nullptr || found->uid != owner["uid"].string_or("")) return {};
  return context.trees.tree_of(found->bytes);
}

}  // namespace

Value find_namespace(Context& context, std::string_view name) {
  const auto kind = context.registry.find_resource("", "namespaces");
  const CachedObject* found = kind == nullptr ? nullptr : context.cache.find(*kind, "", name);
  return found == nullptr ? Value() : context.trees.tree_of(found->bytes);
}

bool has_default_queue(Context& context, std::string_view name_space) {
  const auto queues = context.registry.find_resource("kueue.x-k8s.io", "localqueues");
  return queues != nullptr && context.cache.find(*queues, name_space, "default") != nullptr;
}

bool has_queued_owner(Context& context, const core::JobScope& scope, std::string_view name_space,
                      const Value& object) {
  Value made = object;
  for (std::size_t i = 0; i < owners_max; ++i) {
    const View owner = objects::controller_of(made);
    const QueuedKind* kind = find_queued_kind(owner);
    if (kind == nullptr) return false;
    made = find_owner(context, name_space, owner);
    if (made.is_absent()) return false;
    const bool may_queue = !kind->integration.empty() && scope.has_framework(kind->integration);
    if (may_queue && (scope.without_queue_name || !core::queue_name_of(made).empty())) return true;
  }
  return false;
}

}  // namespace muster::server
