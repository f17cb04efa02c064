// WebhookClient: the server's way to its webhooks, over HTTPS on a thread of its own.
//
//   WebhookClient webhooks(house);
//   threads.emplace_back([&] { webhooks.run(); });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/executor.h"
#include "client/https/https_posts.h"
#include "server/webhook_transport.h"

namespace muster {

class WebhookClient final : public server::WebhookTransport {
 public:
  explicit WebhookClient(Executor& house) : posts_({.house = house}) {}

  void post(server::WebhookPost post,
            UniqueFunction<void(Result<server::WebhookReply>)> done) override;

  void run() { posts_.run(); }
  void stop() { posts_.stop(); }

 private:
  client::HttpsPosts posts_;
};

}  // namespace muster
