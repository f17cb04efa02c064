// SPDX-License-Identifier: Apache-2.0
#include "control/provisioning_loop.h"

#include <utility>
#include <vector>

#include "core/lifecycle/run_provisioning_request.h"
#include "core/queueing/provision.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Resource;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

// Whether a pod took room or gave it back.
bool changes_room(const client::CacheChange& change) {
  const auto place = [](View pod) {
    const std::string_view phase = pod["status"]["phase"].string_or("");
    const bool has_ended = phase == "Succeeded" || phase == "Failed";
    return has_ended ? std::string_view() : pod["spec"]["nodeName"].string_or("");
  };
  return place(change.before) != place(change.after);
}

bool has_checks(View workload) {
  return !workload["status"]["admissionChecks"].empty();
}

}  // namespace

ProvisioningLoop::ProvisioningLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                                   Provider provider)
    : house_(house),
      cache_(cache),
      provider_(provider),
      loop_(house, cache, writer, [this](const Subject& subject) { return look_at(subject); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void ProvisioningLoop::start() {
  started_ = true;
  mark_all(resources::admission_checks);
  mark_all(core::provisioning_requests);
  mark_workloads();
  loop_.start();
}

void ProvisioningLoop::on_change(const client::CacheChange& change) {
  if (!started_) return;
  if (change.resource == resources::workloads) {
    if (has_checks(change.object())) loop_.mark(subject_of(change.resource, change.object()));
  } else if (change.resource == core::provisioning_requests) {
    const View owner = objects::controller_of(change.object());
    if (objects::uid_of(change.object()) == booking_) {
      booking_.clear();
      mark_all(core::provisioning_requests);
    }
    const bool was_booked = change.before && core::is_booked(change.before);
    if (was_booked && !(change.after && core::is_booked(change.after))) {
      mark_all(core::provisioning_requests);  // what it held is free for the others
    }
    loop_.mark(subject_of(change.resource, change.object()));
    loop_.mark({resources::workloads,
                {std::string(objects::namespace_of(change.object())),
                 std::string(owner["name"].string_or(""))},
                std::string(owner["uid"].string_or(""))});
  } else if (change.resource == resources::admission_checks) {
    loop_.mark(subject_of(change.resource, change.object()));
    mark_workloads();
  } else if (change.resource == core::provisioning_request_configs) {
    mark_all(resources::admission_checks);
    mark_workloads();
  } else if (change.resource == resources::nodes || change.resource == core::pod_templates ||
             (change.resource == resources::pods && changes_room(change))) {
    mark_all(core::provisioning_requests);
  }
}

void ProvisioningLoop::mark_workloads() {
  for (const Value& each : cache_.all(resources::workloads)) {
    if (has_checks(each)) loop_.mark(subject_of(resources::workloads, each));
  }
}

void ProvisioningLoop::mark_all(const Resource& resource) {
  if (cache_.size(resource) == 0) return;
  for (const Value& each : cache_.all(resource)) loop_.mark(subject_of(resource, each));
}

Step ProvisioningLoop::look_at(const Subject& subject) {
  const Value object = cache_.find(subject.resource, subject.key);
  if (object.is_absent() || objects::uid_of(object) != subject.uid) return {};
  if (subject.resource == resources::workloads) return look_at_workload(object);
  if (subject.resource == core::provisioning_requests) return look_at_request(object);
  const auto configs = cache_.all(core::provisioning_request_configs);
  return {.edits = core::judge_provisioning_check(object, configs, house_.clock.wall())};
}

Step ProvisioningLoop::look_at_workload(const Value& workload) {
  const auto requests = cache_.owned_by(core::provisioning_requests, objects::uid_of(workload));
  auto templates = cache_.owned_by(core::pod_templates, objects::uid_of(workload));
  for (const Value& request : requests) {
    for (Value& each : cache_.owned_by(core::pod_templates, objects::uid_of(request))) {
      templates.push_back(std::move(each));
    }
  }
  const auto checks = cache_.all(resources::admission_checks);
  const auto configs = cache_.all(core::provisioning_request_configs);
  const auto flavors = cache_.all(resources::resource_flavors);
  return {.edits = core::provision({.workload = workload,
                                    .requests = requests,
                                    .templates = templates,
                                    .checks = checks,
                                    .configs = configs,
                                    .flavors = flavors,
                                    .now = house_.clock.wall()})};
}

Step ProvisioningLoop::look_at_request(const Value& request) {
  if (provider_ == Provider::none) return {};
  // One at a time: who is given capacity must be seen to have it before the next one asks.
  const bool was_booking = booking_ == objects::uid_of(request);
  if (!booking_.empty() && !was_booking) return {};
  booking_.clear();
  const auto templates = cache_.all(core::pod_templates);
  const auto others = cache_.all(core::provisioning_requests);
  const auto nodes = cache_.all(resources::nodes);
  const auto pods = cache_.all(resources::pods);
  core::RequestStep step = core::run_provisioning_request({.request = request,
                                                           .templates = templates,
                                                           .others = others,
                                                           .nodes = nodes,
                                                           .pods = pods,
                                                           .now = house_.clock.wall()});
  for (const core::Edit& edit : step.edits) {
    if (core::is_booked(edit.object)) booking_ = objects::uid_of(request);
  }
  if (was_booking && booking_.empty()) mark_all(core::provisioning_requests);
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

}  // namespace muster::control
