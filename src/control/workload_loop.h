// WorkloadLoop: what time and queues do to Workloads (core/queueing/run_workload.h). It looks at a
// Workload when it changed, when its LocalQueue or ClusterQueue did, when the configuration did,
// and when a moment that it waits for has come.
//
// Assumes: the house thread; made before the cache starts; started after it has synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "client/object_cache.h"
#include "control/key_loop.h"
#include "control/live_configuration.h"

namespace muster::control {

class WorkloadLoop {
 public:
  WorkloadLoop(client::House house, client::ObjectCache& cache, Writer& writer,
               LiveConfiguration& configuration);

  void start();
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void mark_all();
  void mark_placed();
  void mark_of_local_queue(objects::View queue);
  void mark_of_cluster_queue(std::string_view name);
  std::set<std::string> failed_nodes_of(const objects::Value& workload) const;
  Step look_at(const Subject& workload);

  client::House house_;
  client::ObjectCache& cache_;
  const LiveConfiguration& configuration_;
  bool started_ = false;
  KeyLoop loop_;
};

}  // namespace muster::control
