// WebhookTransport: the way to a webhook. The server knows what to say and to whom; somebody with a
// network says it.
//
//   transport.post({.url = "https://hook.ns.svc:443/check?timeout=10s", …},
//                  [](Result<WebhookReply> reply) { … });
//
// Assumes: called on the house thread; the reply comes there, never from inside the call, not later
// than the timeout. Only HTTPS, only to a server that the authority vouches for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster::server {

struct WebhookPost {
  std::string url;                 // what it is called: the Host, the path and the query
  std::string address = {};        // "10.0.0.4:8443": where it is; empty: where the url says
  std::string authority_pem = {};  // empty: those that the system trusts
  std::string body = {};
  Span timeout = Span::of_seconds(10);
};

struct WebhookReply {
  int status = 0;
  std::string body = {};
};

class WebhookTransport {
 public:
  virtual ~WebhookTransport() = default;

  virtual void post(WebhookPost post, UniqueFunction<void(Result<WebhookReply>)> done) = 0;
};

}  // namespace muster::server
