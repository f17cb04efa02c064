// JobLoop: the operator's part of batch/v1 Jobs, where no kube-controller-manager is: each job has
// its pods, and its status counts them (core/lifecycle/run_job.h). Embedded only. Pods whose job is
// gone are looked at under the uid of that job, so that nothing holds them back.
//
// Assumes: the house thread; made before the cache starts; started after it has synced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/backoff.h"
#include "client/object_cache.h"
#include "control/key_loop.h"
#include "control/limits.h"

namespace muster::control {

class JobLoop {
 public:
  JobLoop(client::House house, client::ObjectCache& cache, Writer& writer);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void on_pod(const client::CacheChange& change);
  void mark_owner(objects::View pod);
  void mark_matching(objects::View orphan);
  std::vector<objects::Value> pods_for(const objects::Value& job, std::string_view uid) const;
  Step look_at(const Subject& job);
  std::optional<Instant> refused_until(const Subject& job);

  client::House house_;
  client::ObjectCache& cache_;
  // Pods without a controller, by the job that their labels name; and jobs whose selector their
  // user wrote, which may match any of them.
  std::map<std::string, std::set<objects::ObjectKey>, std::less<>> orphans_;
  std::set<objects::ObjectKey> manual_jobs_;
  // Jobs whose pods were refused, by uid: their status is set right at once, and they ask again
  // when the time has come.
  struct Refused {
    client::Backoff backoff{refused_span_min, refused_span_max};
    Instant until;
  };
  std::unordered_map<std::string, Refused> refused_;  // never iterated
  KeyLoop loop_;
};

}  // namespace muster::control
