// What stands in the head of every answer to a request: when it was sent, and the id under which
// the request is in the audit log, the client's own where it gave one.
//
//   request.audit_id = audit_id_of(request, random);
//   respond = stamped(context, request, std::move(respond));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/instant.h"
#include "base/random.h"
#include "server/context.h"
#include "server/request.h"

namespace muster::server {

std::string audit_id_of(const Request& request, Random& random);

Respond stamped(Context& context, const Request& request, Respond respond);

// `Sun, 15 Nov 2026 21:04:00 GMT`.
std::string http_date(Instant instant);

}  // namespace muster::server
