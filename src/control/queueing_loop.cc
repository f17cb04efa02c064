// SPDX-License-Identifier: Apache-2.0
#include "control/queueing_loop.h"

#include <string>
#include <utility>
#include <vector>

#include "core/queueing/app.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/reconcile_pods.h"
#include "core/queueing/reconcile_stateful_set.h"
#include "core/queueing/reconcile_workload.h"
#include "core/queueing/shape.h"
#include "core/queueing/validate_workload.h"
#include "core/queueing/workload_checks.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Resource;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

// A status is no news for a job.
bool is_other(const client::CacheChange& change) {
  return change.before.is_absent() || change.after.is_absent() ||
         objects::generation_of(change.before) != objects::generation_of(change.after);
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_queued_kind(const Resource& resource) {
  return core::find_shape(resource) != nullptr || core::find_app(resource) != nullptr;
}

}  // namespace

QueueingLoop::QueueingLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                           LiveConfiguration& configuration)
    : house_(house),
      cache_(cache),
      configuration_(configuration),
      loop_(house, cache, writer, [this](const Subject& job) { return look_at(job); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
  configuration.when_changed([this] { mark_all_jobs(); });
}

void QueueingLoop::on_change(const client::CacheChange& change) {
  if (core::find_shape(change.resource) != nullptr) {
    const Subject job = subject_of(change.resource, change.object());
    note_prebuilt(job, change.before, change.after);
    loop_.mark(job);
  } else if (core::find_app(change.resource) != nullptr) {
    on_app(change);
  } else if (change.resource == resources::pods) {
    const auto pod = PodGroups::subject_for(change.object());
    if (pod && !PodGroups::is_group(*pod)) note_prebuilt(*pod, change.before, change.after);
    for (const Subject& subject : pod_groups_.apply(change)) loop_.mark(subject);
    // A pod of an elastic job may wait for its gate to go, or have left room for one that does; one
    // of a StatefulSet joins its group.
    const View annotations = objects::annotations_of(change.object());
    if (annotations[core::words::slice_name] || annotations[core::words::suspending_parent]) {
      mark_controller(change.object());
    }
  } else if (change.resource == resources::workloads) {
    if (change.before) mark_owner(change.before);
    if (change.after) mark_owner(change.after);
    mark_prebuilt(change.object());
  } else if (change.resource == resources::resource_flavors ||
             change.resource == resources::workload_priority_classes ||
             change.resource == resources::priority_classes) {
    if (is_other(change)) mark_all_jobs();
  } else if (change.resource == resources::namespaces && change.before && change.after &&
             !(objects::labels_of(change.before) == objects::labels_of(change.after))) {
    mark_jobs_in(objects::name_of(change.after));
  }
}

void QueueingLoop::on_app(const client::CacheChange& change) {
  loop_.mark(subject_of(change.resource, change.object()));
  if (!change.after.is_absent() || change.resource != core::stateful_set_app.resource) return;
  // Nobody keeps its Workload any longer.
  loop_.mark(PodGroups::group_of_workload(objects::namespace_of(change.before),
                                          core::workload_name(change.resource, change.before)));
}

void QueueingLoop::mark_owner(View workload) {
  for (const Subject& subject : PodGroups::subjects_of(workload)) loop_.mark(subject);
  for (const View owner : workload["metadata"]["ownerReferences"].elements()) {
    mark_job(owner, objects::namespace_of(workload));
  }
}

void QueueingLoop::mark_controller(View object) {
  mark_job(objects::controller_of(object), objects::namespace_of(object));
}

void QueueingLoop::mark_job(View owner, std::string_view name_space) {
  const Resource* resource = objects::find_resource(group_of(owner["apiVersion"].string_or("")),
                                                    owner["kind"].string_or(""));
  if (resource == nullptr || !is_queued_kind(*resource)) return;
  loop_.mark({*resource,
              {std::string(name_space), std::string(owner["name"].string_or(""))},
              std::string(owner["uid"].string_or(""))});
}

void QueueingLoop::note_prebuilt(const Subject& job, View before, View after) {
  const auto key_of = [&](View of) {
    return objects::ObjectKey{job.key.name_space, std::string(core::prebuilt_workload_of(of))};
  };
  if (before && !key_of(before).name.empty()) {
    const auto jobs = prebuilt_.find(key_of(before));
    if (jobs != prebuilt_.end()) {
      jobs->second.erase(job);
      if (jobs->second.empty()) prebuilt_.erase(jobs);
    }
  }
  if (after && !key_of(after).name.empty()) prebuilt_[key_of(after)].insert(job);
}

void QueueingLoop::mark_prebuilt(View workload) {
  const auto jobs = prebuilt_.find(objects::key_of(workload));
  if (jobs == prebuilt_.end()) return;
  for (const Subject& job : jobs->second) loop_.mark(job);
}

// One that is being deleted takes nothing over any more.
void QueueingLoop::add_prebuilt(View job, std::vector<Value>& workloads) const {
  const std::string_view name = core::prebuilt_workload_of(job);
  if (name.empty() || objects::is_being_deleted(job)) return;
  for (const Value& each : workloads) {
    if (objects::name_of(each) == name) return;
  }
  Value found = cache_.find(resources::workloads,
                            {std::string(objects::namespace_of(job)), std::string(name)});
  if (found) workloads.push_back(std::move(found));
}

void QueueingLoop::mark_all_jobs() {
  for (const Resource& resource : objects::known_resources()) {
    if (!is_queued_kind(resource)) continue;
    for (const Value& job : cache_.all(resource)) loop_.mark(subject_of(resource, job));
  }
  for (const Value& pod : cache_.all(resources::pods)) {
    if (const auto subject = PodGroups::subject_for(pod)) loop_.mark(*subject);
  }
}

void QueueingLoop::mark_jobs_in(std::string_view name_space) {
  for (const Resource& resource : objects::known_resources()) {
    if (!is_queued_kind(resource)) continue;
    for (const Value& job : cache_.in_namespace(resource, name_space)) {
      loop_.mark(subject_of(resource, job));
    }
  }
  for (const Value& pod : cache_.in_namespace(resources::pods, name_space)) {
    if (const auto subject = PodGroups::subject_for(pod)) loop_.mark(*subject);
  }
}

// Pods of a Deployment are looked at as pods; it is told where it is left out.
Step QueueingLoop::look_at_deployment(const Value& deployment) const {
  const Value name_space =
      cache_.find(resources::namespaces, {"", std::string(objects::namespace_of(deployment))});
  Step step;
  if (auto told = core::tell_unmanaged(core::deployment_app, deployment,
                                       configuration_.current().jobs, name_space)) {
    step.edits.push_back(*std::move(told));
  }
  return step;
}

Step QueueingLoop::look_at_stateful_set(const Value& set) const {
  const std::string name_space(objects::namespace_of(set));
  const auto workload_classes = cache_.all(resources::workload_priority_classes);
  const auto classes = cache_.all(resources::priority_classes);
  const core::Configuration& configuration = configuration_.current();
  const auto pods = cache_.owned_by(resources::pods, objects::uid_of(set));
  auto step = core::reconcile_stateful_set(
      {.workload =
           cache_.find(resources::workloads,
                       {name_space, core::workload_name(core::stateful_set_app.resource, set)}),
       .pods = pods,
       .rest = {.job = set,
                .workloads = {},
                .flavors = {},
                .workload_priority_classes = workload_classes,
                .priority_classes = classes,
                .scope = &configuration.jobs,
                .name_space = cache_.find(resources::namespaces, {"", name_space}),
                .words = core::words_of(configuration.gates),
                .gates = &configuration.gates,
                .now = house_.clock.wall()}});
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

Step QueueingLoop::look_at_app(const Subject& subject) const {
  const Value object = cache_.find(subject.resource, subject.key);
  if (object.is_absent() || objects::uid_of(object) != subject.uid) return {};
  return subject.resource == core::stateful_set_app.resource ? look_at_stateful_set(object)
                                                             : look_at_deployment(object);
}

// Somebody who makes other pods in place of those that go.
bool QueueingLoop::has_app(View workload) const {
  for (const View owner : workload["metadata"]["ownerReferences"].elements()) {
    const Resource* resource = objects::find_resource(group_of(owner["apiVersion"].string_or("")),
                                                      owner["kind"].string_or(""));
    if (resource == nullptr || core::find_app(*resource) == nullptr) continue;
    const Value app = cache_.find(*resource, {std::string(objects::namespace_of(workload)),
                                              std::string(owner["name"].string_or(""))});
    if (app && objects::uid_of(app) == owner["uid"].string_or("")) return true;
  }
  return false;
}

Step QueueingLoop::look_at(const Subject& subject) {
  if (core::find_app(subject.resource) != nullptr) return look_at_app(subject);
  const bool is_pods = subject.resource == resources::pods;
  std::vector<Value> pods;
  Value job;
  if (is_pods) {
    pods = pod_groups_.pods_of(subject, cache_);
  } else {
    job = cache_.find(subject.resource, subject.key);
    if (objects::uid_of(job) != subject.uid) job = {};
  }
  auto workloads = is_pods ? PodGroups::workloads_of(subject, cache_)
                           : cache_.owned_by(resources::workloads, subject.uid);
  if (!is_pods) {
    add_prebuilt(job, workloads);
  } else if (!PodGroups::is_group(subject) && !pods.empty()) {
    add_prebuilt(pods[0], workloads);
  }
  if (job.is_absent() && pods.empty() && workloads.empty()) return {};
  const Value name_space = cache_.find(resources::namespaces, {"", subject.key.name_space});
  const auto flavors = cache_.all(resources::resource_flavors);
  const auto workload_classes = cache_.all(resources::workload_priority_classes);
  const auto classes = cache_.all(resources::priority_classes);
  const core::FeatureGates& gates = configuration_.current().gates;
  if (!is_pods && core::is_elastic(job, gates)) {
    pods = cache_.owned_by(resources::pods, subject.uid);
  }
  const core::Reconciled given{.job = job,
                               .workloads = workloads,
                               .flavors = flavors,
                               .workload_priority_classes = workload_classes,
                               .priority_classes = classes,
                               .scope = &configuration_.current().jobs,
                               .name_space = name_space,
                               .words = core::words_of(gates),
                               .gates = &gates,
                               .pods = pods,
                               .now = house_.clock.wall()};
  if (!is_pods) {
    return {.edits = core::reconcile_workload(*core::find_shape(subject.resource), given)};
  }
  const std::string group = PodGroups::is_group(subject) ? subject.key.name : std::string();
  const bool is_kept = !group.empty() && !workloads.empty() && has_app(workloads[0]);
  return {.edits = core::reconcile_pods(
              {.group = group, .pods = pods, .is_kept = is_kept, .rest = given}),
          .look_again = core::next_given_up(pods, given.now)};
}

}  // namespace muster::control
