// AppsLoops: what kube-controller-manager does for ReplicaSets, ReplicationControllers,
// Deployments, StatefulSets and DaemonSets, and for the Endpoints and EndpointSlices of Services
// (core/lifecycle/run_replica_set.h and those beside it). Embedded only.
//
//   AppsLoops apps(house, cache, writer);
//   apps.start();                       // the cache has synced
//
// Assumes: the house thread; the cache follows AppsLoops::resources().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "client/object_cache.h"
#include "control/owner_loop.h"

namespace muster::control {

class AppsLoops {
 public:
  AppsLoops(client::House house, client::ObjectCache& cache, Writer& writer);

  // What the cache must follow beside pods.
  static std::span<const objects::Resource> resources();

  void start();
  void stop();
  bool is_idle() const;

 private:
  Step look_at_replica_set(const objects::Resource& resource, const objects::Value& set) const;
  Step look_at_daemon_set(const objects::Value& set) const;
  Step look_at_deployment(const objects::Value& deployment) const;
  Step look_at_stateful_set(const objects::Value& set) const;
  Step look_at_service(const objects::Value& service) const;
  void on_change(const client::CacheChange& change);
  void on_pod(objects::View pod);
  void on_orphan(objects::View pod, const objects::Resource& resource, OwnerLoop& loop);

  client::House house_;
  client::ObjectCache& cache_;
  OwnerLoop replica_sets_;
  OwnerLoop replication_controllers_;
  OwnerLoop deployments_;
  OwnerLoop stateful_sets_;
  OwnerLoop daemon_sets_;
  OwnerLoop services_;
};

}  // namespace muster::control
