// Which webhooks want to hear of a request: rules, selectors and match conditions of the two
// kinds of webhook configurations, in the order in which they are called.
//
//   for (const Webhook& hook : webhooks_for(context, WebhookKind::mutating, admission)) …
//
// Assumes: the house thread and a cache that has caught up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/admission.h"
#include "server/context.h"
#include "server/outcome.h"

namespace muster::server {

enum class WebhookKind : std::uint8_t { mutating, validating };

struct Webhook {
  objects::Value configuration;  // keeps what follows
  objects::View definition = {};
  std::string name = {};
  const objects::KindVersion* version = nullptr;  // in which it wants the object

  bool ignores_failures() const;    // failurePolicy: Ignore
  bool wants_another_call() const;  // reinvocationPolicy: IfNeeded
  Span timeout() const;
};

// Those whose rules and selectors match. The configurations themselves are heard by nobody, so that
// a bad one can be taken away.
std::vector<Webhook> webhooks_for(Context& context, WebhookKind kind, const Admission& admission);

// The version in which matchConstraints or matchResources of an admission policy want to see the
// object; null where they do not match. Absent ones match everything.
const objects::KindVersion* matching_version(Context& context, objects::View resources,
                                             const Admission& admission);

// Whether all match conditions hold. A condition that cannot be told is a failure of the webhook.
Outcome<bool> conditions_hold(const Webhook& webhook, objects::View review_request);

}  // namespace muster::server
