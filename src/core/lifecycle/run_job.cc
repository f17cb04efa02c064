// A step in the order of kube-controller-manager's sync: count what ended, judge the job, bring its
// pods to what is wanted, write the status, let counted pods go. Pods are taken away before the
// status stops counting them, and made after it counts them: it never says 0 while a pod may run.
// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "core/draft.h"
#include "core/index_set.h"
#include "core/lifecycle/job_pod.h"
#include "core/lifecycle/job_pods.h"
#include "core/lifecycle/job_status.h"
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
        spec_(job_["spec"]),
        now_(observed.now),
        pods_(read_pods(observed.pods)) {}

  JobStep step() {
    if (job_.is_absent() || objects::is_being_deleted(job_)) {
      release_all();
    } else if (is_finished()) {
      release_all();
      expire();
    } else if (!adopt()) {
      run();
    }
    return std::move(step_);
  }

 private:
  void run();
  void count();
  std::optional<Verdict> judge();
  std::optional<Verdict> stated_verdict() const;
  bool exceeds_back_off_limit() const;
  bool is_past_deadline();
  void manage();
  void suspend();
  void resume();
  void make_pods(std::int64_t wanted);
  std::vector<std::int64_t> indexes_to_make(std::int64_t count) const;
  std::int64_t wanted_active() const;
  bool is_complete() const;

  enum class Counting : std::uint8_t { counted, forgotten };
  void take_away(const std::vector<const JobPod*>& gone, Counting counting);
  void account(const std::optional<Verdict>& verdict);
  void conclude(const Verdict& verdict);
  void state_unserved();
  void finish_step();

  bool is_finished() const;
  void release_all();
  void expire();
  bool adopt();
  bool has_failed(const JobPod& pod) const;
  bool has_place(const JobPod& pod) const;
  void look_again_at(Instant time);
  void push(std::vector<Edit>& group, Edit edit) const;
  void record(std::string_view reason, std::string message, bool warning = false);

  bool is_indexed() const { return spec_["completionMode"].string_or("") == "Indexed"; }
  bool is_suspended() const { return spec_["suspend"].boolean_or(false); }
  std::int64_t parallelism() const { return spec_["parallelism"].integer_or(1); }
  std::optional<std::int64_t> completions() const { return spec_["completions"].integer(); }
  bool replaces_only_failed() const {
    return spec_["podReplacementPolicy"].string_or("") == "Failed";
  }

  const Value& job_;
  const View spec_;
  const Instant now_;
  std::vector<JobPod> pods_;
  JobStatus status_;
  std::int64_t succeeded_ = 0;  // with those that are not counted yet
  std::int64_t failed_ = 0;
  IndexSet completed_;
  std::set<std::string_view> taken_away_;  // uids
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
  if (starts && !is_suspended()) status_.start_time = now_;
  std::optional<Verdict> verdict = judge();
  if (verdict) {
    take_away(surplus_pods(pods_, std::nullopt, INT64_MAX), Counting::counted);
  } else {
    manage();
    if (is_complete()) {
      verdict = Verdict{true, "CompletionsReached", "Reached expected number of succeeded pods"};
    } else if (is_suspended()) {
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
    if (!pod.is_tracked || !has_place(pod) || failed.contains(pod.uid)) continue;
    if (pod.phase == JobPod::Phase::succeeded) {
      if (is_indexed()) completed_.add(*pod.index);
      if (!succeeded.contains(pod.uid)) succeeded_ = saturating_add(succeeded_, 1);
    } else if (has_failed(pod)) {
      failed_ = saturating_add(failed_, 1);
    }
  }
  if (is_indexed()) succeeded_ = completed_.count();
}

