// NodeGroups: the nodes of this machine, as `muster up --node …` declared them: those whose pods
// are processes here, and those that only pretend. Each group is one agent with one runtime.
//
//   const NodeGround ground = TRY(find_node_ground(data, settings));
//   auto nodes = TRY(NodeGroups::make({…, ground}));
//   nodes->start();                       // on the house thread
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/node_ranges.h"
#include "agent/pod_network.h"
#include "base/disk.h"
#include "base/log.h"
#include "base/os/poll_loop.h"
#include "base/os/sandbox.h"
#include "base/result.h"
#include "cli/settings.h"
#include "client/api.h"
#include "client/list_watch.h"
#include "server/pod_logs.h"
#include "server/pod_streams.h"
#include "server/usage.h"

namespace muster {

// What this machine permits its pods.
struct NodeGround {
  Isolation isolation = Isolation::none;
  // Of the pods that are processes here; none where all nodes pretend.
  std::optional<agent::PodNetwork> network = {};

  std::string gateway() const { return network ? network->gateway : std::string(); }
  // Where nothing runs that could be reached, the usual one.
  std::string services() const { return network ? network->services : "10.96.0.0/16"; }
  std::string cidr() const { return network ? network->cidr : "10.96.0.0/16"; }
};

// Finds it out, and makes the network. Blocks; before the loops run.
Result<NodeGround> find_node_ground(const std::string& data, const cli::Settings& settings);

struct NodeGroupsOptions {
  std::string data;
  const cli::Settings& settings;
  client::House house;
  client::Api& api;
  PollLoop& machine;
  PollLoop& traffic;  // passes on what is sent to Services
  Disk& disk;
  NodeGround ground;
  agent::KnownRanges known_ranges;  // of all nodes there were
  Log log;
};

class NodeGroups {
 public:
  // Blocks; before the loops run.
  static Result<std::unique_ptr<NodeGroups>> make(NodeGroupsOptions options);
  ~NodeGroups();

  void start();
  bool are_ready() const;

  // The addresses of its nodes' pods.
  const agent::KnownRanges& ranges() const;

  server::PodLogs& logs();
  server::PodStreams& streams();
  const server::UsageSource& usage() const;

  // On the house thread: nothing is heard of the nodes afterwards. Pods run on.
  void stop();

 private:
  struct Parts;
  explicit NodeGroups(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
