// PodUsage: joins the server's question for what is used (server/usage.h) to the agent that
// measures it (agent/node_usage.h).
//
//   PodUsage usage;
//   usage.add(std::move(node_usage));
//   server.set_usage(&usage);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "agent/node_usage.h"
#include "server/usage.h"

namespace muster {

class PodUsage final : public server::UsageSource {
 public:
  void add(std::unique_ptr<agent::NodeUsage> usage) { agents_.push_back(std::move(usage)); }
  void start() {
    for (const auto& each : agents_) each->start();
  }
  void clear() { agents_.clear(); }

  std::optional<server::Usage> pod(std::string_view uid) const override;
  std::optional<server::Usage> node(std::string_view name) const override;

 private:
  std::vector<std::unique_ptr<agent::NodeUsage>> agents_;
};

}  // namespace muster
