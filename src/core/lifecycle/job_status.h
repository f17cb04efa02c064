// JobStatus: a Job's status while a step works on it: what was counted, what waits to be counted,
// and the conditions. Read from the job, written back as a whole.
//
//   JobStatus status = JobStatus::of(job);
//   status.count_released(uids_still_tracked);
//   status.state({"Complete", "True", "CompletionsReached", "Reached …"}, now);
//   if (Value next = status.applied_to(job); !(next.view() == job.view())) …
//
// Assumes: numbers come from an object that others may have written; sums saturate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "core/index_set.h"
#include "objects/value.h"

namespace muster::core {

struct JobCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};

struct JobStatus {
  std::int64_t active = 0;
  std::int64_t ready = 0;
  std::int64_t terminating = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  IndexSet completed_indexes = {};                    // of an Indexed Job
  IndexSet failed_indexes = {};                       // of one with a limit per index
  std::vector<std::string> uncounted_succeeded = {};  // uids
  std::vector<std::string> uncounted_failed = {};
  std::optional<Instant> start_time = {};
  std::optional<Instant> completion_time = {};
  std::vector<objects::Value> conditions = {};

  static JobStatus of(const objects::Value& job);

  // Uids that wait to be counted and whose pods lost their finalizer, or are gone, are counted.
  void count_released(const std::set<std::string_view>& tracked_uids);

  std::size_t uncounted() const { return uncounted_succeeded.size() + uncounted_failed.size(); }

  objects::View condition(std::string_view type) const;
  bool is_true(std::string_view type) const;

  // Whether something changed. As in Kubernetes, what is absent does not become False.
  bool state(const JobCondition& wanted, Instant now);

  // The job with this status; times that did not change keep their text.
  objects::Value applied_to(const objects::Value& job) const;
};

}  // namespace muster::core
