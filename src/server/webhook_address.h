// Where a webhook is: the url of its configuration, or the pods behind the service that it names.
//
//   WebhookPost post = TRY(webhook_address(context, webhook));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "server/context.h"
#include "server/webhook_match.h"
#include "server/webhook_transport.h"

namespace muster::server {

// The url is set in any case, so that errors can name it.
struct WebhookPlace {
  WebhookPost post;
  Result<> found = {};  // an error: nothing is behind the service
};
WebhookPlace webhook_place(Context& context, const Webhook& webhook);

}  // namespace muster::server
