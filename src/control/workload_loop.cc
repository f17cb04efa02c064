// SPDX-License-Identifier: Apache-2.0
#include "control/workload_loop.h"

#include <map>
#include <string>
#include <utility>

#include "core/queueing/run_workload.h"
#include "core/queueing/workload_nodes.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::Resource;
using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

// What a queue says about itself is no news for a Workload.
bool is_other(const client::CacheChange& change) {
  return change.before.is_absent() || change.after.is_absent() ||
         objects::generation_of(change.before) != objects::generation_of(change.after) ||
         objects::is_being_deleted(change.before) != objects::is_being_deleted(change.after);
}

std::string cluster_queue_of(View workload, View local_queue) {
  const auto admitted = workload["status"]["admission"]["clusterQueue"].string();
  return std::string(admitted ? *admitted : local_queue["spec"]["clusterQueue"].string_or(""));
}

}  // namespace

WorkloadLoop::WorkloadLoop(client::House house, client::ObjectCache& cache, Writer& writer,
                           LiveConfiguration& configuration)
    : house_(house),
      cache_(cache),
      configuration_(configuration),
      loop_(house, cache, writer, [this](const Subject& workload) { return look_at(workload); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
  configuration.when_changed([this] { mark_all(); });
}

void WorkloadLoop::start() {
  started_ = true;
  loop_.start();
}

void WorkloadLoop::on_change(const client::CacheChange& change) {
  if (change.resource == resources::workloads) {
    if (change.after) loop_.mark(subject_of(change.resource, change.after));
    return;
  }
  // Until the start every Workload stands in line anyway.
  if (!started_) return;
  if (change.resource == resources::nodes) {
    if (change.before.is_absent() || change.after.is_absent()) mark_placed();
    return;
  }
  if (!is_other(change)) return;
  if (change.resource == resources::local_queues) {
    mark_of_local_queue(change.object());
  } else if (change.resource == resources::cluster_queues) {
    mark_of_cluster_queue(objects::name_of(change.object()));
  }
}

void WorkloadLoop::mark_all() {
  if (!started_) return;
  for (const Value& each : cache_.all(resources::workloads)) {
    loop_.mark(subject_of(resources::workloads, each));
  }
}

// A node came or went. One that is silent keeps its pods for minutes: there the scheduler stops
// the gang whole, which is sooner elsewhere.
void WorkloadLoop::mark_placed() {
  for (const Value& each : cache_.all(resources::workloads)) {
    if (!each["status"]["admission"]) continue;
    loop_.mark(subject_of(resources::workloads, each));
  }
}

std::set<std::string> WorkloadLoop::failed_nodes_of(const Value& workload) const {
  std::set<std::string> failed;
  if (!workload["status"]["admission"]) return failed;
  const auto flavors = cache_.all(resources::resource_flavors);
  for (const std::string& name : core::topology_nodes(workload, flavors)) {
    if (cache_.find(resources::nodes, {"", name}).is_absent()) failed.insert(name);
  }
  if (failed.empty()) return failed;
  // A node whose pods are all done is missed by nobody.
  std::map<std::string, bool> is_done;
  for (const Value& pod :
       cache_.owned_by(resources::pods, objects::controller_of(workload)["uid"].string_or(""))) {
    const bool is_over = pod["status"]["phase"].string_or("") == "Succeeded";
    const std::string node(pod["spec"]["nodeName"].string_or(""));
    const auto [place, is_new] = is_done.try_emplace(node, is_over);
    if (!is_new) place->second = place->second && is_over;
  }
  std::erase_if(failed, [&](const std::string& name) {
    const auto found = is_done.find(name);
    return found != is_done.end() && found->second;
  });
  return failed;
}

void WorkloadLoop::mark_of_local_queue(View queue) {
  const std::string_view name = objects::name_of(queue);
  for (const Value& each :
       cache_.in_namespace(resources::workloads, objects::namespace_of(queue))) {
    if (each["spec"]["queueName"].string_or("") != name) continue;
    loop_.mark(subject_of(resources::workloads, each));
  }
}

void WorkloadLoop::mark_of_cluster_queue(std::string_view name) {
  for (const Value& queue : cache_.all(resources::local_queues)) {
    if (queue["spec"]["clusterQueue"].string_or("") == name) mark_of_local_queue(queue);
  }
}

Step WorkloadLoop::look_at(const Subject& subject) {
  const Value workload = cache_.find(subject.resource, subject.key);
  if (workload.is_absent() || objects::uid_of(workload) != subject.uid) return {};
  core::ObservedWorkload observed{
      .workload = workload, .configuration = configuration_.current(), .now = house_.clock.wall()};
  observed.local_queue = cache_.find(
      resources::local_queues,
      {subject.key.name_space, std::string(workload["spec"]["queueName"].string_or(""))});
  const std::string cluster_queue = cluster_queue_of(workload, observed.local_queue);
  observed.cluster_queue = cache_.find(resources::cluster_queues, {"", cluster_queue});
  const View owner = objects::controller_of(workload);
  const std::string_view version = owner["apiVersion"].string_or("");
  const std::size_t slash = version.find('/');
  const Resource* resource = objects::find_resource(
      slash == std::string_view::npos ? "" : version.substr(0, slash), owner["kind"].string_or(""));
  if (resource != nullptr) {
    observed.job_resource = *resource;
    observed.job =
        cache_.find(*resource, {subject.key.name_space, std::string(owner["name"].string_or(""))});
    if (objects::uid_of(observed.job) != owner["uid"].string_or("")) observed.job = {};
  }
  observed.failed_nodes = failed_nodes_of(workload);
  core::WorkloadStep step = core::run_workload(observed);
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

}  // namespace muster::control
