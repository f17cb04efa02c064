// SPDX-License-Identifier: Apache-2.0
#include "control/apps_loops.h"

#include <array>
#include <utility>
#include <vector>

#include "core/lifecycle/run_deployment.h"
#include "core/lifecycle/run_endpoints.h"
#include "core/lifecycle/run_replica_set.h"
#include "core/lifecycle/run_stateful_set.h"
#include "core/words.h"
#include "objects/label_selector.h"
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
    resources::persistent_volume_claims,
};

Step step_of(core::ReplicaStep step) {
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

bool is_superseded(View object) {
  return !objects::annotations_of(object)[core::words::superseded].is_absent();
}

}  // namespace

AppsLoops::AppsLoops(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      replica_sets_(house, cache, writer, {resources::replica_sets, {resources::pods}},
                    [this](const Value& set) { return look_at_replica_set(set); }),
      deployments_(house, cache, writer, {resources::deployments, {resources::replica_sets}},
                   [this](const Value& deployment) { return look_at_deployment(deployment); }),
      stateful_sets_(house, cache, writer,
                     {resources::stateful_sets, {resources::pods, resources::controller_revisions}},
                     [this](const Value& set) { return look_at_stateful_set(set); }),
      services_(house, cache, writer, {resources::services, {resources::endpoint_slices}},
                [this](const Value& service) { return look_at_service(service); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

std::span<const objects::Resource> AppsLoops::resources() {
  return followed;
}

void AppsLoops::start() {
  replica_sets_.start();
  deployments_.start();
  stateful_sets_.start();
  services_.start();
}

void AppsLoops::stop() {
  replica_sets_.stop();
  deployments_.stop();
  stateful_sets_.stop();
  services_.stop();
}

bool AppsLoops::is_idle() const {
  return replica_sets_.is_idle() && deployments_.is_idle() && stateful_sets_.is_idle() &&
         services_.is_idle();
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
  }
}

void AppsLoops::on_pod(View pod) {
  const View labels = objects::labels_of(pod);
  for (const Value& service :
       cache_.in_namespace(resources::services, objects::namespace_of(pod))) {
    if (core::selects(service, labels)) services_.mark(service);
  }
  if (objects::controller_of(pod)) return;
  for (const Value& set :
       cache_.in_namespace(resources::replica_sets, objects::namespace_of(pod))) {
    const auto selector = objects::LabelSelector::of(set["spec"]["selector"]);
    if (selector && selector->matches(labels)) replica_sets_.mark(set);
  }
}

Step AppsLoops::look_at_replica_set(const Value& set) const {
  std::vector<Value> pods = cache_.owned_by(resources::pods, objects::uid_of(set));
  const auto selector = objects::LabelSelector::of(set["spec"]["selector"]);
  for (const Value& pod : cache_.in_namespace(resources::pods, objects::namespace_of(set))) {
    const bool is_orphan = !objects::controller_of(pod);
    if (is_orphan && selector && selector->matches(objects::labels_of(pod))) pods.push_back(pod);
  }
  return step_of(core::run_replica_set({.set = set, .pods = pods, .now = house_.clock.wall()}));
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
