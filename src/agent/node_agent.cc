// SPDX-License-Identifier: Apache-2.0
#include "agent/node_agent.h"

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;
namespace resources = objects::resources;

constexpr Span adopt_retry_span = Span::of_seconds(1);

// Secrets and endpoints only where pods are processes, which read and reach them.
std::vector<client::Selection> followed(const VolumeFiles& files, bool keeps_claims) {
  std::vector<client::Selection> all = {{.resource = resources::pods},
                                        {.resource = resources::services},
                                        {.resource = resources::config_maps},
                                        {.resource = claim_resource},
                                        {.resource = volume_resource}};
  if (files.are_read()) {
    all.push_back({.resource = secret_resource});
    all.push_back({.resource = resources::endpoint_slices});
  }
  if (keeps_claims) {
    all.push_back({.resource = class_resource});
    all.push_back({.resource = resources::nodes});
  }
  return all;
}

}  // namespace

NodeAgent::NodeAgent(NodeAgentOptions options, client::Api& api, client::House house,
                     PodRuntime& runtime, VolumeFiles& files)
    : house_(house),
      runtime_(runtime),
      cache_(api, house, followed(files, !options.claims_folder.empty())),
      desk_{.api = api,
            .house = house,
            .runtime = runtime,
            .files = files,
            .cache = cache_,
            .gangs = gangs_,
            .events = PodEvents(api, house),
            .defaults = std::move(options.pods),
            .runtime_name = std::move(options.runtime_name),
            .nodes = nodes_,
            .images = options.images} {
  for (NodeOptions& node : options.nodes) {
    heartbeats_.push_back(std::make_unique<NodeHeartbeat>(node, options.machine, api, house));
    heartbeats_.back()->show(options.images);
    nodes_.emplace(node.name, std::move(node));
  }
  if (!options.claims_folder.empty()) {
    claims_ = std::make_unique<ClaimKeeper>(
        api, house, cache_, std::move(options.claims_folder),
        [&files](std::string folder) { files.discard(std::move(folder)); });
  }
  cache_.subscribe([this](const client::CacheChange& change) { on_change(change); });
  cache_.when_synced([this] {
    open_when_ready();
    if (claims_) claims_->look();
  });
}

NodeAgent::~NodeAgent() {
  runtime_.set_listener({});
}

void NodeAgent::follow(client::ObjectCache::Listener listener) {
  cache_.subscribe(std::move(listener));
}

void NodeAgent::start() {
  runtime_.set_listener([this](const PodState& state) { on_state(state); });
  adopt();
  cache_.start();
  for (const auto& heartbeat : heartbeats_) heartbeat->start();
}

bool NodeAgent::is_ready() const {
  return is_open_ && std::all_of(heartbeats_.begin(), heartbeats_.end(),
                                 [](const auto& each) { return each->is_registered(); });
}

std::string NodeAgent::pod_name(std::string_view pod_uid) const {
  const auto at = workers_.find(pod_uid);
  return at == workers_.end() ? "" : std::string(objects::name_of(at->second->pod()));
}

std::vector<RunningContainer> NodeAgent::running() const {
  std::vector<RunningContainer> all;
  for (const auto& [uid, worker] : workers_) {
    if (!worker->state()) continue;
    for (const ContainerState& each : worker->state()->containers) {
      if (each.phase != ContainerState::Phase::running || each.process_id == 0) continue;
      all.push_back({.pod_uid = uid,
                     .node = std::string(worker->pod()["spec"]["nodeName"].string_or("")),
                     .container = each.name,
                     .process_id = each.process_id});
    }
  }
  return all;
}

std::vector<std::string> NodeAgent::node_names() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes_) names.push_back(name);
  return names;
}

