// SPDX-License-Identifier: Apache-2.0
#include "tests/lifecycle/job_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/timestamp.h"
#include "core/draft.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace {

bool has_ended(View pod) {
  const auto phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

bool is_active(View pod) {
  return !has_ended(pod) && !objects::is_being_deleted(pod);
}

std::string time_text(Instant now) {
  return format_time(Timestamp::of(now));
}

bool says(View job, std::string_view type) {
  return objects::is_true(objects::condition(job, type));
}

}  // namespace

JobWorld::JobWorld(const JobWorldOptions& options) {
  Draft job(objects::parse_json(R"({"metadata": {"name": "train", "namespace": "a", "uid": "u1"},
    "spec": {"template": {"metadata": {"labels": {"job-name": "train"}},
                          "spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}}})")
                .must());
  job.set({"spec", "parallelism"}, Value::integer(options.parallelism))
      .set({"spec", "backoffLimit"}, Value::integer(options.backoff_limit))
      .set({"spec", "suspend"}, Value::boolean(options.suspended))
      .set({"spec", "completionMode"}, Value::string(options.indexed ? "Indexed" : "NonIndexed"));
  if (options.completions) {
    job.set({"spec", "completions"}, Value::integer(*options.completions));
  }
  if (options.replaces_only_failed) {
    job.set({"spec", "podReplacementPolicy"}, Value::string("Failed"));
  }
  if (options.backoff_limit_per_index) {
    job.set({"spec", "backoffLimitPerIndex"}, Value::integer(*options.backoff_limit_per_index));
  }
  if (options.ignores_exit_5) {
    job.set({"spec", "podFailurePolicy"}, objects::parse_json(R"({"rules": [
        {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [5]}}]})")
                                              .must());
  }
  if (!options.enough_indexes.empty()) {
    job.set({"spec", "successPolicy"},
            objects::parse_json(fmt::format(R"({{"rules": [{{"succeededIndexes": "{}"}}]}})",
                                            options.enough_indexes))
                .must());
  }
  job_ = job.value();
  touch(job_);
  last_ = {job_, {}};
}

JobStep JobWorld::step(const Losses& losses) {
  const Observation seen = losses.from_the_last_view ? last_ : Observation{job_, pods()};
  is_stale_ = losses.from_the_last_view;
  last_ = {job_, pods()};
  seen_parallelism_ = seen.job["spec"]["parallelism"].integer_or(1);
  JobStep step = run_job({.job = seen.job, .pods = seen.pods, .now = now_});
  std::size_t kept = 0;
  bool is_refused = false;
  for (const Edit& edit : step.edits) {
    if (edit.verb == Edit::Verb::record) continue;
    // Whoever waits for an answer that does not come is never sent.
    if (!edit.alongside && is_refused) break;
    if (kept++ == losses.writes_kept || !apply(edit)) is_refused = true;
  }
  is_stale_ = false;
  return step;
}

void JobWorld::set_suspended(bool suspended) {
  job_ = Draft(job_).set({"spec", "suspend"}, Value::boolean(suspended)).value();
  touch(job_);
}

void JobWorld::set_parallelism(std::int64_t parallelism) {
  job_ = Draft(job_).set({"spec", "parallelism"}, Value::integer(parallelism)).value();
  touch(job_);
}

void JobWorld::set_size(std::int64_t size) {
  job_ = Draft(job_).set({"spec", "completions"}, Value::integer(size)).value();
  set_parallelism(size);
}

void JobWorld::edit_spec(const std::function<void(Draft&)>& change) {
  Draft job(job_);
  change(job);
  job_ = job.value();
  touch(job_);
}

void JobWorld::set_deadline(std::int64_t seconds) {
  job_ = Draft(job_).set({"spec", "activeDeadlineSeconds"}, Value::integer(seconds)).value();
  touch(job_);
}

void JobWorld::run_pod(std::size_t which) {
  const std::string* name = nth_pod(which);
  if (name == nullptr || !is_active(pods_[*name])) return;
  Value& pod = pods_[*name];
  pod = Draft(pod)
            .set({"spec", "nodeName"}, Value::string("n1"))
            .set({"status", "phase"}, Value::string("Running"))
            .set({"status", "conditions"},
                 Value::array({Value::object(
                     {{"type", Value::string("Ready")}, {"status", Value::string("True")}})}))
            .value();
  touch(pod);
}

