// Reviews: questions in the shape of objects. Whoever creates one gets it back with its status
// filled in; nothing is stored. They are how `kubectl auth can-i` and `whoami`, and other servers,
// ask who somebody is and what they may do.
//
//   if (!target.kind->is_stored) respond(review(context, request));
//
// Assumes: the house thread, a cache that has caught up, and a caller who may ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/write.h"

namespace muster::server {

struct Reviewed {
  objects::Value object;
  std::vector<std::string> warnings = {};
};

Outcome<Reviewed> review(Context& context, const WriteRequest& request);

// `serviceaccounts/<name>/token`: a new token of the account, in a TokenRequest.
Outcome<Reviewed> request_token(Context& context, const WriteRequest& request);

// The body as its schema has it, which is in the version of `kind`. 400 where it is another kind's.
Outcome<Reviewed> decode_review(const objects::Kind& kind, const WriteRequest& request);

// {username, uid, groups, extra}
objects::Value user_value(const Identity& identity);

}  // namespace muster::server
