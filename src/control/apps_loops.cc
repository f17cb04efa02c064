// SPDX-License-Identifier: Apache-2.0
#include "control/apps_loops.h"

#include <array>
#include <utility>
#include <vector>

#include "core/lifecycle/daemon_pod.h"
#include "core/lifecycle/run_daemon_set.h"
#include "core/lifecycle/run_deployment.h"
#include "core/lifecycle/run_endpoints.h"
#include "core/lifecycle/run_replica_set.h"
#include "core/lifecycle/run_stateful_set.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::array followed = {
    resources::services,
    resources::endpoints,
    resources::endpoint_slices,
    resources::deployments,
    resources::replica_sets,
    resources::stateful_sets,
    resources::controller_revisions,
    core::daemon_sets,
    core::replication_controllers,
};

Step step_of(core::ReplicaStep step) {
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

bool is_superseded(View object) {
  return !objects::annotations_of(object)[core::words::superseded].is_absent();
}

// What decides which daemons a node has.
bool is_another_place(View before, View after) {
  return before.is_absent() || after.is_absent() ||
         !(objects::labels_of(before) == objects::labels_of(after)) ||
         !(before["spec"]["taints"] == after["spec"]["taints"]);
}

// The server's sentence about a pod that it does not want. Not what another write explains.
std::string_view why_no_pod(const WriteOutcome* refusal) {
  if (refusal == nullptr || !(refusal->resource == resources::pods)) return {};
  switch (refusal->refused->code) {
    case ErrorCode::conflict:
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
      return {};
    default:
      return refusal->refused->message;
  }
}

}  // namespace

