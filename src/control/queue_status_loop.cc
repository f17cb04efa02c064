// SPDX-License-Identifier: Apache-2.0
#include "control/queue_status_loop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "control/limits.h"
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

QueueStatusLoop::QueueStatusLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void QueueStatusLoop::on_change(const client::CacheChange& change) {
  if (change.resource == resources::workloads) {
    on_workload(change);
  } else if (change.resource == resources::cluster_queues) {
    on_cluster_queue(change);
  } else if (change.resource == resources::local_queues) {
    on_local_queue(change);
  } else if (change.resource == resources::resource_flavors) {
    mark_flavor(objects::name_of(change.object()));
    if (change.before.is_absent() || change.after.is_absent()) mark_all_cluster_queues();
  } else if (change.resource == resources::admission_checks) {
    mark_all_cluster_queues();
  }
}

void QueueStatusLoop::on_workload(const client::CacheChange& change) {
  tally_.replace(change.before, change.after);
  for (const Value* workload : {&change.before, &change.after}) {
    if (workload->is_absent()) continue;
    const ObjectKey key{std::string(objects::namespace_of(*workload)),
                        std::string((*workload)["spec"]["queueName"].string_or(""))};
    const Value queue = cache_.find(resources::local_queues, key);
    if (queue) loop_.mark(subject_of(resources::local_queues, queue));
    mark_cluster_queue(cluster_queue_of(queue));
    mark_cluster_queue((*workload)["status"]["admission"]["clusterQueue"].string_or(""));
  }
}

void QueueStatusLoop::on_cluster_queue(const client::CacheChange& change) {
  const std::string name(objects::name_of(change.object()));
  loop_.mark(subject_of(resources::cluster_queues, change.object()));
  for (const std::string_view flavor : flavors_of(change.before)) {
    cluster_queues_of_[std::string(flavor)].erase(name);
    mark_flavor(flavor);
  }
  for (const std::string_view flavor : flavors_of(change.after)) {
    cluster_queues_of_[std::string(flavor)].insert(name);
    mark_flavor(flavor);
  }
  std::erase_if(cluster_queues_of_, [](const auto& entry) { return entry.second.empty(); });
  const auto found = local_queues_of_.find(name);
  if (found == local_queues_of_.end()) return;
  for (const ObjectKey& key : found->second) {
    const Value queue = cache_.find(resources::local_queues, key);
    if (queue) loop_.mark(subject_of(resources::local_queues, queue));
  }
}

void QueueStatusLoop::on_local_queue(const client::CacheChange& change) {
  const ObjectKey key = objects::key_of(change.object());
  loop_.mark(subject_of(resources::local_queues, change.object()));
  if (change.before) local_queues_of_[std::string(cluster_queue_of(change.before))].erase(key);
  if (change.after) local_queues_of_[std::string(cluster_queue_of(change.after))].insert(key);
  mark_cluster_queue(cluster_queue_of(change.object()));
  std::erase_if(local_queues_of_, [](const auto& entry) { return entry.second.empty(); });
}

void QueueStatusLoop::mark_cluster_queue(std::string_view name) {
  if (name.empty()) return;
  const Value queue = cache_.find(resources::cluster_queues, {"", std::string(name)});
  if (queue) loop_.mark(subject_of(resources::cluster_queues, queue));
}

void QueueStatusLoop::mark_flavor(std::string_view name) {
  const Value flavor = cache_.find(resources::resource_flavors, {"", std::string(name)});
  if (flavor) loop_.mark(subject_of(resources::resource_flavors, flavor));
}

void QueueStatusLoop::mark_all_cluster_queues() {
  for (const Value& queue : cache_.all(resources::cluster_queues)) {
    loop_.mark(subject_of(resources::cluster_queues, queue));
    const auto found = local_queues_of_.find(objects::name_of(queue));
    if (found == local_queues_of_.end()) continue;
    for (const ObjectKey& key : found->second) {
      loop_.mark(subject_of(resources::local_queues, cache_.find(resources::local_queues, key)));
    }
  }
}

Step QueueStatusLoop::look_at(const Subject& subject) {
  const Value object = cache_.find(subject.resource, subject.key);
  if (objects::uid_of(object) != subject.uid || object.is_absent()) {
    paces_.erase(subject);
    return {};
  }
  if (subject.resource == resources::resource_flavors) return look_at_flavor(object);
  if (subject.resource == resources::cluster_queues) return look_at_cluster_queue(subject, object);
  return look_at_local_queue(subject, object);
}

Step QueueStatusLoop::look_at_flavor(const Value& flavor) {
  const bool in_use = cluster_queues_of_.contains(objects::name_of(flavor));
  return {.edits = finalizer_edits(resources::resource_flavors, flavor, in_use)};
}

Step QueueStatusLoop::look_at_cluster_queue(const Subject& subject, const Value& queue) {
  const std::string_view name = objects::name_of(queue);
  QueueNumbers numbers = tally_.of_cluster_queue(name);
  auto edits = finalizer_edits(resources::cluster_queues, queue, numbers.reserving > 0);
  if (!edits.empty()) return {.edits = std::move(edits)};
  const auto locals = local_queues_of_.find(name);
  if (locals != local_queues_of_.end()) {
    for (const ObjectKey& key : locals->second) {
      numbers.pending += tally_.of_local_queue(key).pending;
    }
  }
  return write_status(subject, queue,
                      with_cluster_queue_status(queue, activity_of_cluster_queue(queue), numbers,
                                                house_.clock.wall()));
}

Step QueueStatusLoop::look_at_local_queue(const Subject& subject, const Value& queue) {
  const Value owner =
      cache_.find(resources::cluster_queues, {"", std::string(cluster_queue_of(queue))});
  const Activity activity = activity_of_cluster_queue(owner);
  return write_status(
      subject, queue,
      with_local_queue_status(queue, activity_of(queue, owner ? &activity : nullptr),
                              tally_.of_local_queue(subject.key), owner, house_.clock.wall()));
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
  pace = {.not_before = now + queue_status_span, .is_settling = false};
  return {.edits = {Edit::update_status(subject.resource, new_queue)}};
}

Activity QueueStatusLoop::activity_of_cluster_queue(View queue) const {
  Surroundings around;
  for (const std::string_view flavor : flavors_of(queue)) {
    if (cache_.find(resources::resource_flavors, {"", std::string(flavor)})) {
      around.flavors.emplace(flavor);
    }
  }
  for (const Value& check : cache_.all(resources::admission_checks)) {
    around.checks.emplace(objects::name_of(check));
    if (objects::is_true(objects::condition(check, "Active"))) {
      around.active_checks.emplace(objects::name_of(check));
    }
  }
  return activity_of(queue, around);
}

}  // namespace muster::control
