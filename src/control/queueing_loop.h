// QueueingLoop: Kueue's part for every kind of job that has a shape: each job and its Workloads
// agree (core/queueing/reconcile_workload.h). It looks at a job when the job, one of its Workloads,
// or something that its Workload is computed from has changed; Workloads whose job is gone are
// looked at under the uid of that job. Plain pods and pod groups are jobs, too
// (core/queueing/reconcile_pods.h), and so are the pods of Deployments and StatefulSets, where
// those are followed (core/queueing/app.h).
//
// Assumes: the house thread; made before the cache starts; started after it has synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "client/object_cache.h"
#include "control/key_loop.h"
#include "control/live_configuration.h"
#include "control/pod_groups.h"

namespace muster::control {

class QueueingLoop {
 public:
  QueueingLoop(client::House house, client::ObjectCache& cache, Writer& writer,
               LiveConfiguration& configuration);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void on_app(const client::CacheChange& change);
  void mark_owner(objects::View workload);
  void mark_controller(objects::View object);
  void mark_job(objects::View owner, std::string_view name_space);
  void mark_all_jobs();
  void mark_jobs_in(std::string_view name_space);
  // Jobs that name a Workload of somebody else, by that Workload.
  void note_prebuilt(const Subject& job, objects::View before, objects::View after);
  void mark_prebuilt(objects::View workload);
  void add_prebuilt(objects::View job, std::vector<objects::Value>& workloads) const;
  Step look_at(const Subject& job);
  Step look_at_app(const Subject& subject) const;
  Step look_at_deployment(const objects::Value& deployment) const;
  Step look_at_stateful_set(const objects::Value& set) const;
  bool has_app(objects::View workload) const;

  client::House house_;
  client::ObjectCache& cache_;
  const LiveConfiguration& configuration_;
  PodGroups pod_groups_;
  std::map<objects::ObjectKey, std::set<Subject>> prebuilt_;
  KeyLoop loop_;
};

}  // namespace muster::control
