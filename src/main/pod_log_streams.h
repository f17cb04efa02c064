// PodLogStreams: joins the server's question for a log (server/pod_logs.h) to the agent that has
// it (agent/node_logs.h). The two sides do not know each other.
//
//   PodLogStreams logs;
//   logs.add(std::move(node_logs));
//   server.set_logs(&logs);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "agent/node_logs.h"
#include "server/pod_logs.h"

namespace muster {

class PodLogStreams final : public server::PodLogs {
 public:
  void add(std::unique_ptr<agent::NodeLogs> logs) { agents_.push_back(std::move(logs)); }
  void clear() { agents_.clear(); }

  Result<std::unique_ptr<server::Stream>> open(const server::LogRequest& request) override;

 private:
  std::vector<std::unique_ptr<agent::NodeLogs>> agents_;
};

}  // namespace muster
