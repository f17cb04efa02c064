// ClusterClient: the threads and loops behind a command that speaks to an API over HTTPS.
//
//   auto client = TRY(ClusterClient::open({.kubeconfig = path}));
//   Value nodes = TRY(client->ask({.verb = Verb::list, .resource = resources::nodes}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/os/event_loop.h"
#include "base/result.h"
#include "client/api.h"
#include "client/https/https_api.h"

namespace muster {

struct ClusterQuestion {
  std::string kubeconfig;  // empty: $KUBECONFIG, else ~/.kube/config
  std::string context;     // empty: the current one
};

// What the kubeconfig says.
Result<client::ClusterAccess> read_cluster_access(const ClusterQuestion& question);

class ClusterClient {
 public:
  static Result<std::unique_ptr<ClusterClient>> open(const ClusterQuestion& question);
  ~ClusterClient();
  ClusterClient(const ClusterClient&) = delete;
  ClusterClient& operator=(const ClusterClient&) = delete;

  // Blocks the calling thread until the answer is there.
  Result<objects::Value> ask(client::Call call);

  client::Api& api() { return *api_; }
  EventLoop& house() { return house_; }
  const std::string& server() const { return server_; }

 private:
  ClusterClient() = default;

  std::string server_;
  EventLoop house_;
  std::unique_ptr<client::HttpsApi> api_;
  std::jthread network_thread_;
  std::jthread house_thread_;
};

}  // namespace muster
