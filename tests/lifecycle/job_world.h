// JobWorld: one Job, its pods, and as much of an API server and a node agent as run_job can notice:
// resourceVersions that conflict, names that are taken, finalizers that hold, deletions that take
// time. It keeps the books that run_job must agree with.
//
//   JobWorld world({.indexed = true, .completions = 4});
//   world.step({});                  // one look, all its writes
//   world.step({.writes_kept = 2});  // the rest is lost
//   world.run_pod(0); world.end_pod(0, true);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "core/draft.h"
#include "core/edit.h"
#include "core/lifecycle/run_job.h"
#include "objects/value.h"

namespace muster::core {

struct JobWorldOptions {
  bool indexed = true;
  std::optional<std::int64_t> completions = 4;
  std::int64_t parallelism = 4;
  std::int64_t backoff_limit = 6;
  bool suspended = false;
  bool replaces_only_failed = false;
  std::optional<std::int64_t> backoff_limit_per_index = {};
  bool ignores_exit_5 = false;      // by its pod failure policy
  std::string enough_indexes = {};  // of its success policy; empty: it has none
};

// What reaches the server of the edits of one step. Of those that go alongside each other the
// dropped one may be in the middle.
struct Losses {
  std::size_t writes_kept = SIZE_MAX;
  bool from_the_last_view = false;  // the step is computed from what the one before it saw
};

class JobWorld {
 public:
  explicit JobWorld(const JobWorldOptions& options);

  JobStep step(const Losses& losses);

  // What users, the clock and the node do.
  void set_suspended(bool suspended);
  void set_parallelism(std::int64_t parallelism);
  void set_size(std::int64_t size);  // completions and parallelism together
  void set_deadline(std::int64_t seconds);
  void edit_spec(const std::function<void(Draft&)>& change);
  void advance(Span span) { now_ = now_ + span; }
  void run_pod(std::size_t which);
  void end_pod(std::size_t which, bool succeeded) { end_pod_with(which, succeeded ? 0 : 1); }
  void end_pod_with(std::size_t which, std::int64_t exit_code);
  void delete_pod(std::size_t which);
  void confirm_deletions();
  void run_and_end_all();

  // What queueing writes. A template may change only in a suspended job without a start time and
  // without active pods.
  bool update_job(const objects::Value& job);
  bool update_job_status(const objects::Value& job);
  void violate(std::string what) { violations_.push_back(std::move(what)); }

  const objects::Value& job() const { return job_; }
  Instant now() const { return now_; }
  std::vector<objects::Value> pods() const;
  std::int64_t active_pods() const;
  bool is_finished() const;

  // The books: pods by how they were let go.
  std::int64_t succeeded_and_released() const { return succeeded_; }
  std::int64_t failed_and_released() const { return failed_; }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Observation {
    objects::Value job;
    std::vector<objects::Value> pods;
  };

  bool apply(const Edit& edit);
  bool create_pod(const objects::Value& pod);
  bool update_pod(const objects::Value& pod);
  bool remove_pod(const objects::Value& pod);
  void check_status(const objects::Value& before);
  void check_pods();
  void check_failures(objects::View made);
  void note_release(const objects::Value& pod);
  void touch(objects::Value& object);
  void collect(const std::string& name);
  const std::string* nth_pod(std::size_t which) const;

  objects::Value job_;
  std::map<std::string, objects::Value> pods_;
  std::set<std::string> confirmed_;  // names of deleted pods whose processes have ended
  Observation last_;
  Instant now_{std::int64_t{1'800'000'000} * 1'000'000'000};
  std::int64_t version_ = 1;
  std::int64_t uid_ = 0;
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
  std::map<std::string, std::int64_t> failures_;  // of indexes, as their pods have told
  bool is_stale_ = false;
  std::int64_t seen_parallelism_ = 0;  // a user may change it while a step is on its way
  std::vector<std::string> violations_;
};

}  // namespace muster::core
