// SPDX-License-Identifier: Apache-2.0
#include "control/pod_groups.h"

#include <string>
#include <utility>

#include "core/queueing/pod_job.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::ObjectKey;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

// No uid looks like this.
constexpr std::string_view group_uid = "group";

}  // namespace

Subject PodGroups::group_of_workload(std::string_view name_space, std::string_view workload) {
  return {
      resources::pods, {std::string(name_space), std::string(workload)}, std::string(group_uid)};
}

std::optional<Subject> PodGroups::subject_for(View pod) {
  if (!pod || !core::is_managed_pod(pod)) return std::nullopt;
  const std::string_view group = core::pod_group_of(pod);
  if (group.empty()) return subject_of(resources::pods, pod);
  return group_of_workload(objects::namespace_of(pod), group);
}

std::vector<Subject> PodGroups::apply(const client::CacheChange& change) {
  std::vector<Subject> concerned;
  if (const auto before = subject_for(change.before)) {
    concerned.push_back(*before);
    const auto at = groups_.find(before->key);
    if (is_group(*before) && at != groups_.end()) {
      at->second.erase(objects::key_of(change.before));
      if (at->second.empty()) groups_.erase(at);
    }
  }
  if (const auto after = subject_for(change.after)) {
    concerned.push_back(*after);
    if (is_group(*after)) groups_[after->key].insert(objects::key_of(change.after));
  }
  return concerned;
}

std::vector<Subject> PodGroups::subjects_of(View workload) {
  std::vector<Subject> concerned;
  const std::string_view name_space = objects::namespace_of(workload);
  const View owner = objects::controller_of(workload);
  if (owner["kind"].string_or("") == resources::pods.kind &&
      owner["apiVersion"].string_or("") == resources::pods.api_version()) {
    concerned.push_back({resources::pods,
                         {std::string(name_space), std::string(owner["name"].string_or(""))},
                         std::string(owner["uid"].string_or(""))});
  } else if (!owner) {
    // Of this name, or refused because of it.
    concerned.push_back(group_of_workload(name_space, objects::name_of(workload)));
  }
  return concerned;
}

bool PodGroups::is_group(const Subject& subject) {
  return subject.uid == group_uid;
}

std::vector<Value> PodGroups::pods_of(const Subject& subject,
                                      const client::ObjectCache& cache) const {
  std::vector<Value> pods;
  if (!is_group(subject)) {
    Value pod = cache.find(resources::pods, subject.key);
    if (objects::uid_of(pod) == subject.uid) pods.push_back(std::move(pod));
    return pods;
  }
  const auto at = groups_.find(subject.key);
  if (at == groups_.end()) return pods;
  for (const ObjectKey& key : at->second) {
    Value pod = cache.find(resources::pods, key);
    if (pod) pods.push_back(std::move(pod));
  }
  return pods;
}

std::vector<Value> PodGroups::workloads_of(const Subject& subject,
                                           const client::ObjectCache& cache) {
  if (!is_group(subject)) return cache.owned_by(resources::workloads, subject.uid);
  std::vector<Value> workloads;
  Value workload = cache.find(resources::workloads, subject.key);
  if (workload) workloads.push_back(std::move(workload));
  return workloads;
}

}  // namespace muster::control
