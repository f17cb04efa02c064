// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "core/queueing/admit_pod.h"
#include "core/queueing/job_queue.h"
#include "objects/metadata.h"
#include "server/admission.h"
#include "server/kueue_rules.h"

// What Kueue's webhook does to plain pods.

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

constexpr std::size_t owners_max = 10;

// Kinds that Kueue queues, and ReplicaSets on the way to them.
bool is_queued_kind(std::string_view api_version, std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"batch/v1", "Job"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet"},
      {"kubeflow.org/v1", "PyTorchJob"},
      {"kubeflow.org/v1", "TFJob"},
      {"kubeflow.org/v1", "XGBoostJob"},
      {"kubeflow.org/v1", "PaddleJob"},
      {"kubeflow.org/v1", "JAXJob"},
      {"kubeflow.org/v2beta1", "MPIJob"},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob"},
      {"ray.io/v1", "RayJob"},
      {"ray.io/v1", "RayCluster"},
      {"ray.io/v1", "RayService"},
      {"apps/v1", "Deployment"},
      {"apps/v1", "StatefulSet"},
      {"apps/v1", "ReplicaSet"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
      {"workload.codeflare.dev/v1beta2", "AppWrapper"},
      {"v1", "Pod"},
  };
  for (const auto& [version, name] : kinds) {
    if (version == api_version && name == kind) return true;
  }
  return false;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// Somebody among those who made the pod stands in a queue with it.
bool has_managed_owner(Context& context, const core::JobScope& scope, std::string_view name_space,
                       const Value& pod) {
  Value made = pod;
  for (std::size_t i = 0; i < owners_max; ++i) {
    const View owner = objects::controller_of(made);
    const std::string_view api_version = owner["apiVersion"].string_or("");
    const std::string_view kind_name = owner["kind"].string_or("");
    if (!is_queued_kind(api_version, kind_name)) return false;
    const auto kind = context.registry.find(group_of(api_version), kind_name);
    const CachedObject* found =
        kind == nullptr ? nullptr
                        : context.cache.find(*kind, name_space, owner["name"].string_or(""));
    if (found == nullptr || found->uid != owner["uid"].string_or("")) return false;
    const bool is_on_the_way = kind_name == "ReplicaSet";
    made = context.trees.tree_of(found->bytes);
    const bool is_queued = scope.without_queue_name || !core::queue_name_of(made).empty();
    if (!is_on_the_way && is_queued) return true;
  }
  return false;
}

bool has_default_queue(Context& context, std::string_view name_space) {
  const auto queues = context.registry.find_resource("kueue.x-k8s.io", "localqueues");
  return queues != nullptr && context.cache.find(*queues, name_space, "default") != nullptr;
}

Value namespace_object(Context& context, std::string_view name) {
  const auto kind = context.registry.find_resource("", "namespaces");
  const CachedObject* found = kind == nullptr ? nullptr : context.cache.find(*kind, "", name);
  return found == nullptr ? Value() : context.trees.tree_of(found->bytes);
}

}  // namespace

void queue_pod(Context& context, Admission& admission) {
  const std::string_view name_space = admission.target.name_space;
  const SharedConfiguration rules = kueue_rules(context);
  core::PodAdmission queued = core::admit_pod(
      {.pod = admission.object,
       .old_pod = admission.old_object,
       .scope = &rules->jobs,
       .name_space = namespace_object(context, name_space),
       .has_managed_owner = has_managed_owner(context, rules->jobs, name_space, admission.object),
       .has_default_queue = has_default_queue(context, name_space),
       .gates = &rules->gates});
  admission.object = std::move(queued.pod);
  admission.errors.add_all(std::move(queued.errors));
  for (std::string& warning : queued.warnings) admission.warnings.push_back(std::move(warning));
}

}  // namespace muster::server
