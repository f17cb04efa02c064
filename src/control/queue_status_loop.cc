// SPDX-License-Identifier: Apache-2.0
#include "control/queue_status_loop.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "control/limits.h"
#include "core/admission/fair_share.h"
#include "core/model/queue_activity.h"
#include "core/model/queue_report.h"
#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::control {

using core::Edit;
using objects::ObjectKey;
using objects::Resource;
using objects::Value;
using objects::View;

namespace resources = objects::resources;
namespace words = core::words;

namespace {

std::string_view cluster_queue_of(View local_queue) {
  return local_queue["spec"]["clusterQueue"].string_or("");
}

Value with_finalizer(const Value& object) {
  const std::size_t count = object["metadata"]["finalizers"].size();
  auto edited = objects::with(object, {"metadata", "finalizers", count},
                              Value::string(words::resource_in_use));
  if (edited) return std::move(*edited);
  return objects::with(object, {"metadata", "finalizers"},
                       Value::array({Value::string(words::resource_in_use)}))
      .value_or(object);
}

Value without_finalizer(const Value& object) {
  std::size_t index = 0;
  for (const View finalizer : object["metadata"]["finalizers"].elements()) {
    if (finalizer.string_or("") == words::resource_in_use) break;
    ++index;
  }
  return objects::without(object, {"metadata", "finalizers", index}).value_or(object);
}

// Whether what others rely on may have changed: not by a write of its status.
bool is_other_spec(const client::CacheChange& change) {
  if (change.before.is_absent() || change.after.is_absent()) return true;
  return objects::generation_of(change.before) != objects::generation_of(change.after) ||
         objects::uid_of(change.before) != objects::uid_of(change.after) ||
         objects::is_being_deleted(change.before) != objects::is_being_deleted(change.after);
}

// The step that the finalizer asks for, if any.
std::vector<Edit> finalizer_edits(const Resource& resource, const Value& object, bool in_use) {
  const bool has = objects::has_finalizer(object, words::resource_in_use);
  if (!objects::is_being_deleted(object)) {
    if (has) return {};
    return {Edit::update(resource, with_finalizer(object))};
  }
  if (!has || in_use) return {};
  return {Edit::update(resource, without_finalizer(object))};
}

}  // namespace

QueueStatusLoop::QueueStatusLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                                 const core::ClusterState& state)
    : house_(house),
      cache_(cache),
      state_(state),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void QueueStatusLoop::stop() {
  loop_.stop();
  lifeline_.renew();
  if (settle_timer_) house_.executor.cancel(*settle_timer_);
  settle_timer_.reset();
  settling_.clear();
}

void QueueStatusLoop::on_change(const client::CacheChange& change) {
  const Resource& resource = change.resource;
  if (resource == resources::workloads) return on_workload(change);
  if (resource == resources::cluster_queues) return on_cluster_queue(change);
  if (resource == resources::local_queues) return on_local_queue(change);
  if (resource == resources::resource_flavors) return on_flavor(change);
  if (resource == resources::admission_checks) {
    loop_.mark(subject_of(resource, change.object()));
    for (const std::string& queue : references_.uses_of_check(objects::name_of(change.object()))) {
      mark(resources::cluster_queues, {"", queue});
      for (const ObjectKey& key : references_.uses_of_cluster_queue(queue)) {
        mark(resources::local_queues, key);
      }
    }
  } else if (resource == resources::topologies || resource == resources::cohorts) {
    loop_.mark(subject_of(resource, change.object()));
    if (is_other_spec(change)) mark_all_queues();
  }
}

void QueueStatusLoop::on_workload(const client::CacheChange& change) {
  if (!tally_.replace(change.before, change.after)) return;
  std::string_view settled;  // most stay in their queue
  for (const Value* workload : {&change.before, &change.after}) {
    if (workload->is_absent()) continue;
    settle_cluster_queue((*workload)["status"]["admission"]["clusterQueue"].string_or(""));
    const std::string_view name = (*workload)["spec"]["queueName"].string_or("");
    if (name == settled) continue;
    settled = name;
    const ObjectKey key{std::string(objects::namespace_of(*workload)), std::string(name)};
    settle(resources::local_queues, key);
    settle_cluster_queue(cluster_queue_of(cache_.find(resources::local_queues, key)));
  }
  if (shares_fairly()) mark_all_cohorts();
}

void QueueStatusLoop::on_cluster_queue(const client::CacheChange& change) {
  loop_.mark(subject_of(resources::cluster_queues, change.object()));
  references_.replace_cluster_queue(change.before, change.after);
  if (!is_other_spec(change)) return;
  mark_references_of(change.before);
  mark_references_of(change.after);
  for (const ObjectKey& key :
       references_.uses_of_cluster_queue(objects::name_of(change.object()))) {
    mark(resources::local_queues, key);
  }
  if (shares_fairly()) mark_all_queues();
}

