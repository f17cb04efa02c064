// How calls come to the record of who changed what (server/audit.h): the answer is wrapped, so that
// whatever way a call takes to its end, it leaves one line. Reads leave none.
//
//   asked.respond = audited(context, asked.request, asked.route, asked.verb, std::move(respond));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "client/api.h"
#include "server/context.h"
#include "server/request.h"
#include "server/route.h"

namespace muster::server {

Respond audited(Context& context, const Request& request, const Route& route, std::string_view verb,
                Respond respond);

client::Answer audited(Context& context, const Identity& identity, const client::Call& call,
                       std::string_view verb, client::Answer answer);

}  // namespace muster::server
