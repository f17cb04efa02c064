// QueueStatusLoop: writes the status of ClusterQueues and LocalQueues, and keeps ClusterQueues and
// ResourceFlavors from vanishing while something uses them (the finalizer resource-in-use): a
// ClusterQueue goes when no Workload holds quota in it, a ResourceFlavor when no ClusterQueue names
// it. A changed condition is written at once; numbers settle for a moment and are written at most
// once in queue_status_span, so that ten thousand Workloads are not twenty thousand writes.
//
// Assumes: the house thread; made before the cache starts; started after it has synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "client/object_cache.h"
#include "control/key_loop.h"
#include "control/queue_status.h"
#include "control/queue_tally.h"

namespace muster::control {

class QueueStatusLoop {
 public:
  QueueStatusLoop(client::House house, client::ObjectCache& cache, Writer& writer);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  // When the numbers of a queue may be written next.
  struct Pace {
    MonotonicInstant not_before = {};
    bool is_settling = false;
  };

  void on_change(const client::CacheChange& change);
  void on_workload(const client::CacheChange& change);
  void on_cluster_queue(const client::CacheChange& change);
  void on_local_queue(const client::CacheChange& change);
  void mark_cluster_queue(std::string_view name);
  void mark_flavor(std::string_view name);
  void mark_all_cluster_queues();

  Step look_at(const Subject& subject);
  Step look_at_flavor(const objects::Value& flavor);
  Step look_at_cluster_queue(const Subject& subject, const objects::Value& queue);
  Step look_at_local_queue(const Subject& subject, const objects::Value& queue);
  Step write_status(const Subject& subject, const objects::Value& old_queue,
                    const objects::Value& new_queue);
  Activity activity_of_cluster_queue(objects::View queue) const;

  client::House house_;
  client::ObjectCache& cache_;
  QueueTally tally_;
  std::map<std::string, std::set<objects::ObjectKey>, std::less<>> local_queues_of_;
  std::map<std::string, std::set<std::string>, std::less<>> cluster_queues_of_;  // of a flavor
  std::map<Subject, Pace> paces_;
  KeyLoop loop_;
};

}  // namespace muster::control