std::optional<Verdict> JobLook::judge() {
  if (auto stated = stated_verdict()) return stated;
  if (exceeds_back_off_limit()) {
    return Verdict{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  if (is_past_deadline()) {
    return Verdict{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  return std::nullopt;
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

bool JobLook::exceeds_back_off_limit() const {
  const std::int64_t limit = spec_["backoffLimit"].integer_or(6);
  if (failed_ > limit) return true;
  if (spec_["template"]["spec"]["restartPolicy"].string_or("") != "OnFailure") return false;
  std::int64_t restarts = 0;
  for (const JobPod& pod : pods_) {
    const bool counts = pod.phase == JobPod::Phase::running || pod.phase == JobPod::Phase::pending;
    if (counts) restarts = saturating_add(restarts, restarts_of(pod));
  }
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

bool JobLook::is_past_deadline() {
  const auto seconds = spec_["activeDeadlineSeconds"].integer();
  if (!seconds || !status_.start_time || is_suspended()) return false;
  const Instant deadline{saturating_add(status_.start_time->nanoseconds,
                                        saturating_multiply(*seconds, 1'000'000'000))};
  if (now_ >= deadline) return true;
  look_again_at(deadline);
  return false;
}

void JobLook::manage() {
  if (is_suspended()) {
    return take_away(surplus_pods(pods_, std::nullopt, INT64_MAX), Counting::forgotten);
  }
  const std::int64_t wanted = wanted_active();
  const auto places = is_indexed() ? completions() : std::nullopt;
  const auto surplus =
      surplus_pods(pods_, places, std::max<std::int64_t>(status_.active - wanted, 0));
  if (surplus.empty()) return make_pods(wanted);
  take_away(surplus, Counting::forgotten);
}

std::int64_t JobLook::wanted_active() const {
  if (parallelism() > job_pods_max) return status_.active;
  if (!completions()) return succeeded_ > 0 ? status_.active : parallelism();
  const std::int64_t remaining = saturating_subtract(*completions(), succeeded_);
  return std::clamp<std::int64_t>(remaining, 0, parallelism());
}

void JobLook::make_pods(std::int64_t wanted) {
  const std::int64_t terminating = replaces_only_failed() ? status_.terminating : 0;
  const std::int64_t missing =
      std::min(wanted - status_.active - terminating, job_pods_per_step_max);
  if (missing <= 0) return;
  if (const auto until = back_off_until(pods_, now_); until && now_ < *until) {
    return look_again_at(*until);
  }
  std::set<std::string> names;
  for (const JobPod& pod : pods_) names.emplace(pod.name);
  PodMaker maker(job_, {.started = status_.start_time.value_or(now_), .gang_size = wanted});
  const auto make = [&](std::optional<std::int64_t> index) {
    Value pod = maker.make(index, names);
    record("SuccessfulCreate", fmt::format("Created pod: {}", objects::name_of(pod)));
    push(creations_, Edit::create(pods, std::move(pod)));
    ++status_.active;
  };
  if (is_indexed()) {
    for (const std::int64_t index : indexes_to_make(missing)) make(index);
  } else {
    for (std::int64_t i = 0; i < missing; ++i) make(std::nullopt);
  }
}

std::vector<std::int64_t> JobLook::indexes_to_make(std::int64_t count) const {
  IndexSet occupied = completed_;
  for (const JobPod& pod : pods_) {
    const bool holds = pod.is_active() || (replaces_only_failed() && pod.is_terminating());
    if (holds && pod.index) occupied.add(*pod.index);
  }
  return occupied.missing(completions().value_or(0), count);
}

bool JobLook::is_complete() const {
  if (status_.active != 0) return false;
  return completions() ? succeeded_ >= *completions() : succeeded_ > 0;
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
    const bool ended = pod.phase == JobPod::Phase::succeeded || has_failed(pod);
    if (!ended && !verdict) continue;
    if (new_indexes + status_.uncounted() >= job_uncounted_pods_max) break;
    push(releases_, Edit::update(pods, without_finalizer(pod.object, words::job_tracking)));
    if (!has_place(pod)) continue;
    if (pod.phase == JobPod::Phase::succeeded && !failed.contains(pod.uid)) {
      if (is_indexed()) {
        new_indexes += completed.has(*pod.index) ? 0U : 1U;
        completed.add(*pod.index);
      } else if (!succeeded.contains(pod.uid)) {
        status_.uncounted_succeeded.emplace_back(pod.uid);
      }
    } else if (has_failed(pod) || (verdict && !verdict->succeeded)) {
      if (!failed.contains(pod.uid)) status_.uncounted_failed.emplace_back(pod.uid);
    }
  }
  if (is_indexed()) status_.succeeded = completed.count();
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
  if (completions() && status_.succeeded > *completions()) {
    record("TooManySucceededPods", "Too many succeeded pods running after completion count reached",
           true);
  }
  record("Completed", "Job completed");
}

// Nothing is ignored silently: what is not served says so on the job.
void JobLook::state_unserved() {
  std::vector<std::string> sentences;
  for (const std::string_view field :
       {"backoffLimitPerIndex", "maxFailedIndexes", "podFailurePolicy", "successPolicy"}) {
    if (spec_[field]) sentences.push_back(fmt::format("spec.{} is not served yet", field));
  }
  if (parallelism() > job_pods_max) {
    sentences.push_back(fmt::format("spec.parallelism is {}, but a job may have {} pods at a time",
                                    parallelism(), job_pods_max));
  }
  const bool serves_all = sentences.empty();
  const std::string message = fmt::format("{}", fmt::join(sentences, "; "));
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
  const auto seconds = spec_["ttlSecondsAfterFinished"].integer();
  if (!seconds) return;
  for (const std::string_view type : {"Complete", "Failed"}) {
    const View end = objects::condition(job_, type);
    const auto since = objects::instant_of(end["lastTransitionTime"]);
    if (!objects::is_true(end) || !since) continue;
    const Instant until{
        saturating_add(since->nanoseconds, saturating_multiply(*seconds, 1'000'000'000))};
    if (now_ < until) return look_again_at(until);
    step_.edits.push_back(Edit::remove(jobs, job_));
    return;
  }
}

// Pods that match and have no owner become the job's own, and are looked at in the next step.
bool JobLook::adopt() {
  for (const JobPod& pod : pods_) {
    if (objects::controller_of(pod.object) || pod.is_deleted) continue;
    Draft draft(pod.object);
    const View owners = pod.object["metadata"]["ownerReferences"];
    const Value owner = controller_reference(jobs.api_version(), jobs.kind, job_);
    if (owners.is_array()) {
      draft.set({"metadata", "ownerReferences", owners.size()}, owner);
    } else {
      draft.set({"metadata", "ownerReferences"}, Value::array({owner}));
    }
    const View finalizers = pod.object["metadata"]["finalizers"];
    const Value tracking = Value::string(words::job_tracking);
    if (!finalizers.is_array()) {
      draft.set({"metadata", "finalizers"}, Value::array({tracking}));
    } else if (!pod.is_tracked) {
      draft.set({"metadata", "finalizers", finalizers.size()}, tracking);
    }
    push(step_.edits, Edit::update(pods, draft.value()));
  }
  return !step_.edits.empty();
}

// A pod that was deleted never gets to say that it failed.
bool JobLook::has_failed(const JobPod& pod) const {
  if (pod.phase == JobPod::Phase::failed) return true;
  return !replaces_only_failed() && pod.is_terminating();
}

bool JobLook::has_place(const JobPod& pod) const {
  return !is_indexed() || (pod.index && *pod.index < completions().value_or(0));
}

void JobLook::look_again_at(Instant time) {
  if (!step_.look_again || time < *step_.look_again) step_.look_again = time;
}

// The first of a group waits for what went before it; the others go with it.
void JobLook::push(std::vector<Edit>& group, Edit edit) const {
  edit.alongside = !group.empty();
  group.push_back(std::move(edit));
}

void JobLook::record(std::string_view reason, std::string message, bool warning) {
  push(notes_, Edit::record({.resource = jobs,
                             .about = job_,
                             .warning = warning,
                             .reason = std::string(reason),
                             .message = std::move(message),
                             .component = "job-controller"}));
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
