// NodeStreams: commands in the containers of an agent, and connections to their ports, as the API
// server asks for them.
//
//   NodeStreams streams(agent, house, machine, data + "/pods");
//   auto command = TRY(streams.exec({.pod_uid = uid, .container = "main", .command = {"date"}}));
//
// Assumes: the house thread; the agent and the machine's loop outlive every stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/container_stream.h"
#include "agent/node_agent.h"
#include "base/os/poll_loop.h"

namespace muster::agent {

struct ExecWish {
  std::string pod_uid;
  std::string container;
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;
};

class NodeStreams {
 public:
  // Without a machine its pods are pretended, and there is nothing to enter.
  NodeStreams(const NodeAgent& agent, Executor& house, PollLoop* machine, std::string pods_folder)
      : agent_(agent), house_(house), machine_(machine), pods_folder_(std::move(pods_folder)) {}

  bool has(std::string_view pod_uid) const { return agent_.has(pod_uid); }

  Result<std::unique_ptr<ContainerStream>> exec(const ExecWish& wish) const;

  // What the container prints from now on; what is written goes to its standard input, if it has
  // one.
  Result<std::unique_ptr<ContainerStream>> attach(const std::string& pod_uid,
                                                  const std::string& container) const;

  // `address` is the pod's.
  Result<std::unique_ptr<ContainerStream>> connect(const std::string& pod_uid,
                                                   const std::string& container,
                                                   const std::string& address,
                                                   std::uint16_t port) const;

 private:
  Result<std::int64_t> process_of(const std::string& pod_uid, const std::string& container) const;

  const NodeAgent& agent_;
  Executor& house_;
  PollLoop* machine_;
  const std::string pods_folder_;
};

}  // namespace muster::agent
