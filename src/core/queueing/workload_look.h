// WorkloadLook: one look at a job and its Workloads, and the edits that come of it. The steps that
// every kind of job has are in reconcile_workload.cc, those of elastic jobs in reconcile_slices.cc.
//
//   return WorkloadLook(shape, given).edits();
//
// Assumes: what is given outlives the look; each takes the first step that has something to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/edit.h"
#include "core/queueing/elastic_slices.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

class WorkloadLook {
 public:
  WorkloadLook(const Shape& shape, const Reconciled& given)
      : shape_(shape), given_(given), job_(given.job) {}

  std::vector<Edit> edits();

 private:
  struct Own {
    std::optional<objects::Value> match;
    std::vector<objects::Value> others;
  };

  bool is_managed();
  void reconcile();
  bool keep_one(const Own& own);
  void reconcile_with(const objects::Value& workload);
  void reconcile_prebuilt(std::string_view name);
  void wait_for_prebuilt(const std::string& why);
  void create();

  // Of an elastic job.
  void reconcile_slices();
  void reconcile_slice(const objects::Value& slice);
  void reconcile_growing(const Slices& slices);
  bool stop_retained(const objects::Value& retained);
  bool resize(const objects::Value& slice);
  bool let_finished_go();
  void finish_stale(const Slices& slices);
  void create_slice(const objects::Value* replaced);
  bool may_run(const objects::Value& workload) const;

  Own own_workloads() const;
  bool is_own(const objects::Value& workload) const;
  bool matches(const objects::Value& workload) const;
  bool update_unmatched(const Own& own);
  bool update_priority(const objects::Value& workload);
  bool update_gate(const objects::Value& workload);
  void tell_checks(const objects::Value& workload);
  bool update_counts(const objects::Value& workload);
  void stop_evicted(const objects::Value& workload);
  void start(const objects::Value& workload);
  void follow_queue_name(const objects::Value& workload);

  // Stops the job; done once it is wholly stopped.
  bool stop(const objects::Value* workload, std::string_view reason, std::string_view message);
  void finish(const objects::Value& workload, std::string_view reason, std::string_view message);
  void let_go();
  void remove_workload(const objects::Value& workload);
  void refuse(const Error& error);
  void write_status(objects::Value workload);
  void record(std::string_view reason, std::string_view message, bool warning = false,
              const objects::Value* about = nullptr);
  bool is_suspended() const { return shape_.is_suspended(job_); }

  const Shape& shape_;
  const Reconciled& given_;
  const objects::Value& job_;
  std::vector<PodSet> pod_sets_;
  std::vector<Edit> edits_;
};

}  // namespace muster::core