void JobWorld::end_pod_with(std::size_t which, std::int64_t exit_code) {
  const std::string* name = nth_pod(which);
  if (name == nullptr || has_ended(pods_[*name])) return;
  Value& pod = pods_[*name];
  const bool succeeded = exit_code == 0;
  const Value ended = Value::object(
      {{"exitCode", Value::integer(exit_code)}, {"finishedAt", Value::string(time_text(now_))}});
  pod = Draft(pod)
            .set({"status", "phase"}, Value::string(succeeded ? "Succeeded" : "Failed"))
            .drop({"status", "conditions"})
            .set({"status", "containerStatuses"},
                 Value::array({Value::object({{"name", Value::string("main")},
                                              {"state", Value::object({{"terminated", ended}})}})}))
            .value();
  touch(pod);
}

void JobWorld::delete_pod(std::size_t which) {
  if (const std::string* name = nth_pod(which)) remove_pod(pods_[*name]);
}

void JobWorld::confirm_deletions() {
  std::vector<std::string> names;
  for (const auto& [name, pod] : pods_) {
    if (objects::is_being_deleted(pod)) names.push_back(name);
  }
  for (const std::string& name : names) {
    confirmed_.insert(name);
    Value& pod = pods_[name];
    if (!has_ended(pod)) {
      pod = Draft(pod).set({"status", "phase"}, Value::string("Failed")).value();
      touch(pod);
    }
    collect(name);
  }
}

void JobWorld::run_and_end_all() {
  for (std::size_t i = 0; i < pods_.size(); ++i) end_pod(i, true);
  confirm_deletions();
}

std::vector<Value> JobWorld::pods() const {
  std::vector<Value> all;
  for (const auto& [name, pod] : pods_) all.push_back(pod);
  return all;
}

std::int64_t JobWorld::active_pods() const {
  return std::count_if(pods_.begin(), pods_.end(),
                       [](const auto& entry) { return is_active(entry.second); });
}

bool JobWorld::is_finished() const {
  return says(job_, "Complete") || says(job_, "Failed");
}

bool JobWorld::apply(const Edit& edit) {
  switch (edit.verb) {
    case Edit::Verb::create:
      return create_pod(edit.object);
    case Edit::Verb::update:
      return update_pod(edit.object);
    case Edit::Verb::remove:
      return remove_pod(edit.object);
    case Edit::Verb::update_status:
      return update_job_status(edit.object);
    default:
      violate("an edit that a job has no use for");
      return false;
  }
}

bool JobWorld::create_pod(const Value& pod) {
  const std::string name(objects::name_of(pod));
  if (pods_.contains(name)) return false;
  if (is_finished()) violate("a pod was made for a finished job");
  check_failures(pod);
  Value made = Draft(pod)
                   .set({"metadata", "uid"}, Value::string(fmt::format("p{}", ++uid_)))
                   .set({"metadata", "creationTimestamp"}, Value::string(time_text(now_)))
                   .set({"status", "phase"}, Value::string("Pending"))
                   .value();
  touch(made);
  pods_[name] = made;
  check_pods();
  return true;
}

bool JobWorld::update_pod(const Value& pod) {
  const std::string name(objects::name_of(pod));
  const auto found = pods_.find(name);
  if (found == pods_.end()) return false;
  Value& stored = found->second;
  if (objects::resource_version_of(stored) != objects::resource_version_of(pod)) return false;
  const bool is_released = objects::has_finalizer(stored, words::job_tracking) &&
                           !objects::has_finalizer(pod, words::job_tracking);
  if (is_released) note_release(stored);
  stored = pod;
  touch(stored);
  collect(name);
  return true;
}

bool JobWorld::remove_pod(const Value& pod) {
  const std::string name(objects::name_of(pod));
  const auto found = pods_.find(name);
  if (found == pods_.end() || objects::uid_of(found->second) != objects::uid_of(pod)) return false;
  if (!objects::is_being_deleted(found->second)) {
    found->second = Draft(found->second)
                        .set({"metadata", "deletionTimestamp"},
                             Value::string(time_text(now_ + Span::of_seconds(30))))
                        .set({"metadata", "deletionGracePeriodSeconds"}, Value::integer(30))
                        .value();
    touch(found->second);
  }
  return true;
}

bool JobWorld::update_job(const Value& job) {
  if (objects::resource_version_of(job_) != objects::resource_version_of(job)) return false;
  const View spec = job_["spec"];
  const bool may_move = spec["suspend"].boolean_or(false) && !job_["status"]["startTime"] &&
                        job_["status"]["active"].integer_or(0) == 0;
  if (!may_move && !(spec["template"] == job["spec"]["template"])) {
    violate("the template of a running job was changed");
    return false;
  }
  job_ = Draft(job_)
             .set({"spec"}, job.part(job["spec"]))
             .set({"metadata"}, job.part(job["metadata"]))
             .value();
  touch(job_);
  return true;
}

