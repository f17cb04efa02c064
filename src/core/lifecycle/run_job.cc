// A step in the order of kube-controller-manager's sync: count what ended, judge the job, bring its
// pods to what is wanted, write the status, let counted pods go. Pods are taken away before the
// status stops counting them, and made after it counts them: it never says 0 while a pod may run.
// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "core/draft.h"
#include "core/index_set.h"
#include "core/lifecycle/job_claim.h"
#include "core/lifecycle/job_failure_policy.h"
#include "core/lifecycle/job_index_backoff.h"
#include "core/lifecycle/job_limits.h"
#include "core/lifecycle/job_pod.h"
#include "core/lifecycle/job_pods.h"
#include "core/lifecycle/job_spec.h"
#include "core/lifecycle/job_status.h"
#include "core/lifecycle/job_success_policy.h"
#include "core/lifecycle/limits.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;
using objects::resources::jobs;
using objects::resources::pods;

namespace {

// How the job ends.
struct Verdict {
  bool succeeded = false;
  std::string reason;
  std::string message;
};

class JobLook {
 public:
  explicit JobLook(const JobObserved& observed)
      : job_(observed.job),
        spec_(job_),
        now_(observed.now),
        is_taken_(observed.is_taken),
        refused_until_(observed.refused_until),
        pods_(read_pods(observed.pods)) {}

  JobStep step() {
    if (job_.is_absent() || objects::is_being_deleted(job_)) {
      release_all();
    } else if (is_finished()) {
      release_all();
      expire();
    } else if (!claim()) {
      run();
    }
    return std::move(step_);
  }

 private:
  void run();
  void count();
  std::optional<Verdict> judge();
  std::optional<Verdict> stated_verdict() const;
  std::optional<Verdict> judge_indexes() const;
  std::optional<std::string> failing_rule() const;
  void manage();
  void suspend();
  void resume();
  void make_pods(std::int64_t wanted);
  void create(Value pod);
  std::int64_t gang(std::int64_t wanted) const;
  std::vector<std::int64_t> indexes_to_make(std::int64_t count) const;
  std::int64_t wanted_active() const;
  bool is_complete() const;

  enum class Counting : std::uint8_t { counted, forgotten };
  void take_away(const std::vector<const JobPod*>& gone, Counting counting);
  void account(const std::optional<Verdict>& verdict);
  bool is_counted(const JobPod& pod) const;
  bool fails(const JobPod& pod, const std::optional<Verdict>& verdict) const;
  void conclude(const Verdict& verdict);
  void state_unserved();
  void finish_step();

  bool is_finished() const;
  void release_all();
  void expire();
  bool claim();
  void look_again_at(Instant time);
  void push(std::vector<Edit>& group, Edit edit) const;
  Note note(std::string_view reason, std::string message, bool warning) const;
  void record(std::string_view reason, std::string message, bool warning = false);

