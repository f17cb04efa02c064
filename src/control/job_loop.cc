// SPDX-License-Identifier: Apache-2.0
#include "control/job_loop.h"

#include <string>
#include <utility>

#include "core/lifecycle/run_job.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

JobLoop::JobLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& job) { return look_at(job); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void JobLoop::on_change(const client::CacheChange& change) {
  if (change.resource == resources::jobs) {
    loop_.mark(subject_of(resources::jobs, change.object()));
  } else if (change.resource == resources::pods) {
    if (change.before) mark_owner(change.before);
    if (change.after) mark_owner(change.after);
  }
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

Step JobLoop::look_at(const Subject& subject) {
  Value job = cache_.find(resources::jobs, subject.key);
  if (objects::uid_of(job) != subject.uid) job = {};
  const auto pods = cache_.owned_by(resources::pods, subject.uid);
  if (job.is_absent() && pods.empty()) return {};
  core::JobStep step = core::run_job({.job = job, .pods = pods, .now = house_.clock.wall()});
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

}  // namespace muster::control