void QueueStatusLoop::on_local_queue(const client::CacheChange& change) {
  loop_.mark(subject_of(resources::local_queues, change.object()));
  references_.replace_local_queue(change.before, change.after);
  if (!is_other_spec(change)) return;
  settle_cluster_queue(cluster_queue_of(change.object()));
}

void QueueStatusLoop::on_flavor(const client::CacheChange& change) {
  loop_.mark(subject_of(resources::resource_flavors, change.object()));
  references_.replace_flavor(change.before, change.after);
  if (!is_other_spec(change)) return;
  for (const Value* flavor : {&change.before, &change.after}) {
    mark(resources::topologies, {"", std::string((*flavor)["spec"]["topologyName"].string_or(""))});
  }
  mark_all_queues();
}

void QueueStatusLoop::mark(const Resource& resource, const ObjectKey& key) {
  if (key.name.empty()) return;
  const Value object = cache_.find(resource, key);
  if (object) loop_.mark(subject_of(resource, object));
}

// Its numbers have changed. They are looked at together with those of all others that have.
void QueueStatusLoop::settle(const Resource& resource, const ObjectKey& key) {
  if (key.name.empty()) return;
  settling_.try_emplace({resource, key});
  settle_later();
}

void QueueStatusLoop::settle_cluster_queue(std::string_view name) {
  settle(resources::cluster_queues, {"", std::string(name)});
}

void QueueStatusLoop::settle_later() {
  if (settle_timer_ || settling_.empty()) return;
  settle_timer_ =
      house_.executor.post_at(house_.clock.monotonic() + queue_settle_span, lifeline_.guard([this] {
        settle_timer_.reset();
        mark_settled();
      }));
}

void QueueStatusLoop::mark_settled() {
  const MonotonicInstant now = house_.clock.monotonic();
  for (auto at = settling_.begin(); at != settling_.end();) {
    const bool is_over = at->second <= now && mark_settled(at->first, at->second);
    at = is_over ? settling_.erase(at) : std::next(at);
  }
  settle_later();
}

// One that was written a moment ago stays in line: its numbers cannot be written yet.
bool QueueStatusLoop::mark_settled(const Place& place, MonotonicInstant& not_before) {
  const Value object = cache_.find(place.first, place.second);
  if (object.is_absent()) return true;
  const Subject subject = subject_of(place.first, object);
  const auto pace = paces_.find(subject);
  const bool is_too_soon =
      pace != paces_.end() && pace->second.not_before > house_.clock.monotonic();
  if (is_too_soon && !objects::is_being_deleted(object)) {
    not_before = pace->second.not_before;
    return false;
  }
  loop_.mark(subject);
  return true;
}

void QueueStatusLoop::mark_references_of(View cluster_queue) {
  for (const std::string_view flavor : flavors_of(cluster_queue)) {
    mark(resources::resource_flavors, {"", std::string(flavor)});
  }
  for (const std::string_view check : checks_of(cluster_queue)) {
    mark(resources::admission_checks, {"", std::string(check)});
  }
}

void QueueStatusLoop::mark_all_cohorts() {
  for (const Value& cohort : cache_.all(resources::cohorts)) {
    loop_.mark_after(subject_of(resources::cohorts, cohort), queue_settle_span);
  }
}

void QueueStatusLoop::mark_all_queues() {
  for (const Resource& resource : {resources::cluster_queues, resources::local_queues}) {
    for (const Value& queue : cache_.all(resource)) loop_.mark(subject_of(resource, queue));
  }
  mark_all_cohorts();
}

bool QueueStatusLoop::shares_fairly() const {
  return state_.tables().configuration.fair_sharing.enabled;
}

Step QueueStatusLoop::look_at(const Subject& subject) {
  const Value object = cache_.find(subject.resource, subject.key);
  if (objects::uid_of(object) != subject.uid || object.is_absent()) {
    paces_.erase(subject);
    return {};
  }
  if (subject.resource == resources::local_queues) return look_at_local_queue(subject, object);
  if (subject.resource == resources::cohorts) return look_at_cohort(subject, object);
  auto edits = finalizer_edits(subject.resource, object, is_in_use(subject));
  if (!edits.empty() || subject.resource != resources::cluster_queues) {
    return {.edits = std::move(edits)};
  }
  Step step = look_at_cluster_queue(subject, object);
  // Nobody says when an admission on its way is refused.
  if (objects::is_being_deleted(object) && !step.look_again) {
    step.look_again = house_.clock.wall() + queue_settle_span;
  }
  return step;
}

