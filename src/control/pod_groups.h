// PodGroups: which plain pods are one job to queueing, and under which subject they are looked at:
// a pod on its own under its uid, a group under its name. Pods of jobs are looked at by their jobs.
//
//   for (const Subject& subject : groups.apply(change)) loop.mark(subject);
//   const std::vector<Value> pods = groups.pods_of(subject, cache);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "client/object_cache.h"
#include "control/subject.h"

namespace muster::control {

class PodGroups {
 public:
  // A pod that changed; who has to be looked at.
  std::vector<Subject> apply(const client::CacheChange& change);

  // Who has to be looked at because of a Workload.
  static std::vector<Subject> subjects_of(objects::View workload);

  // Nothing for a pod that queueing does not manage.
  static std::optional<Subject> subject_for(objects::View pod);

  // The group whose Workload has that name.
  static Subject group_of_workload(std::string_view name_space, std::string_view workload);

  static bool is_group(const Subject& subject);

  std::vector<objects::Value> pods_of(const Subject& subject,
                                      const client::ObjectCache& cache) const;

  // The Workloads of these pods: those that a single pod owns, the one of the group's name.
  static std::vector<objects::Value> workloads_of(const Subject& subject,
                                                  const client::ObjectCache& cache);

 private:
  std::map<objects::ObjectKey, std::set<objects::ObjectKey>> groups_;
};

}  // namespace muster::control
