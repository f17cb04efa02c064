// SPDX-License-Identifier: Apache-2.0
#include "main/webhook_client.h"

#include <utility>

namespace muster {

void WebhookClient::post(server::WebhookPost post,
                         UniqueFunction<void(Result<server::WebhookReply>)> done) {
  posts_.post({.url = std::move(post.url),
               .address = std::move(post.address),
               .authority_pem = std::move(post.authority_pem),
               .body = std::move(post.body),
               .timeout = post.timeout},
              [done = std::move(done)](Result<client::PostAnswer> answer) mutable {
                if (!answer) return done(answer.error());
                done(server::WebhookReply{answer->status, std::move(answer->body)});
              });
}

}  // namespace muster