const ContainerState* NodeAgent::container(std::string_view pod_uid, std::string_view name) const {
  const auto at = workers_.find(pod_uid);
  if (at == workers_.end() || !at->second->state()) return nullptr;
  for (const ContainerState& each : at->second->state()->containers) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

void NodeAgent::adopt() {
  runtime_.adopt(lifeline_.guard([this](Result<std::vector<PodState>> found) {
    if (!found) {
      house_.executor.post_at(house_.clock.monotonic() + adopt_retry_span,
                              lifeline_.guard([this] { adopt(); }));
      return;
    }
    for (PodState& state : *found) found_.insert_or_assign(state.uid, std::move(state));
    is_adopted_ = true;
    open_when_ready();
  }));
}

// Nothing is started before it is known what runs, and nothing is removed before it is known what
// should.
void NodeAgent::open_when_ready() {
  if (is_open_ || !is_adopted_ || !cache_.has_synced()) return;
  is_open_ = true;
  for (const Value& pod : cache_.all(resources::pods)) take(pod);
  for (const auto& [uid, state] : found_) {
    if (!workers_.contains(uid)) runtime_.remove(uid);
  }
  found_.clear();
  for (const auto& [uid, worker] : workers_) worker->look_again();
}

void NodeAgent::on_change(const client::CacheChange& change) {
  if (claims_) claims_->on_change(change);
  if (change.resource == resources::pods) on_pod(change.before, change.after);
  const bool is_reference =
      change.resource == resources::config_maps || change.resource == secret_resource;
  if (is_reference && is_open_) on_reference(change.resource, change.object());
  const bool is_claim = change.resource == claim_resource || change.resource == volume_resource;
  if (!is_claim || !is_open_) return;
  for (const auto& [uid, worker] : workers_) {
    if (worker->is_held()) worker->look_again();
  }
}

void NodeAgent::on_pod(const Value& before, const Value& after) {
  const bool completes_gang = gangs_.apply(before, after);
  if (!is_open_) return;
  if (after.is_absent()) return let_go(before);
  const auto at = workers_.find(objects::uid_of(after));
  if (at != workers_.end()) {
    at->second->on_object(after);
  } else {
    take(after);
    const auto taken = workers_.find(objects::uid_of(after));
    if (taken != workers_.end()) taken->second->look_again();
  }
  if (!completes_gang) return;
  for (const objects::ObjectKey& key : gangs_.members_of(after)) {
    const Value member = cache_.find(resources::pods, key);
    const auto worker = workers_.find(objects::uid_of(member));
    if (worker != workers_.end() && worker->second->is_held()) worker->second->look_again();
  }
}

void NodeAgent::on_reference(const objects::Resource& resource, View object) {
  for (const Value& pod : cache_.in_namespace(resources::pods, objects::namespace_of(object))) {
    const auto worker = workers_.find(objects::uid_of(pod));
    if (worker != workers_.end()) worker->second->on_reference(resource, objects::name_of(object));
  }
}

void NodeAgent::take(const Value& pod) {
  const auto node = nodes_.find(pod["spec"]["nodeName"].string_or(""));
  const std::string uid(objects::uid_of(pod));
  if (node == nodes_.end() || gone_.contains(uid)) return;
  auto worker = std::make_unique<PodWorker>(desk_, node->second, pod);
  const auto found = found_.find(uid);
  if (found != found_.end()) worker->adopt(found->second);
  workers_.emplace(uid, std::move(worker));
}

void NodeAgent::let_go(const Value& pod) {
  const auto at = workers_.find(objects::uid_of(pod));
  if (at == workers_.end()) return;
  at->second->on_gone();
  gone_.insert(at->first);
  gone_in_order_.push_back(at->first);
  if (gone_in_order_.size() > gone_pods_max) {
    gone_.erase(gone_in_order_.front());
    gone_in_order_.pop_front();
  }
  workers_.erase(at);
}

void NodeAgent::on_state(const PodState& state) {
  if (!is_open_) {
    found_.insert_or_assign(state.uid, state);
    return;
  }
  const auto at = workers_.find(state.uid);
  if (at != workers_.end()) at->second->on_state(state);
}

}  // namespace muster::agent
