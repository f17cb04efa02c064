// NodeAgent: the node's side of the API, for one machine that may pose as several nodes. It keeps
// their Node objects and Leases alive, runs the pods that are bound to them, and tells what becomes
// of them. Everything it knows comes from the API and the runtime: a new agent on the same two
// goes on where the old one died.
//
//   PretendRuntime runtime(machine, clock);
//   NoVolumeFiles files(house);
//   NodeAgent agent({.nodes = {n1, n2}}, api, {house, clock, random}, runtime, files);
//   agent.follow([&](const client::CacheChange& change) { zone.apply(change); });
//   agent.start();
//
//   start() ─► adopt what runs ─┐
//           └► list the pods ───┴─► open: forget what has no pod, a PodWorker for every other
//
// Assumes: the house thread. It follows the pods of all nodes, because a gang spans nodes. The
// runtime is its own: no second agent listens to it. Destroy it before the runtime and the Api.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/claim_keeper.h"
#include "agent/gang.h"
#include "agent/node_heartbeat.h"
#include "agent/pod_worker.h"
#include "client/object_cache.h"

namespace muster::agent {

struct NodeAgentOptions {
  std::vector<NodeOptions> nodes;
  MachineFacts machine = {};
  PodDefaults pods = {};
  std::string runtime_name = "pretend";  // the scheme of container ids
  Images* images = nullptr;              // null: every image is this machine's own
  std::string claims_folder = {};        // it keeps the platform's claims, whose folders lie here
};

// A container that is a process of this machine.
struct RunningContainer {
  std::string pod_uid;
  std::string node;
  std::string container;
  std::int64_t process_id = 0;
};

class NodeAgent {
 public:
  NodeAgent(NodeAgentOptions options, client::Api& api, client::House house, PodRuntime& runtime,
            VolumeFiles& files);
  ~NodeAgent();
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;

  // Before start(): hears every change of pods, services and config maps, and of
  // secrets and endpoint slices where volumes are read.
  void follow(client::ObjectCache::Listener listener);

  void start();

  // Every node is registered, and what ran before is adopted.
  bool is_ready() const;

  // Pods that this agent answers for.
  std::size_t pods() const { return workers_.size(); }

  bool has(std::string_view pod_uid) const { return workers_.contains(pod_uid); }
  std::string pod_name(std::string_view pod_uid) const;

  std::vector<RunningContainer> running() const;  // in the order of uids
  std::vector<std::string> node_names() const;

  // As the runtime last told of it; null for what is not known.
  const ContainerState* container(std::string_view pod_uid, std::string_view name) const;

 private:
  void adopt();
  void open_when_ready();
  void on_change(const client::CacheChange& change);
  void on_pod(const objects::Value& before, const objects::Value& after);
  void on_reference(const objects::Resource& resource, objects::View object);
  void take(const objects::Value& pod);
  void let_go(const objects::Value& pod);
  void on_state(const PodState& state);

  PodDesk::Nodes nodes_;
  client::House house_;
  PodRuntime& runtime_;
  client::ObjectCache cache_;
  GangIndex gangs_;
  PodDesk desk_;
  std::vector<std::unique_ptr<NodeHeartbeat>> heartbeats_;
  std::unique_ptr<ClaimKeeper> claims_;  // where it keeps them

  bool is_adopted_ = false;
  bool is_open_ = false;
  std::map<std::string, PodState, std::less<>> found_;  // by the runtime, until open
  std::map<std::string, std::unique_ptr<PodWorker>, std::less<>> workers_;  // by uid
  std::set<std::string, std::less<>> gone_;                                 // uids
  std::deque<std::string> gone_in_order_;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
