// SPDX-License-Identifier: Apache-2.0
#include "control/node_loop.h"

#include <utility>
#include <vector>

#include "core/lifecycle/run_node.h"
#include "objects/metadata.h"

namespace muster::control {

using objects::ObjectKey;
using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

std::string_view node_of(View pod) {
  return pod["spec"]["nodeName"].string_or("");
}

}  // namespace

NodeLoop::NodeLoop(client::House house, client::ObjectCache& cache, Writer& writer)
    : house_(house),
      cache_(cache),
      loop_(house, cache, writer, [this](const Subject& node) { return look_at(node); }) {
  cache.subscribe([this](const client::CacheChange& change) { on_change(change); });
}

void NodeLoop::on_change(const client::CacheChange& change) {
  if (change.resource == resources::nodes) {
    const std::string name(objects::name_of(change.object()));
    missed_.erase(name);
    if (!change.after) missed_[name] = house_.clock.monotonic() - core::node_silence_max;
    mark(name);
  } else if (change.resource == resources::leases) {
    if (objects::namespace_of(change.object()) == lease_namespace) {
      const std::string_view node = objects::name_of(change.object());
      if (change.after) heard_[std::string(node)] = house_.clock.monotonic();
      mark(node);
    }
  } else if (change.resource == resources::pods) {
    on_pod(change);
  }
}

void NodeLoop::on_pod(const client::CacheChange& change) {
  const ObjectKey key = objects::key_of(change.object());
  const std::string before(node_of(change.before));
  const std::string after(node_of(change.after));
  if (before != after && !before.empty()) {
    const auto found = pods_of_.find(before);
    if (found != pods_of_.end()) found->second.erase(key);
    if (found != pods_of_.end() && found->second.empty()) pods_of_.erase(found);
  }
  if (after.empty()) return;
  pods_of_[after].insert(key);
  // Of a node that is well and expels nobody its pods are no news.
  const Value node = cache_.find(resources::nodes, {"", after});
  if (!objects::is_true(objects::condition(node, "Ready")) || !node["spec"]["taints"].empty()) {
    mark(after);
  }
}

void NodeLoop::mark(std::string_view node) {
  loop_.mark({resources::nodes, {"", std::string(node)}, {}});
}

Step NodeLoop::look_at(const Subject& subject) {
  const Value node = cache_.find(resources::nodes, subject.key);
  std::vector<Value> pods;
  const auto found = pods_of_.find(subject.key.name);
  if (found != pods_of_.end()) {
    for (const ObjectKey& key : found->second) pods.push_back(cache_.find(resources::pods, key));
  }
  if (node.is_absent()) heard_.erase(subject.key.name);
  if (node.is_absent() && pods.empty()) {
    missed_.erase(subject.key.name);
    return {};
  }
  auto& since = node.is_absent() ? missed_ : heard_;
  core::NodeStep step = core::run_node({.node = node,
                                        .silence = silence_since(since, subject.key.name),
                                        .pods = pods,
                                        .now = house_.clock.wall()});
  return {.edits = std::move(step.edits), .look_again = step.look_again};
}

// A node that was never heard of is silent, or missed, from the moment it is looked at first.
Span NodeLoop::silence_since(std::map<std::string, MonotonicInstant>& since,
                             const std::string& node) {
  const MonotonicInstant now = house_.clock.monotonic();
  return now - since.try_emplace(node, now).first->second;
}

}  // namespace muster::control
