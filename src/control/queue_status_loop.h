// QueueStatusLoop: writes the status of ClusterQueues, LocalQueues and Cohorts, and keeps
// ClusterQueues, ResourceFlavors, AdmissionChecks and Topologies from vanishing while something
// uses them (the finalizer resource-in-use): a ClusterQueue goes when no Workload holds quota in
// it, the others when nobody names them. A changed condition is written at once; numbers settle
// for a moment and are written at most once in queue_status_span, more seldom where there are
// many queues, so that ten thousand Workloads are not twenty thousand writes.
//
// Assumes: the house thread; made before the cache starts; started after it has synced. The state
// hears of every change that the cache hears of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "client/object_cache.h"
#include "control/key_loop.h"
#include "control/queue_references.h"
#include "control/queue_status.h"
#include "control/queue_tally.h"
#include "core/model/cluster_state.h"

namespace muster::control {

class QueueStatusLoop {
 public:
  QueueStatusLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                  const core::ClusterState& state);

  void start() { loop_.start(); }
  void stop();
  bool is_idle() const { return loop_.is_idle(); }

  // The configuration has changed: shares may be shown from now on, or not any more.
  void mark_all_queues();

  // With what waits in all LocalQueues that take Workloads.
  QueueNumbers numbers_of(std::string_view cluster_queue) const;
  const QueueTally& tally() const { return tally_; }
  const QueueReferences& references() const { return references_; }
  Activity activity_of_cluster_queue(std::string_view name) const;

 private:
  using Place = std::pair<objects::Resource, objects::ObjectKey>;

  // When the numbers of a queue may be written next.
  struct Pace {
    MonotonicInstant not_before = {};
    bool is_settling = false;
  };

  void on_change(const client::CacheChange& change);
  void on_workload(const client::CacheChange& change);
  void on_cluster_queue(const client::CacheChange& change);
  void on_local_queue(const client::CacheChange& change);
  void on_flavor(const client::CacheChange& change);
  void mark(const objects::Resource& resource, const objects::ObjectKey& key);
  void settle(const objects::Resource& resource, const objects::ObjectKey& key);
  void settle_cluster_queue(std::string_view name);
  void settle_later();
  void mark_settled();
  bool mark_settled(const Place& place, MonotonicInstant& not_before);
  void mark_references_of(objects::View cluster_queue);
  void mark_all_cohorts();
  bool shares_fairly() const;

  Step look_at(const Subject& subject);
  Step look_at_cluster_queue(const Subject& subject, const objects::Value& queue);
  Step look_at_local_queue(const Subject& subject, const objects::Value& queue);
  Step look_at_cohort(const Subject& subject, const objects::Value& cohort);
  Step write_status(const Subject& subject, const objects::Value& old_queue,
                    const objects::Value& new_queue);
  // How long the numbers of a queue rest after they were written.
  Span status_span() const;
  bool is_in_use(const Subject& subject) const;

  client::House house_;
  client::ObjectCache& cache_;
  const core::ClusterState& state_;
  QueueTally tally_;
  QueueReferences references_;
  std::unordered_map<Subject, Pace, SubjectHash> paces_;  // never iterated
  // Whose numbers have changed, and before when there is no use in looking at them.
  std::map<Place, MonotonicInstant> settling_;
  std::optional<TimerId> settle_timer_;
  KeyLoop loop_;
  client::Lifeline lifeline_;
};

}  // namespace muster::control