bool QueueStatusLoop::is_in_use(const Subject& subject) const {
  const std::string& name = subject.key.name;
  if (subject.resource == resources::cluster_queues) {
    if (tally_.of_cluster_queue(name).reserving > 0) return true;
    const core::ClusterQueueId id = core::find_cluster_queue(state_.tables(), name);
    return !id.is_none() && !state_.tables().cluster_queues[id].reserving.empty();
  }
  if (subject.resource == resources::resource_flavors) {
    return !references_.uses_of_flavor(name).empty();
  }
  if (subject.resource == resources::admission_checks) {
    return !references_.uses_of_check(name).empty();
  }
  return !references_.uses_of_topology(name).empty();
}

QueueNumbers QueueStatusLoop::numbers_of(std::string_view cluster_queue) const {
  QueueNumbers numbers = tally_.of_cluster_queue(cluster_queue);
  for (const ObjectKey& key : references_.uses_of_cluster_queue(cluster_queue)) {
    const QueueNumbers& own = tally_.of_local_queue(key);
    numbers.finished += own.finished;
    if (own.pending == 0 || is_stopped(cache_.find(resources::local_queues, key))) continue;
    numbers.pending += own.pending;
  }
  return numbers;
}

Step QueueStatusLoop::look_at_cluster_queue(const Subject& subject, const Value& queue) {
  const std::string& name = subject.key.name;
  ClusterQueueReport report{.activity = activity_of_cluster_queue(name),
                            .numbers = numbers_of(name)};
  const core::Tables& tables = state_.tables();
  const core::ClusterQueueId id = core::find_cluster_queue(tables, name);
  if (shares_fairly() && !id.is_none()) {
    report.weighted_share =
        core::rounded_up(core::weighted_share(tables, tables.cluster_queues[id].node));
  }
  return write_status(subject, queue,
                      with_cluster_queue_status(queue, report, house_.clock.wall()));
}

Step QueueStatusLoop::look_at_local_queue(const Subject& subject, const Value& queue) {
  const std::string owner_name(cluster_queue_of(queue));
  const Value owner = cache_.find(resources::cluster_queues, {"", owner_name});
  const Activity activity = activity_of_cluster_queue(owner_name);
  LocalQueueReport report{.activity = activity_of(queue, owner ? &activity : nullptr),
                          .numbers = tally_.of_local_queue(subject.key),
                          .cluster_queue = owner};
  const core::Tables& tables = state_.tables();
  const core::LocalQueueId id = core::find_local_queue(tables, subject.key.to_string());
  if (!id.is_none() && report.activity.active) report.consumed = core::consumed_by(tables, id);
  Step step =
      write_status(subject, queue, with_local_queue_status(queue, report, house_.clock.wall()));
  if (report.consumed && step.edits.empty() && !step.look_again) {
    step.look_again =
        house_.clock.wall() + tables.configuration.admission_fair_sharing->usage_sampling_interval;
  }
  return step;
}

Step QueueStatusLoop::look_at_cohort(const Subject& subject, const Value& cohort) {
  std::optional<std::int64_t> share;
  const core::Tables& tables = state_.tables();
  const core::CohortId id = tables.cohorts.find(subject.key.name);
  if (shares_fairly() && !id.is_none()) {
    const core::QuotaNodeId node = tables.cohorts[id].node;
    share = tables.quota.has_cycle(node) ? 0 : core::rounded_up(core::weighted_share(tables, node));
  }
  return write_status(subject, cohort, with_cohort_status(cohort, share));
}

Span QueueStatusLoop::status_span() const {
  const auto queues = static_cast<std::int64_t>(paces_.size());
  return std::max(queue_status_span,
                  Span::of_milliseconds(queues * 1000 / queue_status_writes_per_second_max));
}

Step QueueStatusLoop::write_status(const Subject& subject, const Value& old_queue,
                                   const Value& new_queue) {
  Pace& pace = paces_[subject];
  if (old_queue["status"] == new_queue["status"]) {
    pace.is_settling = false;
    return {};
  }
  const MonotonicInstant now = house_.clock.monotonic();
  if (old_queue["status"]["conditions"] == new_queue["status"]["conditions"]) {
    if (!std::exchange(pace.is_settling, true)) {
      pace.not_before = std::max(pace.not_before, now + queue_settle_span);
    }
    if (now < pace.not_before) {
      return {.edits = {}, .look_again = house_.clock.wall() + (pace.not_before - now)};
    }
  }
  pace = {.not_before = now + status_span(), .is_settling = false};
  return {.edits = {Edit::update_status(subject.resource, new_queue)}};
}

Activity QueueStatusLoop::activity_of_cluster_queue(std::string_view name) const {
  const core::Tables& tables = state_.tables();
  const core::QueueActivity activity =
      core::activity_of(tables, core::find_cluster_queue(tables, name));
  return {.active = activity.is_active(),
          .reason = std::string(activity.reason()),
          .message = activity.message};
}

}  // namespace muster::control
