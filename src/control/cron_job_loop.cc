// SPDX-License-Identifier: Apache-2.0
#include "control/cron_job_loop.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lifecycle/run_cron_job.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

CronJobLoop::CronJobLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                         TimeZones* zones)
    : house_(house),
      cache_(cache),
      zones_(zones),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void CronJobLoop::on_change(const client::CacheChange& change) {
  if (change.resource == core::cron_jobs) {
    on_cron_job(change);
  } else if (change.resource == resources::jobs) {
    if (change.before) mark_owner(change.before);
    if (change.after) mark_owner(change.after);
  }
}

void CronJobLoop::on_cron_job(const client::CacheChange& change) {
  const Subject subject = subject_of(core::cron_jobs, change.object());
  if (!change.after) {
    rescheduled_.erase(subject);
    return;
  }
  const View before = change.before["spec"];
  const View after = change.after["spec"];
  const bool moves = before && !(before["schedule"] == after["schedule"] &&
                                 before["timeZone"] == after["timeZone"]);
  if (moves) rescheduled_[subject] = house_.clock.wall();
  loop_.mark(subject);
}

void CronJobLoop::mark_owner(View job) {
  const View owner = objects::controller_of(job);
  if (owner["kind"].string_or("") != core::cron_jobs.kind) return;
  loop_.mark({core::cron_jobs,
              {std::string(objects::namespace_of(job)), std::string(owner["name"].string_or(""))},
              std::string(owner["uid"].string_or(""))});
}

const TimeZone* CronJobLoop::zone_of(View cron_job) {
  const std::string_view name = cron_job["spec"]["timeZone"].string_or("UTC");
  if (name == "UTC" || name == "Etc/UTC") return &utc_;
  return zones_ == nullptr ? nullptr : zones_->find(name);
}

Step CronJobLoop::look_at(const Subject& subject) {
  const Value cron_job = cache_.find(core::cron_jobs, subject.key);
  if (objects::uid_of(cron_job) != subject.uid) return {};
  std::vector<Value> jobs;
  for (const Value& job : cache_.owned_by(resources::jobs, subject.uid)) {
    if (objects::controller_of(job)["uid"].string_or("") == subject.uid) jobs.push_back(job);
  }
  core::CronJobObserved observed;
  observed.cron_job = cron_job;
  observed.jobs = jobs;
  observed.zone = zone_of(cron_job);
  observed.now = house_.clock.wall();
  const auto moved = rescheduled_.find(subject);
  if (moved != rescheduled_.end()) observed.rescheduled = moved->second;
  observed.is_taken = [this, &subject](const std::string& name) {
    return !cache_.find(resources::jobs, {subject.key.name_space, name}).is_absent();
  };
  core::CronJobStep step = core::run_cron_job(observed);
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

}  // namespace muster::control
