// Completion: what only the server says about an object, and what an endpoint leaves as it is: the
// object as it goes into admission.
//
//   Value next = completed_next(request, body, old, now);
//
// Assumes: a body that can_be_completed; a metadata that is no object is left for the schema to
// refuse in its own words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/instant.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/write.h"

namespace muster::server {

bool can_be_completed(objects::View body);

// Whether Go could read what a caller says of the fields that are the server's.
bool are_readable(objects::View metadata);

// A new object: named, dated, with a uid, and without a status that its creator may not write.
objects::Value completed_new(Context& context, const WriteRequest& request);

// The next object: what this endpoint may change from the body, the rest from the old one.
objects::Value completed_next(const WriteRequest& request, const objects::Value& body,
                              const objects::Value& old, Instant now);

}  // namespace muster::server
