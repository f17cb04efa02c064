// QueueWorld: a queued Job, its Workloads, and a scheduler that admits whatever asks. It sends the
// edits of reconcile_workload and run_job to a small API server, loses some, and watches that a job
// runs only while its quota is held.
//
//   QueueWorld world({.suspended = true});
//   world.reconcile({}); world.admit(); world.reconcile({}); world.jobs.step({});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/edit.h"
#include "objects/value.h"
#include "tests/lifecycle/job_world.h"

namespace muster::core {

class QueueWorld {
 public:
  explicit QueueWorld(const JobWorldOptions& options);

  // One look of queueing; the job's own controller is jobs.step().
  std::vector<Edit> reconcile(const Losses& losses);

  // What plan() and users do.
  void admit();
  void evict(std::string_view reason);
  void delete_workload();
  void set_active(bool active);
  void delete_job();

  std::vector<objects::Value> workloads() const;
  bool is_held() const;  // some Workload holds quota for the job

  JobWorld jobs;
  objects::Value original_template;
  bool job_is_gone = false;

 private:
  bool apply(const Edit& edit);
  bool apply_to_workload(const Edit& edit);
  bool apply_to_job(const Edit& edit);
  void touch(objects::Value& workload);

  std::map<std::string, objects::Value> workloads_;
  std::int64_t version_ = 1;
};

}  // namespace muster::core
