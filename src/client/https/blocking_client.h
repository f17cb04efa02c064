// BlockingClient: HTTPS requests of a program that has nothing else to do, such as a command: each
// call runs the network itself until its answer is there. No thread is needed.
//
//   auto client = TRY(BlockingClient::open(access));
//   const WholeAnswer answer = TRY(client->ask({.method = "GET", .target = "/api/v1/nodes"}));
//
// Assumes: used by one thread. listen() gives the body of an answer 200 in pieces until the server
// or the callback ends it; it waits for a quiet server as long as the server is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "client/https/line.h"
#include "client/https/request_text.h"
#include "client/kubeconfig.h"

namespace muster::client {

class BlockingClient {
 public:
  static Result<std::unique_ptr<BlockingClient>> open(const ClusterAccess& access);
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;
  ~BlockingClient();

  Result<WholeAnswer> ask(const HttpRequest& request);

  // on_piece answers whether it wants more.
  Result<WholeAnswer> listen(const HttpRequest& request,
                             const std::function<bool(std::string_view piece)>& on_piece);

 private:
  struct Core;
  explicit BlockingClient(std::unique_ptr<Core> core);

  std::unique_ptr<Core> core_;
};

}  // namespace muster::client
