// SPDX-License-Identifier: Apache-2.0
#include "control/job_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/lifecycle/run_job.h"
#include "core/words.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::ObjectKey;
using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

bool is_orphan(View pod) {
  return pod && !objects::controller_of(pod);
}

// The uid of the job that a pod's labels speak of.
std::string_view named_job(View pod) {
  return objects::labels_of(pod)[core::words::controller_uid_label].string_or("");
}

bool matches(View job, View pod) {
  const View wanted = job["spec"]["selector"];
  const auto selector = objects::LabelSelector::of(wanted);
  return wanted && selector && selector->matches(objects::labels_of(pod));
}

}  // namespace

JobLoop::JobLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& job) { return look_at(job); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void JobLoop::on_change(const client::CacheChange& change) {
  if (change.resource == resources::jobs) {
    const View job = change.object();
    const bool is_manual = change.after && job["spec"]["manualSelector"].boolean_or(false);
    if (is_manual) {
      manual_jobs_.insert(objects::key_of(job));
    } else {
      manual_jobs_.erase(objects::key_of(job));
    }
    loop_.mark(subject_of(resources::jobs, job));
  } else if (change.resource == resources::pods) {
    on_pod(change);
  }
}

void JobLoop::on_pod(const client::CacheChange& change) {
  if (is_orphan(change.before)) {
    const auto found = orphans_.find(named_job(change.before));
    if (found != orphans_.end()) {
      found->second.erase(objects::key_of(change.before));
      if (found->second.empty()) orphans_.erase(found);
    }
  }
  if (is_orphan(change.after)) {
    orphans_[std::string(named_job(change.after))].insert(objects::key_of(change.after));
    mark_matching(change.after);
  }
  if (change.before) mark_owner(change.before);
  if (change.after) mark_owner(change.after);
}

// Whoever may adopt it; a job that is gone may have left its finalizer on it.
void JobLoop::mark_matching(View orphan) {
  const std::string name_space(objects::namespace_of(orphan));
  const std::string_view name =
      objects::labels_of(orphan)[core::words::job_name_label].string_or("");
  const std::string_view uid = named_job(orphan);
  if (!name.empty() && !uid.empty()) {
    loop_.mark({resources::jobs, {name_space, std::string(name)}, std::string(uid)});
  }
  for (auto each = manual_jobs_.lower_bound({name_space, ""});
       each != manual_jobs_.end() && each->name_space == name_space; ++each) {
    const Value job = cache_.find(resources::jobs, *each);
    if (matches(job, orphan)) loop_.mark(subject_of(resources::jobs, job));
  }
}

std::vector<Value> JobLoop::pods_for(const Value& job, std::string_view uid) const {
  std::vector<Value> pods;
  for (const Value& pod : cache_.owned_by(resources::pods, uid)) {
    if (objects::controller_of(pod)["uid"].string_or("") == uid) pods.push_back(pod);
  }
  const bool is_manual = job["spec"]["manualSelector"].boolean_or(false);
  const auto take = [&](const std::set<ObjectKey>& keys) {
    for (const ObjectKey& key : keys) {
      const Value pod = cache_.find(resources::pods, key);
      const bool is_near = key.name_space == objects::namespace_of(job);
      if (job.is_absent() || (is_near && matches(job, pod))) pods.push_back(pod);
    }
  };
  if (is_manual) {
    for (const auto& [named, keys] : orphans_) take(keys);
  } else if (const auto found = orphans_.find(uid); found != orphans_.end()) {
    take(found->second);
  }
  return pods;
}

void JobLoop::mark_owner(View pod) {
  const View owner = objects::controller_of(pod);
  if (owner["kind"].string_or("") != resources::jobs.kind ||
      owner["apiVersion"].string_or("") != resources::jobs.api_version()) {
    return;
  }
  loop_.mark({resources::jobs,
              {std::string(objects::namespace_of(pod)), std::string(owner["name"].string_or(""))},
              std::string(owner["uid"].string_or(""))});
}

std::optional<Instant> JobLoop::refused_until(const Subject& subject) {
  const Instant now = house_.clock.wall();
  const WriteOutcome* refusal = loop_.refusal_of(subject);
  if (refusal != nullptr && refusal->resource == resources::pods) {
    Refused& refused = refused_[subject.uid];
    refused.backoff.skip_first();
    refused.until = now + refused.backoff.next(house_.random);
  }
  const auto found = refused_.find(subject.uid);
  if (found == refused_.end()) return std::nullopt;
  // The clock may have been set back meanwhile.
  found->second.until = std::min(found->second.until, now + refused_span_max + refused_span_max);
  return found->second.until;
}

Step JobLoop::look_at(const Subject& subject) {
  Value job = cache_.find(resources::jobs, subject.key);
  if (objects::uid_of(job) != subject.uid) job = {};
  const std::vector<Value> pods = pods_for(job, subject.uid);
  const std::optional<Instant> until = refused_until(subject);
  if (job.is_absent()) refused_.erase(subject.uid);
  if (job.is_absent() && pods.empty()) return {};
  core::JobStep step = core::run_job(
      {.job = job,
       .pods = pods,
       .now = house_.clock.wall(),
       .is_taken =
           [&](const auto& name) {
             return !cache_.find(resources::pods, {subject.key.name_space, name}).is_absent();
           },
       .refused_until = until});
  if (until && house_.clock.wall() >= *until && step.edits.empty()) refused_.erase(subject.uid);
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

}  // namespace muster::control