  const Value& job_;
  const JobSpec spec_;
  const Instant now_;
  const std::function<bool(const std::string&)>& is_taken_;
  const std::optional<Instant> refused_until_;
  std::vector<JobPod> pods_;
  JobStatus status_;
  std::int64_t succeeded_ = 0;  // with those that are not counted yet
  std::int64_t failed_ = 0;
  IndexSet completed_;
  std::optional<IndexBackoff> index_backoff_;  // once the pods are counted
  std::set<std::string_view> taken_away_;      // uids
  std::vector<Edit> removals_;
  std::vector<Edit> releases_;
  std::vector<Edit> creations_;
  std::vector<Edit> notes_;
  JobStep step_;
};

void JobLook::run() {
  status_ = JobStatus::of(job_);
  count();
  const bool starts = !status_.start_time || status_.is_true("Suspended");
  if (starts && !spec_.is_suspended) status_.start_time = now_;
  std::optional<Verdict> verdict = judge();
  if (verdict) {
    take_away(surplus_pods(pods_, std::nullopt, INT64_MAX), Counting::counted);
  } else {
    manage();
    if (is_complete()) {
      verdict = Verdict{true, "CompletionsReached", "Reached expected number of succeeded pods"};
    } else if (spec_.is_suspended) {
      suspend();
    } else {
      resume();
    }
  }
  state_unserved();
  account(verdict);
  if (verdict) conclude(*verdict);
  finish_step();
}

void JobLook::count() {
  std::set<std::string_view> tracked;
  for (const JobPod& pod : pods_) {
    if (pod.is_tracked) tracked.insert(pod.uid);
  }
  status_.count_released(tracked);
  const std::set<std::string_view> succeeded(status_.uncounted_succeeded.begin(),
                                             status_.uncounted_succeeded.end());
  const std::set<std::string_view> failed(status_.uncounted_failed.begin(),
                                          status_.uncounted_failed.end());
  succeeded_ = saturating_add(status_.succeeded, std::ssize(status_.uncounted_succeeded));
  failed_ = saturating_add(status_.failed, std::ssize(status_.uncounted_failed));
  completed_ = status_.completed_indexes;
  status_.active = status_.ready = status_.terminating = 0;
  for (const JobPod& pod : pods_) {
    status_.active += pod.is_active() ? 1 : 0;
    status_.ready += pod.is_active() && pod.is_ready ? 1 : 0;
    status_.terminating += pod.is_terminating() ? 1 : 0;
    // One that is listed as failed has failed, whatever it says in its last moments.
    if (!pod.is_tracked || !spec_.has_place(pod) || failed.contains(pod.uid)) continue;
    if (pod.phase == JobPod::Phase::succeeded) {
      if (spec_.is_indexed) completed_.add(*pod.index);
      if (!succeeded.contains(pod.uid)) succeeded_ = saturating_add(succeeded_, 1);
    } else if (spec_.has_failed(pod) && is_counted(pod)) {
      failed_ = saturating_add(failed_, 1);
    }
  }
  if (spec_.is_indexed) succeeded_ = completed_.count();
  if (!stated_verdict()) {
    status_.failed_indexes = failed_indexes(spec_, pods_, std::move(status_.failed_indexes));
  }
  IndexSet settled = completed_;
  settled.add_all(status_.failed_indexes);
  index_backoff_.emplace(spec_, pods_, settled);
}

std::optional<Verdict> JobLook::judge() {
  if (auto stated = stated_verdict()) return stated;
  if (auto message = failing_rule()) {
    return Verdict{false, "PodFailurePolicy", std::move(*message)};
  }
  if (exceeds_back_off_limit(spec_, pods_, failed_)) {
    return Verdict{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  const auto deadline = deadline_of(spec_, status_.start_time);
  if (deadline && now_ >= *deadline) {
    return Verdict{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  if (deadline) look_again_at(*deadline);
  return spec_.is_indexed ? judge_indexes() : std::nullopt;
}

std::optional<Verdict> JobLook::judge_indexes() const {
  const std::int64_t failed = status_.failed_indexes.count();
  const std::int64_t failed_max = spec_.view["maxFailedIndexes"].integer_or(INT64_MAX);
  const std::int64_t completions = spec_.completions.value_or(0);
  if (failed > failed_max) {
    return Verdict{false, "MaxFailedIndexesExceeded",
                   "Job has exceeded the specified maximal number of failed indexes"};
  }
  if (failed > 0 && saturating_add(failed, succeeded_) >= completions) {
    return Verdict{false, "FailedIndexes", "Job has failed indexes"};
  }
  if (auto met = met_success_rule(spec_.view["successPolicy"], completions, completed_)) {
    return Verdict{true, "SuccessPolicy", std::move(*met)};
  }
  return std::nullopt;
}

// What the pod failure policy says when a failure is to end the job.
std::optional<std::string> JobLook::failing_rule() const {
  const View policy = spec_.view["podFailurePolicy"];
  if (!policy) return std::nullopt;
  for (const JobPod& pod : pods_) {
    if (!spec_.has_failed(pod)) continue;
    FailureMatch match = match_failure_policy(policy, pod.object);
    if (match.action == FailureAction::fail_job) return std::move(match.message);
  }
  return std::nullopt;
}

bool JobLook::is_counted(const JobPod& pod) const {
  return match_failure_policy(spec_.view["podFailurePolicy"], pod.object).counts();
}

// What an earlier step decided stays decided.
std::optional<Verdict> JobLook::stated_verdict() const {
  for (const std::string_view type : {"SuccessCriteriaMet", "FailureTarget"}) {
    const View stated = status_.condition(type);
    if (!objects::is_true(stated)) continue;
    return Verdict{type == "SuccessCriteriaMet", std::string(stated["reason"].string_or("")),
                   std::string(stated["message"].string_or(""))};
  }
  return std::nullopt;
}

void JobLook::manage() {
  if (spec_.is_suspended) {
    return take_away(surplus_pods(pods_, std::nullopt, INT64_MAX), Counting::forgotten);
  }
  const std::int64_t wanted = wanted_active();
  const auto places = spec_.is_indexed ? spec_.completions : std::nullopt;
  const auto surplus =
      surplus_pods(pods_, places, std::max<std::int64_t>(status_.active - wanted, 0));
  if (surplus.empty()) return make_pods(wanted);
  take_away(surplus, Counting::forgotten);
}

std::int64_t JobLook::wanted_active() const {
  if (spec_.parallelism > job_pods_max) return status_.active;
  if (!spec_.completions) return succeeded_ > 0 ? status_.active : spec_.parallelism;
  const std::int64_t remaining = saturating_subtract(*spec_.completions, succeeded_);
  return std::clamp<std::int64_t>(remaining, 0, spec_.parallelism);
}

void JobLook::make_pods(std::int64_t wanted) {
  const std::int64_t terminating = spec_.replaces_only_failed ? status_.terminating : 0;
  const std::int64_t missing =
      std::min(wanted - status_.active - terminating, job_pods_per_step_max);
  if (missing <= 0) return;
  if (refused_until_ && now_ < *refused_until_) return look_again_at(*refused_until_);
  if (!spec_.back_off_limit_per_index) {
    if (const auto until = back_off_until(pods_, now_)) return look_again_at(*until);
  }
  std::set<std::string> names;
  for (const JobPod& pod : pods_) names.emplace(pod.name);
  PodMaker maker(job_, {.started = status_.start_time.value_or(now_),
                        .failed = failed_,
                        .gang_size = gang(wanted),
                        .is_taken = is_taken_});
  if (spec_.is_indexed) {
    for (const std::int64_t index : indexes_to_make(missing)) {
      const auto until = index_backoff_->wait_until(index, now_);
      if (until) {
        look_again_at(*until);
      } else {
        create(maker.make(index, names, index_backoff_->failures_of_next(index)));
      }
    }
  } else {
    for (std::int64_t i = 0; i < missing; ++i) create(maker.make(std::nullopt, names));
  }
}

// An index that failed for good never has a pod again: nobody may wait for it.
std::int64_t JobLook::gang(std::int64_t wanted) const {
  if (!spec_.completions || status_.failed_indexes.empty()) return wanted;
  const std::int64_t left = *spec_.completions - succeeded_ - status_.failed_indexes.count();
  return std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(wanted, 1));
}

// The first few go ahead: where they are refused, a thousand others would be too.
void JobLook::create(Value pod) {
  record("SuccessfulCreate", fmt::format("Created pod: {}", objects::name_of(pod)));
  Edit edit = Edit::create(pods, std::move(pod));
  edit.alongside = !creations_.empty() && std::ssize(creations_) != job_pods_ahead;
  edit.complaint = note("FailedCreate", "Error creating: ", true);
  creations_.push_back(std::move(edit));
  ++status_.active;
}

std::vector<std::int64_t> JobLook::indexes_to_make(std::int64_t count) const {
  IndexSet occupied = completed_;
  occupied.add_all(status_.failed_indexes);
  for (const JobPod& pod : pods_) {
    const bool holds = pod.is_active() || (spec_.replaces_only_failed && pod.is_terminating());
    if (holds && pod.index) occupied.add(*pod.index);
  }
  return occupied.missing(spec_.completions.value_or(0), count);
}

bool JobLook::is_complete() const {
  if (status_.active != 0) return false;
  return spec_.completions ? succeeded_ >= *spec_.completions : succeeded_ > 0;
}

void JobLook::suspend() {
  if (!status_.state({"Suspended", "True", "JobSuspended", "Job suspended"}, now_)) return;
  status_.start_time.reset();
  record("Suspended", "Job suspended");
}

void JobLook::resume() {
  const bool resumes = status_.state({"Suspended", "False", "JobResumed", "Job resumed"}, now_);
  if (resumes) record("Resumed", "Job resumed");
}

// Forgotten pods lose their finalizer first, so that their end is not counted as a failure.
void JobLook::take_away(const std::vector<const JobPod*>& gone, Counting counting) {
  std::vector<Edit> deletions;
  for (const JobPod* pod : gone) {
    if (std::ssize(deletions) >= job_pods_per_step_max) break;
    if (counting == Counting::forgotten && pod->is_tracked) {
      push(removals_, Edit::update(pods, without_finalizer(pod->object, words::job_tracking)));
    }
    push(deletions, Edit::remove(pods, pod->object));
    deletions.back().complaint = note("FailedDelete", "Error deleting: ", true);
    taken_away_.insert(pod->uid);
    --status_.active;
    ++status_.terminating;
    if (pod->is_ready) --status_.ready;
    record("SuccessfulDelete", fmt::format("Deleted pod: {}", pod->name));
  }
  for (Edit& each : deletions) removals_.push_back(std::move(each));
}

// Pods that ended enter the status; what stands there may go once it is written.
void JobLook::account(const std::optional<Verdict>& verdict) {
  const std::set<std::string, std::less<>> succeeded(status_.uncounted_succeeded.begin(),
                                                     status_.uncounted_succeeded.end());
  const std::set<std::string, std::less<>> failed(status_.uncounted_failed.begin(),
                                                  status_.uncounted_failed.end());
  IndexSet& completed = status_.completed_indexes;
  std::size_t new_indexes = 0;
  for (const JobPod& pod : pods_) {
    if (!pod.is_tracked || taken_away_.contains(pod.uid)) continue;
    const bool ended = pod.phase == JobPod::Phase::succeeded || spec_.has_failed(pod);
    if (!verdict && (!ended || index_backoff_->holds(pod))) continue;
    if (new_indexes + status_.uncounted() >= job_uncounted_pods_max) break;
    push(releases_, Edit::update(pods, without_finalizer(pod.object, words::job_tracking)));
    if (!spec_.has_place(pod)) continue;
    if (pod.phase == JobPod::Phase::succeeded && !failed.contains(pod.uid)) {
      if (spec_.is_indexed) {
        new_indexes += completed.has(*pod.index) ? 0U : 1U;
        completed.add(*pod.index);
      } else if (!succeeded.contains(pod.uid)) {
        status_.uncounted_succeeded.emplace_back(pod.uid);
      }
    } else if (fails(pod, verdict) && is_counted(pod) && !failed.contains(pod.uid)) {
      status_.uncounted_failed.emplace_back(pod.uid);
    }
  }
  if (spec_.is_indexed) status_.succeeded = completed.count();
}

// Pods that were taken away because the job had succeeded without them did not fail; where it
// failed, all that had not ended did.
bool JobLook::fails(const JobPod& pod, const std::optional<Verdict>& verdict) const {
  if (verdict && !verdict->succeeded) return true;
  const bool met_before = objects::is_true(objects::condition(job_, "SuccessCriteriaMet"));
  return spec_.has_failed(pod) && !(met_before && pod.is_deleted);
}

// First the verdict, so that it is not judged anew; the end when nothing is left to count.
void JobLook::conclude(const Verdict& verdict) {
  const std::string target = verdict.succeeded ? "SuccessCriteriaMet" : "FailureTarget";
  if (!status_.is_true(target)) {
    status_.state({target, "True", verdict.reason, verdict.message}, now_);
  }
  const bool all_counted = status_.uncounted() == 0 && status_.completed_indexes == completed_;
  if (!all_counted || status_.active != 0 || status_.terminating != 0) return;
  const std::string end = verdict.succeeded ? "Complete" : "Failed";
  status_.state({end, "True", verdict.reason, verdict.message}, now_);
  if (!verdict.succeeded) return record(verdict.reason, verdict.message, true);
  status_.completion_time = now_;
  if (spec_.completions && status_.succeeded > *spec_.completions) {
    record("TooManySucceededPods", "Too many succeeded pods running after completion count reached",
           true);
  }
  record("Completed", "Job completed");
}

// Nothing is ignored silently: what is not served says so on the job.
void JobLook::state_unserved() {
  const bool serves_all = spec_.parallelism <= job_pods_max;
  const std::string message =
      serves_all ? ""
                 : fmt::format("spec.parallelism is {}, but a job may have {} pods at a time",
                               spec_.parallelism, job_pods_max);
  const JobCondition wanted{std::string(words::unserved), serves_all ? "False" : "True",
                            serves_all ? "Served" : "NotServed", message};
  if (status_.state(wanted, now_) && !serves_all) record("NotServed", message, true);
}

void JobLook::finish_step() {
  Value next = status_.applied_to(job_);
  std::vector<Edit>& edits = step_.edits;
  const auto append = [&](std::vector<Edit>& group) {
    for (Edit& each : group) edits.push_back(std::move(each));
  };
  append(removals_);
  if (!(next.view() == job_.view())) edits.push_back(Edit::update_status(jobs, std::move(next)));
  append(releases_);
  append(creations_);
  append(notes_);
}

bool JobLook::is_finished() const {
  return objects::is_true(objects::condition(job_, "Complete")) ||
         objects::is_true(objects::condition(job_, "Failed"));
}

void JobLook::release_all() {
  for (const JobPod& pod : pods_) {
    if (!pod.is_tracked) continue;
    push(step_.edits, Edit::update(pods, without_finalizer(pod.object, words::job_tracking)));
  }
}

void JobLook::expire() {
  const auto until = expiry_of(job_);
  if (!until) return;
  if (now_ < *until) return look_again_at(*until);
  Edit removal = Edit::remove(jobs, job_);
  removal.in_foreground = true;
  step_.edits.push_back(std::move(removal));
}

// Whose pods are the job's own is settled before they are counted.
bool JobLook::claim() {
  step_.edits = claim_pods(job_, pods_);
  std::erase_if(pods_, [](const JobPod& pod) { return !objects::controller_of(pod.object); });
  return !step_.edits.empty();
}

void JobLook::look_again_at(Instant time) {
  if (!step_.look_again || time < *step_.look_again) step_.look_again = time;
}

// The first of a group waits for what went before it; the others go with it.
void JobLook::push(std::vector<Edit>& group, Edit edit) const {
  edit.alongside = !group.empty();
  group.push_back(std::move(edit));
}

Note JobLook::note(std::string_view reason, std::string message, bool warning) const {
  return {.resource = jobs,
          .about = job_,
          .warning = warning,
          .reason = std::string(reason),
          .message = std::move(message),
          .component = "job-controller"};
}

void JobLook::record(std::string_view reason, std::string message, bool warning) {
  push(notes_, Edit::record(note(reason, std::move(message), warning)));
}

bool is_managed_elsewhere(View job) {
  const auto by = job["spec"]["managedBy"].string();
  return by && *by != words::job_controller;
}

}  // namespace

JobStep run_job(const JobObserved& observed) {
  if (is_managed_elsewhere(observed.job)) return {};
  return JobLook(observed).step();
}

}  // namespace muster::core
