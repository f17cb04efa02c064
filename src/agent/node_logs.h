// NodeLogs: the logs of an agent's containers, as the API server asks for them.
//
//   NodeLogs logs(agent, disk, house, data + "/pods");
//   auto log = TRY(logs.open({.pod_uid = uid, .container = "main", .follow = true}));
//
// Assumes: the house thread; the agent, its runtime and the disk outlive it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/log_follower.h"
#include "agent/node_agent.h"
#include "agent/pretend_runtime.h"

namespace muster::agent {

struct LogWish {
  std::string pod_uid;
  std::string container;
  bool follow = false;
  bool previous = false;  // the run before the present one
  LogOptions options = {};
};

class NodeLogs {
 public:
  NodeLogs(const NodeAgent& agent, Disk& disk, client::House house, std::string pods_folder)
      : agent_(agent), disk_(disk), house_(house), pods_folder_(std::move(pods_folder)) {}

  // Of pretend pods, which have no files.
  NodeLogs(const NodeAgent& agent, Disk& disk, client::House house, const PretendRuntime& pretend)
      : agent_(agent), disk_(disk), house_(house), pretend_(&pretend) {}

  bool has(std::string_view pod_uid) const { return agent_.has(pod_uid); }

  // bad_request, in kubelet's words, while the container has not run.
  Result<std::unique_ptr<LogFollower>> open(const LogWish& wish) const;

 private:
  const NodeAgent& agent_;
  Disk& disk_;
  client::House house_;
  const std::string pods_folder_;
  const PretendRuntime* pretend_ = nullptr;
};

}  // namespace muster::agent
