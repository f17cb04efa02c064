// CronJobLoop: the life of batch/v1 CronJobs, where no kube-controller-manager is: Jobs when they
// are due (core/lifecycle/run_cron_job.h). Embedded only. A CronJob that is gone needs nothing: the
// garbage collector takes its Jobs.
//
// Assumes: the house thread; made before the cache starts; started after it has synced. Without
// zones only UTC is known. When a schedule was changed is remembered here alone: after a restart
// the new schedule counts from the last time that a Job was made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "base/instant.h"
#include "base/time_zones.h"
#include "client/object_cache.h"
#include "control/key_loop.h"

namespace muster::control {

class CronJobLoop {
 public:
  CronJobLoop(client::House house, client::ObjectCache& cache, Writer& writer, TimeZones* zones);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void on_cron_job(const client::CacheChange& change);
  void mark_owner(objects::View job);
  const TimeZone* zone_of(objects::View cron_job);
  Step look_at(const Subject& cron_job);

  client::House house_;
  client::ObjectCache& cache_;
  TimeZones* zones_;
  TimeZone utc_;
  std::map<Subject, Instant> rescheduled_;
  KeyLoop loop_;
};

}  // namespace muster::control
