// PodAgentStreams: joins the server's wish for a command in a container or a connection to a pod
// (server/pod_streams.h) to the agent that runs it (agent/node_streams.h). The two sides do not
// know each other.
//
//   PodAgentStreams streams(logs, house);
//   streams.add(std::move(node_streams));
//   server.set_streams(&streams);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "agent/node_streams.h"
#include "server/pod_logs.h"
#include "server/pod_streams.h"

namespace muster {

class PodAgentStreams final : public server::PodStreams {
 public:
  // Whoever attaches reads the log as it grows.
  PodAgentStreams(server::PodLogs& logs, Executor& house) : logs_(logs), house_(house) {}

  void add(std::unique_ptr<agent::NodeStreams> streams) { agents_.push_back(std::move(streams)); }
  void clear() { agents_.clear(); }

  Result<std::unique_ptr<server::PodStream>> exec(const server::ExecRequest& request) override;
  Result<std::unique_ptr<server::PodStream>> attach(const std::string& pod_uid,
                                                    const std::string& container) override;
  Result<std::unique_ptr<server::PodStream>> connect(
      const server::ConnectRequest& request) override;

 private:
  Result<const agent::NodeStreams*> agent_of(const std::string& pod_uid) const;

  server::PodLogs& logs_;
  Executor& house_;
  std::vector<std::unique_ptr<agent::NodeStreams>> agents_;
};

}  // namespace muster
