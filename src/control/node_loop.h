// NodeLoop: the life of nodes, where no kube-controller-manager is: a node whose agent is silent
// becomes unreachable, and its pods go (core/lifecycle/run_node.h). Embedded only. Pods of a node
// that is gone are looked at under the name of that node.
//
// Assumes: the house thread; made before the cache starts; started after it has synced. The cache
// follows the Leases of kube-node-lease.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "client/object_cache.h"
#include "control/key_loop.h"

namespace muster::control {

class NodeLoop {
 public:
  static constexpr std::string_view lease_namespace = "kube-node-lease";

  NodeLoop(client::House house, client::ObjectCache& cache, Writer& writer);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }
  bool is_idle() const { return loop_.is_idle(); }

 private:
  void on_change(const client::CacheChange& change);
  void on_pod(const client::CacheChange& change);
  void mark(std::string_view node);
  Step look_at(const Subject& node);
  Span silence_since(std::map<std::string, MonotonicInstant>& since, const std::string& node);

  client::House house_;
  client::ObjectCache& cache_;
  std::map<std::string, std::set<objects::ObjectKey>, std::less<>> pods_of_;  // by node
  std::map<std::string, MonotonicInstant> heard_;   // when the agent's Lease last changed
  std::map<std::string, MonotonicInstant> missed_;  // nodes that pods name and nobody has made
  KeyLoop loop_;
};

}  // namespace muster::control