bool JobWorld::update_job_status(const Value& job) {
  if (objects::resource_version_of(job_) != objects::resource_version_of(job)) return false;
  const Value before = job_;
  job_ = Draft(job_).set({"status"}, job.part(job["status"])).value();
  touch(job_);
  check_status(before);
  return true;
}

void JobWorld::check_status(const Value& before) {
  const View was = before["status"];
  const View is = job_["status"];
  for (const std::string_view counter : {"succeeded", "failed"}) {
    const bool is_elastic =
        counter == "succeeded" && job_["spec"]["completions"] == job_["spec"]["parallelism"];
    if (!is_elastic && is[counter].integer_or(0) < was[counter].integer_or(0)) {
      violate(fmt::format("{} fell", counter));
    }
  }
  if (says(before, "Complete") || says(before, "Failed")) violate("a finished job changed");
  if (says(job_, "Complete") && says(job_, "Failed")) violate("complete and failed");
  if (says(job_, "Complete") && !says(job_, "SuccessCriteriaMet")) violate("complete unmet");
  if (says(job_, "Failed") && !says(job_, "FailureTarget")) violate("failed without target");
  if (is["ready"].integer_or(0) > is["active"].integer_or(0)) violate("more ready than active");
  if (is["active"].integer_or(0) < 0 || is["terminating"].integer_or(0) < 0) violate("negative");
  if (!is_stale_ && is["active"].integer_or(0) < active_pods()) {
    violate("the status counts fewer active pods than there are");
  }
  if (is_finished() && active_pods() != 0) violate("finished with active pods");
}

void JobWorld::check_pods() {
  if (active_pods() > seen_parallelism_) violate("more active pods than parallelism");
  std::set<std::string_view> indexes;
  for (const auto& [name, pod] : pods_) {
    const View index = objects::annotations_of(pod)[words::completion_index];
    if (!index || !is_active(pod)) continue;
    if (!indexes.insert(index.string_or("")).second) violate("an index runs twice");
  }
}

// What an index has failed is never forgotten, and never more than it may.
void JobWorld::check_failures(View made) {
  const auto limit = job_["spec"]["backoffLimitPerIndex"].integer();
  const View annotations = objects::annotations_of(made);
  const auto text = annotations[words::index_failures].string();
  if (limit.has_value() != text.has_value()) violate("a pod tells of failures where it should not");
  if (!limit || !text) return;
  const std::int64_t failures = std::stoll(std::string(*text));
  std::int64_t& before = failures_[std::string(annotations[words::completion_index].string_or(""))];
  if (failures > *limit) violate("an index was tried too often");
  if (failures < before) violate("an index forgot its failures");
  before = std::max(before, failures);
}

// A pod that was deleted and then exits well is what the status made of it first.
void JobWorld::note_release(const Value& pod) {
  bool is_listed_as_failed = false;
  for (View each : job_["status"]["uncountedTerminatedPods"]["failed"].elements()) {
    is_listed_as_failed = is_listed_as_failed || each.string_or("") == objects::uid_of(pod);
  }
  const bool has_succeeded = pod["status"]["phase"].string_or("") == "Succeeded";
  if (has_succeeded && !is_listed_as_failed) {
    ++succeeded_;
    return;
  }
  const bool is_ignored =
      job_["spec"]["podFailurePolicy"] &&
      pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"].integer_or(0) == 5;
  // A pod that the job takes away takes along what it knew.
  const bool is_forgotten = !has_ended(pod) && !objects::is_being_deleted(pod);
  const View index = objects::annotations_of(pod)[words::completion_index];
  if (is_forgotten) failures_.erase(std::string(index.string_or("")));
  const bool is_spared = objects::is_being_deleted(pod) && says(job_, "SuccessCriteriaMet");
  const bool is_failed = (has_ended(pod) || objects::is_being_deleted(pod)) && !is_spared;
  if (is_listed_as_failed || (is_failed && !is_ignored)) ++failed_;
}

void JobWorld::touch(Value& object) {
  object = Draft(object)
               .set({"metadata", "resourceVersion"}, Value::string(std::to_string(++version_)))
               .value();
}

void JobWorld::collect(const std::string& name) {
  const auto found = pods_.find(name);
  if (found == pods_.end() || !confirmed_.contains(name)) return;
  if (!found->second["metadata"]["finalizers"].empty()) return;
  pods_.erase(found);
  confirmed_.erase(name);
}

const std::string* JobWorld::nth_pod(std::size_t which) const {
  if (pods_.empty()) return nullptr;
  return &std::next(pods_.begin(), static_cast<std::ptrdiff_t>(which % pods_.size()))->first;
}

}  // namespace muster::core