AppsLoops::AppsLoops(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      replica_sets_(
          house, cache, writer, {resources::replica_sets, {resources::pods}},
          [this](const Value& set) { return look_at_replica_set(resources::replica_sets, set); }),
      replication_controllers_(house, cache, writer,
                               {core::replication_controllers, {resources::pods}},
                               [this](const Value& set) {
                                 return look_at_replica_set(core::replication_controllers, set);
                               }),
      deployments_(house, cache, writer, {resources::deployments, {resources::replica_sets}},
                   [this](const Value& deployment) { return look_at_deployment(deployment); }),
      stateful_sets_(house, cache, writer,
                     {resources::stateful_sets, {resources::pods, resources::controller_revisions}},
                     [this](const Value& set) { return look_at_stateful_set(set); }),
      daemon_sets_(house, cache, writer,
                   {core::daemon_sets, {resources::pods, resources::controller_revisions}},
                   [this](const Value& set) { return look_at_daemon_set(set); }),
      services_(house, cache, writer, {resources::services, {resources::endpoint_slices}},
                [this](const Value& service) { return look_at_service(service); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

std::span<const objects::Resource> AppsLoops::resources() {
  return followed;
}

void AppsLoops::start() {
  replica_sets_.start();
  replication_controllers_.start();
  deployments_.start();
  stateful_sets_.start();
  daemon_sets_.start();
  services_.start();
}

void AppsLoops::stop() {
  replica_sets_.stop();
  replication_controllers_.stop();
  deployments_.stop();
  stateful_sets_.stop();
  daemon_sets_.stop();
  services_.stop();
}

bool AppsLoops::is_idle() const {
  return replica_sets_.is_idle() && deployments_.is_idle() && stateful_sets_.is_idle() &&
         services_.is_idle() && daemon_sets_.is_idle() && replication_controllers_.is_idle();
}

// What is not owned and yet concerns somebody: pods that a Service selects or that nobody controls,
// and Endpoints, which have the name of their Service.
void AppsLoops::on_change(const client::CacheChange& change) {
  if (change.resource == resources::pods) {
    if (change.before) on_pod(change.before);
    if (change.after) on_pod(change.after);
  } else if (change.resource == resources::endpoints) {
    const Value service = cache_.find(resources::services, objects::key_of(change.object()));
    if (service) services_.mark(service);
  } else if (change.resource == resources::nodes) {
    if (!is_another_place(change.before, change.after)) return;
    for (const Value& set : cache_.all(core::daemon_sets)) daemon_sets_.mark(set);
  }
}

void AppsLoops::on_pod(View pod) {
  const View labels = objects::labels_of(pod);
  for (const Value& service :
       cache_.in_namespace(resources::services, objects::namespace_of(pod))) {
    if (core::selects(service, labels)) services_.mark(service);
  }
  if (objects::controller_of(pod)) return;
  on_orphan(pod, resources::replica_sets, replica_sets_);
  on_orphan(pod, core::replication_controllers, replication_controllers_);
}

void AppsLoops::on_orphan(View pod, const objects::Resource& resource, OwnerLoop& loop) {
  for (const Value& set : cache_.in_namespace(resource, objects::namespace_of(pod))) {
    const auto selector = core::selector_of(resource, set);
    if (selector && selector->matches(objects::labels_of(pod))) loop.mark(set);
  }
}

Step AppsLoops::look_at_replica_set(const objects::Resource& resource, const Value& set) const {
  std::vector<Value> pods = cache_.owned_by(resources::pods, objects::uid_of(set));
  const auto selector = core::selector_of(resource, set);
  for (const Value& pod : cache_.in_namespace(resources::pods, objects::namespace_of(set))) {
    const bool is_orphan = !objects::controller_of(pod);
    if (is_orphan && selector && selector->matches(objects::labels_of(pod))) pods.push_back(pod);
  }
  const OwnerLoop& loop =
      resource == resources::replica_sets ? replica_sets_ : replication_controllers_;
  return step_of(core::run_replica_set({.set = set,
                                        .pods = pods,
                                        .now = house_.clock.wall(),
                                        .resource = resource,
                                        .refusal = why_no_pod(loop.refusal_of(set))}));
}

Step AppsLoops::look_at_daemon_set(const Value& set) const {
  if (is_superseded(set)) return {};
  const std::string_view uid = objects::uid_of(set);
  return step_of(
      core::run_daemon_set({.set = set,
                            .nodes = cache_.all(resources::nodes),
                            .pods = cache_.owned_by(resources::pods, uid),
                            .revisions = cache_.owned_by(resources::controller_revisions, uid),
                            .now = house_.clock.wall()}));
}

Step AppsLoops::look_at_deployment(const Value& deployment) const {
  if (is_superseded(deployment)) return {};
  const auto sets = cache_.owned_by(resources::replica_sets, objects::uid_of(deployment));
  std::vector<Value> pods;
  for (const Value& set : sets) {
    for (Value& pod : cache_.owned_by(resources::pods, objects::uid_of(set))) {
      pods.push_back(std::move(pod));
    }
  }
  return step_of(core::run_deployment(
      {.deployment = deployment, .sets = sets, .pods = pods, .now = house_.clock.wall()}));
}

Step AppsLoops::look_at_stateful_set(const Value& set) const {
  const std::string_view uid = objects::uid_of(set);
  return step_of(
      core::run_stateful_set({.set = set,
                              .pods = cache_.owned_by(resources::pods, uid),
                              .claims = cache_.in_namespace(resources::persistent_volume_claims,
                                                            objects::namespace_of(set)),
                              .revisions = cache_.owned_by(resources::controller_revisions, uid),
                              .now = house_.clock.wall()}));
}

Step AppsLoops::look_at_service(const Value& service) const {
  if (service["spec"]["selector"].empty()) return {};
  return step_of(core::run_endpoints(
      {.service = service,
       .pods = cache_.in_namespace(resources::pods, objects::namespace_of(service)),
       .endpoints = cache_.find(resources::endpoints, objects::key_of(service)),
       .slices = cache_.owned_by(resources::endpoint_slices, objects::uid_of(service))}));
}

}  // namespace muster::control
