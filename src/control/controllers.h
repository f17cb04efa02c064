// Controllers: everything that Muster decides, over any Kubernetes API: caches of what it watches,
// the loops of queueing, scheduling, jobs, nodes and queue status, the writer and the events. It
// keeps nothing that the API does not know: started anew it goes on where the last one stopped.
//
//   Controllers controllers(api, house, clock, random, {.role = Role::embedded});
//   controllers.start();
//
// Assumes: constructed, started and destroyed on the house thread; the Api outlives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/time_zones.h"
#include "client/api.h"
#include "core/plan/plan.h"

namespace muster::control {

enum class Role : std::uint8_t {
  embedded,    // there is nobody else: jobs and nodes are looked after as well
  kubernetes,  // queueing, scheduling and queue status; the cluster does the rest
};

struct ControlOptions {
  Role role = Role::embedded;
  core::Policy policy = {};
  std::string record_folder = {};     // empty: no record is kept
  Disk* disk = nullptr;               // of the record; must be there when a folder is named
  MetricRegistry* metrics = nullptr;  // null: nothing is counted
  TimeZones* time_zones = nullptr;    // null: CronJobs know UTC alone
  Log log = Log::silent();
};

struct ControlStatistics {
  std::uint64_t events = 0;   // that the feed has seen
  std::uint64_t cycles = 0;   // of plan()
  std::uint64_t writes = 0;   // answered well
  std::uint64_t refused = 0;  // conflicts, objects that are gone, lost answers
  std::uint64_t notes = 0;    // events recorded in the API
};

class Controllers {
 public:
  Controllers(client::Api& api, Executor& house, const Clock& clock, Random& random,
              ControlOptions options);
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  void start();

  // Nothing is sent or decided afterwards. What is under way may still happen.
  void stop();

  // Everything that is watched has been listed once.
  bool has_synced() const;

  // Nothing is left to be done before something changes or a timer is due. Events recorded in the
  // API do not count.
  bool is_idle() const;

  ControlStatistics statistics() const;

  // What decisions are made from: for those who ask who waits where.
  const core::ClusterState& state() const;

  // Why something cannot be watched at present.
  std::vector<std::string> troubles() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::control
